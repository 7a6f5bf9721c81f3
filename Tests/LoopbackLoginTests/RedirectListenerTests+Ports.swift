import Configuration
import Glibc
import System
import Testing

@testable import LoopbackLogin

/// The ports and addresses of the listener.
extension RedirectListenerTests {
  /// A redirect to a fixed port, and its listener.
  ///
  /// The port is not one that the kernel assigns to any program.
  private static func fixed() throws -> (redirect: LoopbackRedirect, listener: RedirectListener) {
    while true {
      let port = UInt16.random(in: 15_000..<32_000)
      let redirect = try LoopbackRedirect("http://127.0.0.1:\(port)/callback")
      do throws(SystemError) {
        return (redirect, try RedirectListener(at: redirect, for: .terminal))
      } catch {
        guard error.code == EADDRINUSE else { throw error }
      }
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1", LoopbackSocket.Family.ipv4, "/?state=s", "127.0.0.1"),
    ("http://127.0.0.1/a/b", .ipv4, "/a/b?state=s", "127.0.0.1"),
    ("http://[::1]/callback", .ipv6, "/callback?state=s", "[::1]"),
    ("http://localhost/callback", .ipv4, "/callback?state=s", "localhost"),
    ("http://localhost/callback", .ipv6, "/callback?state=s", "LocalHost"),
  ])
  func everyLoopbackAddressWorks(
    _ address: String,
    _ family: LoopbackSocket.Family,
    _ target: String,
    _ host: String
  ) throws {
    let wait = try wait(at: address) { port in
      let peer = try Peer(port, family)
      try peer.send(Self.get(target, host: "\(host):\(port)"))
      #expect(try peer.answer() == "the page")
    }
    #expect(wait.query == "state=s")
  }

  @Test
  func aFixedPortIsTakenAndOnlyByOne() throws {
    let (redirect, first) = try Self.fixed()
    #expect(throws: SystemError("bind", code: EADDRINUSE)) {
      try RedirectListener(at: redirect, for: .terminal)
    }
    first.close()
    #expect(try Self.listener(at: redirect).port == first.port)
  }

  /// A program with the port at one address of localhost would get the code.
  @Test
  func localhostIsRefusedWhereAnotherHasThePortAtOneAddress() throws {
    let other = try LoopbackSocket.bind(.ipv6)
    try LoopbackSocket.listen(at: other)
    let port = try LoopbackSocket.port(of: other)
    let redirect = try LoopbackRedirect("http://localhost:\(port)/callback")
    #expect(throws: SystemError("bind", code: EADDRINUSE)) {
      try RedirectListener(at: redirect, for: .terminal)
    }
  }

  /// The remains of a connection that this side closed would keep its port for a minute.
  @Test
  func aFixedPortIsFreeAgainForTheNextLogin() throws {
    let (_, first) = try Self.fixed()
    first.close()
    for _ in 0..<2 {
      let wait = try wait(at: "http://127.0.0.1:\(first.port)/callback") { port in
        let peer = try Peer(port)
        try peer.send(Self.redirect(port))
        _ = try peer.answer()
      }
      #expect(wait.query == "code=c&state=s")
    }
  }
}
