import Configuration
import System
import Testing

@testable import LoopbackLogin

/// Redirects from programs of this user and of another user.
extension RedirectListenerTests {
  /// Runs a program of a user that connects as `s`, sends a perfect redirect, and continues with
  /// `then`.
  private static func bring(
    _ port: UInt16,
    user: UInt32,
    family: String = "AF_INET",
    address: String = "127.0.0.1",
    then: String
  ) throws -> ChildProcess {
    let script = """
      import socket, sys
      s = socket.socket(socket.\(family))
      s.connect(('\(address)', \(port)))
      s.sendall(b'GET /callback?code=theirs&state=s HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n')
      \(then)
      """
    return try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", script,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, 1, 2]
    )
  }

  /// Succeeds if the answer begins this way and contains a text.
  private static func isAnswered(_ answer: String, with text: String = "") -> String {
    "a = s.makefile('rb').read(); "
      + "sys.exit(0 if a.startswith(b'\(answer)') and b'\(text)' in a else 1)"
  }

  private static let nobody: UInt32 = 65534

  @Test(arguments: [("AF_INET", "127.0.0.1"), ("AF_INET6", "::ffff:127.0.0.1")])
  func aPerfectRedirectOfAnotherUserIsRefusedAndTheWaitGoesOn(
    _ family: String,
    _ address: String
  ) throws {
    let wait = try wait { port in
      let stranger = try Self.bring(
        port,
        user: Self.nobody,
        family: family,
        address: address,
        then: Self.isAnswered("HTTP/1.1 403 ", with: "belongs to another user")
      )
      #expect(try stranger.wait() == .exited(0))
      let ours = try Self.bring(
        port,
        user: ThisProcess.user,
        family: family,
        address: address,
        then: Self.isAnswered("the page")
      )
      #expect(try ours.wait() == .exited(0))
    }
    #expect(wait.query == "code=theirs&state=s")
    #expect(wait.strays == [.user])
  }

  /// The kernel shows the remains of a closed socket as root's, whatever user made it.
  @Test(arguments: [
    "s.close()",
    "s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\\1\\0\\0\\0\\0\\0\\0\\0'); s.close()",
  ])
  func aStrangerThatHasHungUpIsNotCounted(_ end: String) throws {
    let listener = try RedirectListener(
      at: try LoopbackRedirect("http://127.0.0.1/callback"),
      for: .terminal
    )
    let stranger = try Self.bring(listener.port, user: Self.nobody, then: end)
    #expect(try stranger.wait() == .exited(0))
    // The stranger's connection waits to be accepted, ahead of this one.
    let peer = try Peer(listener.port)
    try peer.send(Self.redirect(listener.port, "code=ours&state=s"))
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    let arrival = try listener.wait(interrupt: nil, until: deadline)
    #expect(try Self.text(#require(arrival)) == "code=ours&state=s")
  }
}
