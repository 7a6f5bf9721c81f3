import System
import TestSupport
import Testing
import VaultInterface

/// An engine that serves as many as it may: whoever only holds a connection keeps nobody out, and
/// whoever waits for an answer is not sent away.
@Suite(.serialized)
struct IdleConnectionTests {
  /// How many connections an engine has at most.
  private static let most = 256

  @Test
  func theOneThatWasSilentForLongestMakesRoomForTheNext() throws {
    let backend = try DevBackend()
    try backend.fail(.init("/auth/login", hold: true))
    let vault = try TestVault()
    try vault.start()
    // The oldest of all waits for its answer, and so was silent for longest.
    let waiting = try vault.connect()
    try waiting.send(
      LoginCall(
        account: "me",
        provider: provider(backend.url),
        email: "me@example.org",
        password: try secret(password)
      )
    )
    try backend.waitForRequests("/auth/login")
    // Each is heard for the first time when it is taken: in this order.
    let idle = try (1..<Self.most).map { _ in try vault.connect() }
    // The first speaks: now it is the second.
    try idle[0].call(GetStatusCall())
    for number in 1...2 {
      let next = try vault.connect()
      try next.call(GetStatusCall())
      #expect(try idle[number].reply() == nil)
    }
    // Nobody else was sent away, which would be something to read.
    for caller in [idle[0]] + idle.dropFirst(3) {
      #expect(try !caller.socket.waitReadable(milliseconds: 0))
    }
    try idle[0].call(GetStatusCall())
    try backend.release()
    guard case .providerRefused = try waiting.failure(of: LoginCall.self) else {
      Issue.record("whoever waited for an answer got another one")
      return
    }
  }

  @Test
  func whereAllWaitForAnAnswerTheNextIsTurnedAway() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    let engine = try vault.start()
    let callers = try (0..<Self.most).map { _ in try vault.connect() }
    try callers[0].register("me", at: backend)
    let old = try callers[0].token()
    try backend.fail(.init("/auth/refresh", hold: true))
    for caller in callers { try caller.send(AccessTokenCall(account: "me", rejected: old)) }
    try backend.waitForRequests("/auth/refresh")
    // Calls are read in the order in which they came, connections among them.
    for _ in 0..<3 {
      let another = try vault.connect()
      try another.send(bytes: Array(#"{"method":"io.thumblatch.Vault.GetStatus"}"#.utf8) + [0])
      #expect(try another.reply() == nil)
    }
    try backend.release()
    let tokens = try callers.map { try $0.result(of: AccessTokenCall.self).accessToken }
    #expect(Set(tokens).count == 1 && tokens[0] != old)
    #expect(try vault.connect().call(GetStatusCall()).process == Int(engine.identifier))
  }
}
