import Configuration
import Glibc
import SecretMemory
import System
import TestSupport
import Testing

@testable import LoopbackLogin

/// The loopback listener against hostile and broken clients of a local port.
struct RedirectListenerTests {
  /// A connection of a test.
  final class Peer {
    private let socket: Descriptor

    init(_ port: UInt16, _ family: LoopbackSocket.Family = .ipv4) throws {
      socket = try LoopbackSocket.connect(family, port: port)
    }

    func send(_ text: String) throws {
      // The other side may have refused and hung up before all of it was sent.
      try? socket.write(text)
    }

    /// All data until the end.
    func answer() throws -> String {
      guard try socket.waitReadable(milliseconds: 60_000) else {
        throw SystemError("no answer", code: ETIMEDOUT)
      }
      return String(decoding: (try? socket.readAll(limit: 1 << 20)) ?? [], as: UTF8.self)
    }
  }

  /// The result of one wait.
  struct Wait {
    var query: String?
    var strays: [RedirectStray] = []
    var error: RedirectWaitError?
  }

  /// Waits at an address while `script` acts as the other programs, on its own thread.
  ///
  /// The redirect is answered with `page`.
  func wait(
    at address: String = "http://127.0.0.1/callback",
    for url: String? = nil,
    seconds: Int64 = 60,
    interrupt: Int32? = nil,
    _ script: @escaping @Sendable (UInt16) throws -> Void
  ) throws -> Wait {
    let listener = try Self.listener(at: try LoopbackRedirect(address))
    let thread = BackgroundThread { [port = listener.port] in try script(port) }
    var wait = Wait()
    do throws(RedirectWaitError) {
      let deadline = BootInstant.now.advanced(bySeconds: seconds)
      let arrival = try listener.wait(
        for: url,
        interrupt: interrupt,
        until: deadline,
        stray: { wait.strays.append($0) }
      )
      if let arrival {
        wait.query = Self.text(arrival)
        arrival.connection.answer(Array("the page".utf8), interrupt: nil)
      }
    } catch {
      wait.error = error
    }
    if let problem = thread.join() { throw problem }
    return wait
  }

  /// Listens at an address.
  ///
  /// A child of another test may hold its port for a moment until its exec, so it is tried again.
  static func listener(at redirect: LoopbackRedirect) throws -> RedirectListener {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while true {
      do throws(SystemError) {
        return try RedirectListener(at: redirect, for: .terminal)
      } catch {
        guard error.code == EADDRINUSE, BootInstant.now < deadline else { throw error }
        pauseBriefly()
      }
    }
  }

  private static func noProgramListens(_ port: UInt16) -> Bool {
    eventually { (try? LoopbackSocket.connect(.ipv4, port: port)) == nil }
  }

  static func text(_ arrival: RedirectListener.Arrival) -> String {
    arrival.query.bytes.withBytes { span in
      String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
    }
  }

  static func get(_ target: String, host: String) -> String {
    "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  static func redirect(_ port: UInt16, _ query: String = "code=c&state=s") -> String {
    get("/callback?\(query)", host: "127.0.0.1:\(port)")
  }

  @Test
  func theRedirectIsTakenAndItsConnectionGetsThePage() throws {
    let wait = try wait { port in
      let peer = try Peer(port)
      try peer.send(Self.redirect(port))
      #expect(try peer.answer() == "the page")
    }
    #expect(wait.query == "code=c&state=s")
  }

