import Cryptography
import HTTPTransport
import HelperInterface
import SecretMemory
import System
import TestSupport
import Testing

/// Plain HTTP requests over loopback go to the provider's own program, and to no other program that
/// has taken its port.
@Suite(.timeLimit(.minutes(10)))
struct ListenerTests {
  private static let nobody = PortHolder.nobody

  private func request(_ port: UInt16, _ host: String = "127.0.0.1") throws -> HTTPRequest {
    var request = try post("http://\(host):\(port)/auth/refresh", #"{"refresh_token":"secret"}"#)
    request.timeout = 10_000
    return request
  }

  @Test(arguments: [PortHolder.Place.ipv4, .anyIPv4, .any, .mapped])
  func aListenerOfAnotherUserGetsNoByte(_ place: PortHolder.Place) throws {
    let holder = try PortHolder(at: place, user: Self.nobody)
    #expect(ending(try request(holder.port)) == .failed(.untrustedListener(user: Self.nobody)))
    #expect(try holder.received() == 0)
  }

  @Test
  func theAddressThatIsConnectedToCountsWhateverTheNameIs() throws {
    // localhost has two addresses: one is this user's, the other is not.
    let backend = try DevBackend()
    let port = try #require(UInt16(backend.url.split(separator: ":").last ?? ""))
    let stranger = try PortHolder(at: .ipv6, port: port, user: Self.nobody)
    #expect(ending(try request(port, "[::1]")).error == .untrustedListener(user: Self.nobody))
    let answer = ending(try request(port, "localhost"))
    #expect(answer == .answered(401) || answer.error == .untrustedListener(user: Self.nobody))
    #expect(ending(try request(port)) == .answered(401))
    #expect(try stranger.received() == 0)
  }

  @Test
  func aUserThatIsNamedMayListen() throws {
    let holder = try PortHolder(user: Self.nobody)
    var request = try request(holder.port)
    request.loopbackUsers = [ThisProcess.user, Self.nobody]
    request.timeout = 4000
    // The server never answers, but it gets the request.
    #expect(interrupted(request) == .timeout)
    #expect(try holder.received() > 0)
  }

  @Test
  func withoutAUserOnlyRootIsTrusted() throws {
    let holder = try PortHolder(user: Self.nobody)
    var request = try request(holder.port)
    request.loopbackUsers = []
    #expect(ending(request).error == .untrustedListener(user: Self.nobody))
    // These tests run as root, whose listeners are always trusted.
    let own = try DevBackend()
    var toOwn = try post(own.url + "/auth/refresh", "{}")
    toOwn.loopbackUsers = []
    let isRoot = ThisProcess.user == 0
    #expect(
      ending(toOwn)
        == (isRoot ? .answered(400) : .failed(.untrustedListener(user: ThisProcess.user)))
    )
  }

  @Test
  func aPortWithoutAListenerIsRefusedAndNotBlamedOnTheNetwork() throws {
    let holder = try PortHolder()
    try holder.close()
    #expect(notSent(try request(holder.port)) == .refused)
  }

  @Test(arguments: ["http", "socks5h", "socks5"])
  func aProxyOfAnotherUserGetsNoByte(_ scheme: String) throws {
    let proxy = try PortHolder(user: Self.nobody)
    var request = HTTPRequest(method: "GET", url: "https://id.example/")
    request.proxy = "\(scheme)://127.0.0.1:\(proxy.port)"
    request.timeout = 10_000
    #expect(ending(request).error == .untrustedListener(user: Self.nobody))
    #expect(try proxy.received() == 0)
    request.loopbackUsers = [Self.nobody]
    request.timeout = 4000
    // The proxy accepted the connection and sent nothing.
    #expect(notSent(request) == .silent)
    #expect(try proxy.received() > 0)
  }

  @Test
  func overTLSTheCertificateIsTheProof() throws {
    // A server of another user with the right key is the provider.
    let certificates = try DevBackendCertificates()
    let backend = try DevBackend([
      "--tls", certificates.path("leaf.pem"), certificates.path("leaf.key"),
    ])
    var request = try registration(at: backend.url)
    request.authorities = try certificates.text("ca.pem")
    request.loopbackUsers = []
    #expect(ending(request) == .answered(201))
    let holder = try PortHolder(user: Self.nobody)
    var other = try post("https://127.0.0.1:\(holder.port)/", "{}")
    other.timeout = 4000
    // The handshake got no answer, and that is no lack of a network.
    #expect(notSent(other) == .silent)
  }

  @Test
  func aStreamedRequestIsNoException() throws {
    let holder = try PortHolder(user: Self.nobody)
    let output = try MemoryFile()
    let request = try request(holder.port)
    let error = #expect(throws: HTTPError.self) {
      _ = try unsafe request.send(body: nil, to: output.descriptor.number)
    }
    #expect(error == .untrustedListener(user: Self.nobody))
    #expect(try holder.received() == 0)
  }

  // MARK: - The exchange helper

  private func call(_ port: UInt16, _ slot: TestSlot?, listeners: [Int]?) -> ExchangeCall {
    ExchangeCall(
      httpMethod: "POST",
      url: "http://127.0.0.1:\(port)/token",
      headers: [],
      pins: [],
      timeout: 20_000,
      maximumBody: 1024,
      key: slot?.key,
      context: slot?.context.encoded,
      local: true,
      listeners: listeners
    )
  }

  @Test
  func theExchangeHelperSaysWhoListensInItsReplyAndInTheSlot() throws {
    let holder = try PortHolder(user: Self.nobody)
    for listeners in [nil, [], [Int(ThisProcess.user)], [-1, 1 << 40]] as [[Int]?] {
      let exchangeHelper = try ExchangeHelperProcess()
      try exchangeHelper.send(call(holder.port, nil, listeners: listeners))
      guard case .notSent(.listener, user: Int(Self.nobody)) = try exchangeHelper.exchangeReply()
      else {
        Issue.record("sent, or not told")
        return
      }
      #expect(try exchangeHelper.end().0 == .exited(0))
    }
    let slot = try TestSlot()
    let exchangeHelper = try ExchangeHelperProcess()
    let file = try slot.open()
    try exchangeHelper.send(call(holder.port, slot, listeners: nil), slot: file.number)
    guard case .done = try exchangeHelper.exchangeReply(),
      case .notSent(reason: "listener \(Self.nobody)") = try slot.outcome()
    else {
      Issue.record("the slot does not say so")
      return
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
    #expect(try holder.received() == 0)
  }

  @Test
  func theExchangeHelperGoesToAUserWhomTheEngineNames() throws {
    let holder = try PortHolder(user: Self.nobody)
    let exchangeHelper = try ExchangeHelperProcess()
    var named = call(holder.port, nil, listeners: [Int(Self.nobody)])
    named.timeout = 4000
    try exchangeHelper.send(named)
    guard case .lost(.timeout) = try exchangeHelper.exchangeReply() else {
      Issue.record("not sent")
      return
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
    #expect(try holder.received() > 0)
  }
}
