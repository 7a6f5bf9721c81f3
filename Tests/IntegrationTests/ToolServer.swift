import Glibc
import System
import TestSupport

/// A server over TLS that real tools reach with a token: `Drivers/tool-server.py`.
final class ToolServer {
  let port: String
  /// `127.0.0.1` with the port.
  var host: String { "127.0.0.1:" + port }
  /// The certificate of its authority.
  var authority: String { certificates.path("ca.pem") }
  /// The directory of the repositories, the log and the rejected tokens.
  let directory: String
  private let certificates: DevBackendCertificates
  private let child: ChildProcess
  private let output: Descriptor

  /// Starts the server as a person, who owns the repository `app.git`.
  init(as person: Someone) throws {
    certificates = try DevBackendCertificates()
    directory = person.base + "/server"
    try shell(
      """
      chmod -R a+rX \(certificates.directory)
      install -d -m 700 -o \(person.user.name) \(directory)
      """
    )
    try person.shell(
      """
      git init --quiet --bare --initial-branch=main \(directory)/git/app.git
      git -C \(directory)/git/app.git config http.receivepack true
      """
    ).succeeded()
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let driver = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/tool-server.py"
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become + [
        "/usr/bin/python3", driver, directory, certificates.path("leaf.pem"),
        certificates.path("leaf.key"),
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, 2]
    )
    _ = consume theirs
    guard try output.waitReadable(milliseconds: 60_000) else {
      throw SystemError("tool-server.py", code: ETIMEDOUT)
    }
    let line = try output.read(atMost: 64)
    port = String(decoding: line.dropLast(), as: UTF8.self)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// What was asked since the last call: the status, scheme and user name, and path of each request.
  func log() throws -> [String] {
    let text = try shell("cat \(directory)/log 2>/dev/null || true; rm -f \(directory)/log")
    return text.split(separator: "\n").map(String.init)
  }

  /// Refuses a token from now on.
  func reject(_ token: String) throws {
    try shell("umask 022; printf %s '\(token)' >>\(directory)/rejected")
  }
}