  @Test
  func whatIsNotTheRedirectChangesNothing() throws {
    let wait = try wait { port in
      let host = "127.0.0.1:\(port)"
      for (text, status) in [
        (Self.get("/favicon.ico", host: host), "404"),
        (Self.get("/callback?state=s", host: "evil.example:\(port)"), "404"),
        (Self.redirect(port).replacing("GET", with: "POST"), "405"),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "400"), ("\u{16}\u{3}\u{1}\u{2}\u{0}", "400"),
      ] {
        let peer = try Peer(port)
        try peer.send(text)
        let answer = try peer.answer()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Cache-Control: no-store"))
      }
      // One that sends nothing, and one that closes at once.
      _ = try Peer(port)
      let silent = try Peer(port)
      let peer = try Peer(port)
      try peer.send(Self.redirect(port))
      #expect(try peer.answer() == "the page")
      #expect(try silent.answer().isEmpty)
    }
    #expect(wait.query == "code=c&state=s")
  }

  /// A browser that restores its tabs brings an earlier answer again.
  @Test
  func theAnswerToAnotherSignInIsRefusedAndTheWaitGoesOn() throws {
    let url = "https://id.example/authorize?state=own&client_id=c&state=s%2D1#state=x"
    let wait = try wait(for: url) { port in
      for state in ["old", "own", "x", "s-1x", "s%2", ""] {
        let old = try Peer(port)
        try old.send(Self.redirect(port, "code=old&state=\(state)"))
        let page = try old.answer()
        #expect(page.hasPrefix("HTTP/1.1 \(state.isEmpty ? 404 : 400) "))
        #expect(page.contains("is still waiting") != state.isEmpty)
      }
      let peer = try Peer(port)
      try peer.send(Self.redirect(port, "code=c&state=s-%31"))
      #expect(try peer.answer() == "the page")
    }
    #expect(wait.query == "code=c&state=s-%31")
    #expect(wait.strays == [.state, .state, .state, .state, .state])
  }

  @Test
  func hugeHeadersAreRefused() throws {
    let wait = try wait { port in
      let peer = try Peer(port)
      let line = "X-Filling: \(String(repeating: "x", count: 1000))\r\n"
      try peer.send(
        Self.redirect(port).dropLast() + String(repeating: line, count: 200) + "\r\n"
      )
      #expect(try peer.answer().hasPrefix("HTTP/1.1 431 "))
      let other = try Peer(port)
      try other.send(Self.redirect(port))
      _ = try other.answer()
    }
    #expect(wait.query == "code=c&state=s")
  }

  @Test
  func oneSlowByteAtATimeDelaysNoCaller() throws {
    let wait = try wait { port in
      // More connections than there is room for: each has begun, none will end.
      let slow = try (0..<100).map { _ in
        let peer = try Peer(port)
        try peer.send("G")
        return peer
      }
      // A listener that served one connection after the other would not reach this one in time.
      let peer = try Peer(port)
      try peer.send(Self.redirect(port))
      #expect(try peer.answer() == "the page")
      withExtendedLifetime(slow) {}
    }
    #expect(wait.query == "code=c&state=s")
  }

  @Test
  func oneThatTakesTooLongIsHungUpOn() throws {
    let wait = try wait { port in
      let peer = try Peer(port)
      try peer.send("GET /callback?state=s HTTP/1.1\r\n")
      #expect(try peer.answer().isEmpty)
      let other = try Peer(port)
      try other.send(Self.redirect(port))
      _ = try other.answer()
    }
    #expect(wait.query == "code=c&state=s")
  }

  @Test
  func aRedirectThatComesInPiecesIsTakenWhole() throws {
    let wait = try wait { port in
      let peer = try Peer(port)
      for character in Self.redirect(port) { try peer.send(String(character)) }
      #expect(try peer.answer() == "the page")
    }
    #expect(wait.query == "code=c&state=s")
  }

  @Test
  func theFirstOfTwoRedirectsCountsAndTheOtherFindsNoListener() throws {
    let wait = try wait { port in
      let first = try Peer(port)
      let second = try Peer(port)
      try first.send(Self.redirect(port, "code=first&state=s"))
      #expect(try first.answer() == "the page")
      try second.send(Self.redirect(port, "code=second&state=s"))
      #expect(try second.answer().isEmpty)
      #expect(Self.noProgramListens(port))
    }
    #expect(wait.query == "code=first&state=s")
  }

  @Test
  func noPortIsOpenAfterTheDeadline() throws {
    let listener = try RedirectListener(
      at: try LoopbackRedirect("http://127.0.0.1/callback"),
      for: .terminal
    )
    let deadline = BootInstant.now
    #expect(try listener.wait(interrupt: nil, until: deadline) == nil)
    #expect(Self.noProgramListens(listener.port))
  }

  @Test
  func ctrlCEndsTheWaitAtOnce() throws {
    let (near, far) = try UnixSocket.pair()
    let interrupt = Descriptor(owning: near)
    let key = Descriptor(owning: far)
    let number = key.number
    let wait = try wait(interrupt: interrupt.number) { port in
      // Other connections do not matter.
      let peer = try Peer(port)
      var byte: UInt8 = 1
      _ = unsafe write(number, &byte, 1)
      #expect(try peer.answer().isEmpty)
    }
    #expect(wait.error == .interrupted)
  }
}
