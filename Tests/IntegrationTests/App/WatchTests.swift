import Glibc
import JSON
import PresenceTerms
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// `Watch` over the engine's socket.
@Suite(.serialized)
struct WatchTests {
  /// The next reply of a watch, and whether more will come.
  private func next(_ watch: EngineConnection) throws -> (reply: WatchReply, continues: Bool) {
    let reply = try #require(try watch.reply())
    return (try reply.result(of: WatchCall.self), reply.continues)
  }

  /// Reads until a reply matches.
  private func read(
    _ watch: EngineConnection,
    until isWanted: (WatchReply) -> Bool
  ) throws -> [WatchReply] {
    var replies: [WatchReply] = []
    while true {
      let (reply, continues) = try next(watch)
      try #require(continues)
      if let last = replies.last { #expect(last != reply) }
      replies.append(reply)
      if isWanted(reply) { return replies }
    }
  }

  @Test
  func aProgramHearsOfWhatAnotherDoes() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let (watch, caller) = (try vault.connect(), try vault.connect())
    try watch.send(WatchCall(account: "me", refreshAhead: 0), more: true)
    #expect(try next(watch) == (WatchReply(account: nil, unlocked: false), true))

    let made = try caller.register("me", at: backend)
    #expect(try read(watch) { $0.account?.state == .ready }.last?.account == made)
    // Without `more` there is a single reply.
    let look = try caller.call(WatchCall(account: "me"))
    #expect(look == WatchReply(account: made, unlocked: false))

    _ = try caller.token(rejected: try caller.token())
    let refreshed = try caller.account()
    _ = try read(watch) { $0.account == refreshed }

    try caller.call(LogoutCall(account: "me", local: false))
    _ = try read(watch) { $0.account?.state == .signedOut }
    try vault.stopEngine()
    #expect(try watch.reply() == nil)
  }

  @Test
  func anyMessageEndsItWithALastReply() throws {
    let vault = try TestVault()
    try vault.start()
    let watch = try vault.connect()
    try watch.send(WatchCall(account: "me"), more: true)
    #expect(try next(watch).continues)
    try watch.send(GetStatusCall())
    #expect(try next(watch) == (WatchReply(account: nil, unlocked: false), false))
    #expect(try watch.result(of: GetStatusCall.self).form == .private)
  }

  @Test
  func whoHangsUpMakesRoomForOthers() throws {
    let vault = try TestVault()
    try vault.start()
    for _ in 0..<200 {
      let watch = try vault.connect()
      try watch.send(WatchCall(account: "me"), more: true)
      #expect(try next(watch).continues)
    }
    // Long-lived watches leave room for short calls.
    let watches = try (0..<64).map { _ in
      let watch = try vault.connect()
      try watch.send(WatchCall(account: "me"), more: true)
      return watch
    }
    for watch in watches { #expect(try next(watch).continues) }
    let late = try vault.connect()
    guard case .busy = try late.failure(WatchCall(account: "me"), more: true) else {
      Issue.record("there is room for more")
      return
    }
    #expect(try late.call(GetStatusCall()).form == .private)
  }

  @Test
  func aCallerThatDoesNotReadDelaysNoOtherAndGetsTheLatest() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let (watch, caller) = (try vault.connect(), try vault.connect())
    try watch.send(WatchCall(account: "me", refreshAhead: 0), more: true)
    // The watch has begun, and its first reply is not read yet.
    try #require(try watch.socket.waitReadable(milliseconds: 60_000))
    try caller.register("me", at: backend)
    for _ in 0..<20 { _ = try caller.token(rejected: try caller.token()) }
    try caller.call(LogoutCall(account: "me", local: true))
    let last = try caller.account()
    let replies = try read(watch) { $0.account == last }
    #expect(replies.first?.account == nil)
    try vault.stopEngine()
  }

  @Test(arguments: [
    #"{"account":7}"#, #"{"account":"Me!"}"#, #"{"refresh_ahead":-1}"#,
    #"{"refresh_ahead":"soon"}"#,
  ])
  func whatMakesNoSenseIsRefused(_ parameters: String) throws {
    let vault = try TestVault()
    try vault.start()
    let watch = try vault.connect()
    let call =
      #"{"method":"io.thumblatch.Vault.Watch","more":true,"parameters":\#(parameters)}"#
    try watch.send(bytes: Array(call.utf8) + [0])
    let reply = try #require(try watch.reply())
    #expect(reply.error != nil && !reply.continues)
    #expect(try watch.call(GetStatusCall()).form == .private)
  }
}
