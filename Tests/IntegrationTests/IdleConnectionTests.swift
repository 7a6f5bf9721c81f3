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
  func whereAllWaitForAnAnswerTheNextIsTurnedAwayAndWhereTheyAreIdleItIsServed() throws {
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
    // All of them are still connected, and none wants anything.
    #expect(try vault.connect().call(GetStatusCall()).process == Int(engine.identifier))
  }
}
