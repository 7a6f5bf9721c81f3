import Glibc
import System
import TestSupport

/// A gateway that AI tools reach with a token: `Drivers/ai-gateway.py`.
final class AIGateway {
  let url: String
  private let directory: String
  private let child: ChildProcess
  private let output: Descriptor

  /// Starts the gateway as a person.
  init(as person: Someone, _ name: String = "gateway") throws {
    directory = "\(person.base)/\(name)"
    try shell("install -d -m 700 -o \(person.user.name) \(directory)")
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become + [
        "/usr/bin/python3", "-B", "-c", try shell("cat \(drivers)/ai-gateway.py"), directory,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, 2]
    )
    _ = consume theirs
    guard try output.waitReadable(milliseconds: 60_000) else {
      throw SystemError("ai-gateway.py", code: ETIMEDOUT)
    }
    let port = String(decoding: try output.read(atMost: 64).dropLast(), as: UTF8.self)
    url = "http://127.0.0.1:\(port)"
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// What was asked since the last call: the status, the path, and the end of the token.
  func log() throws -> [String] {
    let text = try shell("cat \(directory)/log 2>/dev/null || true; rm -f \(directory)/log")
    return text.split(separator: "\n").map(String.init)
  }

  /// Refuses a token from now on.
  func reject(_ token: String) throws {
    try shell("umask 022; printf %s '\(token)' >>\(directory)/rejected")
  }
}
