import System
import TestSupport
import Testing
import VaultInterface

/// An engine at its limit of connections.
///
/// Idle connections keep no caller out, and waiting callers are not disconnected.
@Suite(.serialized)
struct IdleConnectionTests {
  /// The limit of connections of an engine.
  private static let most = 256

  @Test
  func whereAllWaitForAnAnswerTheNextIsTurnedAwayAndWhereTheyAreIdleItIsServed() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    let engine = try vault.start()
    let first = try vault.connect()
    try first.register("me", at: backend)
    let old = try first.token()
    try backend.fail(.init("/auth/refresh", hold: true))
    // A connection that calls nothing for five seconds is not kept where there is little room left.
    let callers = try [first] + (1..<Self.most).map { _ in try vault.connect() }
    for caller in callers { try caller.send(AccessTokenCall(account: "me", rejected: old)) }
    try backend.waitForRequests("/auth/refresh")
    // Calls and connections are read in the order in which they came.
    for _ in 0..<3 {
      let another = try vault.connect()
      try another.send(bytes: Array(#"{"method":"io.thumblatch.Vault.GetStatus"}"#.utf8) + [0])
      #expect(try another.reply() == nil)
    }
    try backend.release()
    let tokens = try callers.map { try $0.result(of: AccessTokenCall.self).accessToken }
    #expect(Set(tokens).count == 1 && tokens[0] != old)
    // All of them are still connected, and all are idle.
    #expect(try vault.connect().call(GetStatusCall()).process == Int(engine.identifier))
  }
}
