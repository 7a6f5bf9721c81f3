import Glibc
import System
import TestSupport

/// A server that tools reach with a token: a driver that runs as a program of a person's own.
///
/// The driver prints its port. It writes each request to the file `log` of its directory, and
/// refuses the tokens in the file `rejected`.
class PersonServer {
  let port: String
  /// The directory of the log and the rejected tokens.
  let directory: String
  private let child: ChildProcess
  private let output: Descriptor

  /// Starts a driver with its directory and further arguments.
  ///
  /// `prepare` fills the directory before the start.
  init(
    _ driver: String,
    as person: Someone,
    in name: String,
    _ arguments: [String] = [],
    prepare: (_ directory: String) throws -> Void = { _ in }
  ) throws {
    directory = "\(person.base)/\(name)"
    try shell("install -d -m 700 -o \(person.user.name) \(directory)")
    try prepare(directory)
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    // The scratch user may not read the directory of the sources.
    let path = "\(BuiltPrograms.sourceDirectory)/Tests/IntegrationTests/Drivers/\(driver)"
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become
        + ["/usr/bin/python3", "-B", "-c", try shell("cat \(path)"), directory] + arguments,
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, 2]
    )
    _ = consume theirs
    guard try output.waitReadable(milliseconds: 60_000) else {
      throw SystemError(driver, code: ETIMEDOUT)
    }
    port = String(decoding: try output.read(atMost: 64).dropLast(), as: UTF8.self)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// The lines of the log since the last call.
  func log() throws -> [String] {
    let text = try shell("cat \(directory)/log 2>/dev/null || true; rm -f \(directory)/log")
    return text.split(separator: "\n").map(String.init)
  }

  /// Refuses a token from now on.
  func reject(_ token: String) throws {
    try shell("umask 022; printf %s '\(token)' >>\(directory)/rejected")
  }
}
