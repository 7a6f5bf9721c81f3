import Glibc
import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Tokens in use are refreshed before they expire, without a prompt.
@Suite(.timeLimit(.minutes(10)))
struct RefreshAheadTests {
  /// Seconds after which a one-hour token is due, whatever its jitter is.
  private let due: Int64 = 3600 - 240

  /// An account whose token was handed out since it was stored.
  private func inUse(_ bench: Bench, lifetime: Int = 3600) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: lifetime)
    _ = try await vault.token()
    return vault
  }

  /// Marks the token file as read by the front, if the file system records reads.
  private func markRead(_ bench: Bench) {
    let path = bench.scratch.path + "/tokens/me"
    var times = [timespec(tv_sec: 2, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  @Test
  func aTokenInUseIsReplacedFiveMinutesBeforeItsEnd() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    bench.clock.advance(3299)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(61)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    // Reading the file would count as a use.
    #expect(try await vault.token(of: vault.row())?.token == "at-2")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
    let records = try await vault.auditPage(after: 0, since: nil, account: "me").suffix(2)
    #expect(records.map(\.event) == ["refresh", "refresh"])
    #expect(records.allSatisfy { $0.requester == "thumblatchd" })
    // The new token has not been handed out yet.
    bench.clock.advance(due)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test
  func twoTokensOfTheSameAgeAreNotReplacedInTheSameSecond() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for number in 0..<8 {
      try await bench.signIn(vault, "a\(number)", refresh: "rt-\(number)")
      _ = try await vault.token("a\(number)")
    }
    bench.clock.advance(3299)
    var begun: [Int] = []
    for _ in 0..<62 {
      for _ in 0..<8 { bench.exchange.plan(.tokens(access: "at", refresh: nil)) }
      let before = bench.exchange.refreshes.count
      await vault.refreshAhead()
      begun.append(bench.exchange.refreshes.count - before)
      bench.clock.advance(1)
    }
    #expect(begun.reduce(0, +) == 8)
    #expect(begun.count { $0 > 0 } > 1)
  }

  @Test
  func anUnusedTokenIsNotRefreshed() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(due)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func whatTheFrontReadsIsInUse() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    markRead(bench)
    bench.clock.advance(due)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    #expect(try await vault.cachedToken() == "at-2")
  }

  @Test
  func aProtectedOneIsRefreshedOnlyInAnOpenWindowAndDoesNotExtendIt() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    try await bench.protect(vault)
    bench.clock.advance(due)
    let checks = bench.check.conversations.count
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
    #expect(bench.check.conversations.count == checks)
    try await bench.unlock(vault)
    bench.clock.advance(30)
    let left = try await vault.facts().unlockedFor
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    #expect(try await vault.facts().unlockedFor == left)
    let record = try await vault.auditPage(after: 0, since: nil, account: "me")
      .last { $0.outcome == "begun" }
    #expect(record?.method == "unlock-window")
  }

  @Test
  func aWindowForAnotherAccountIsOfNoUse() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    try await bench.protect(vault)
    try await bench.signIn(vault, "other")
    bench.clock.advance(due)
    try await bench.unlock(vault, ["other"])
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aShortLifeIsNotWorthIt() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench, lifetime: 600)
    bench.clock.advance(400)
    _ = try await vault.token()
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [
    ScriptedExchange.Step.nothingSent, .answer(status: 429, body: ""),
    .answer(status: 400, body: #"{"error":"invalid_client"}"#), .answer(status: 503, body: ""),
    .answer(status: 401, body: ""), .died,
  ])
  func afterAFailureItPausesUntilTheNextCall(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    bench.clock.advance(due)
    bench.exchange.plan(step)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    // The valid token is handed out, and no other request is made.
    #expect(try await vault.token().accessToken == "at-1")
    for _ in 0..<3 {
      bench.clock.advance(60)
      await vault.refreshAhead()
    }
    #expect(bench.exchange.refreshes.count == 1)
    bench.clock.advance(600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    _ = try await vault.token()
    bench.clock.advance(due)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    await vault.refreshAhead()
    #expect(try await vault.cachedToken() == "at-3")
  }

  @Test
  func aDeadGrantIsNotSentAgain() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    bench.clock.advance(due)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    await vault.refreshAhead()
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    #expect(try await vault.stateOfMe().state == .loginRequired)
  }

  @Test
  func aCallDuringTheRefreshGetsTheValidTokenWithoutAWait() async throws {
    let bench = try Bench()
    let vault = try await inUse(bench)
    bench.clock.advance(due)
    bench.exchange.hold()
    let ahead = Task { await vault.refreshAhead() }
    await bench.exchange.untilRequested(2)
    #expect(try await vault.token().accessToken == "at-1")
    // A second look finds the refresh under way.
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await ahead.value
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func otherSetsAreRefreshedTooWhileTheyAreInUse() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    bench.exchange.plan(oauthTokens("at-read", refresh: nil))
    _ = try await vault.token(scope: "read")
    _ = try await vault.token(scope: "read")
    bench.clock.advance(due)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: nil))
    await vault.refreshAhead()
    #expect(try await vault.token(scope: "read").accessToken == "at-read-2")
    #expect(bench.forms.map { $0["scope"] } == ["read", "read"])
  }

  @Test
  func anOldCopyOfTheStoreIsNotUsed() async throws {
    let bench = try Bench()
    var vault: Vault? = try await inUse(bench)
    vault = nil
    try run("/bin/rm", [bench.scratch.path + "/rollback-counter"])
    vault = try await bench.open()
    markRead(bench)
    bench.clock.advance(due)
    await vault?.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
  }
}
