import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// The token of a watched account is refreshed ahead by the watcher's own lead time.
@Suite(.timeLimit(.minutes(10)))
struct WatchedTokenTests {
  /// An account whose token has not been handed out since it was stored, and its watcher.
  private func watched(
    ahead: Int64?,
    lifetime: Int = 3600
  ) async throws -> (Bench, Vault, Onlooker) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: lifetime)
    let onlooker = Onlooker(vault, ahead: ahead)
    await onlooker.untilTold(1)
    return (bench, vault, onlooker)
  }

  /// Whether a look this many seconds before the token's end brings a new one.
  private func isRefreshed(_ left: Int64, ahead: Int64?, lifetime: Int = 3600) async throws -> Bool
  {
    let (bench, vault, onlooker) = try await watched(ahead: ahead, lifetime: lifetime)
    bench.clock.advance(Int64(lifetime) - left)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    await onlooker.end()
    return bench.exchange.refreshes.count == 1
  }

  @Test
  func itCountsAsUsedWhileItIsWatched() async throws {
    #expect(try await !isRefreshed(301, ahead: nil))
    #expect(try await isRefreshed(240, ahead: nil))
    let (bench, vault, onlooker) = try await watched(ahead: nil)
    await onlooker.end()
    bench.clock.advance(3600 - 240)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [
    (ahead: 1200, lifetime: 3600, measure: 1200),
    // At least a minute, which one look a minute does not miss.
    (ahead: 1, lifetime: 3600, measure: 60),
    // At most an hour, and half of its life.
    (ahead: 100_000, lifetime: 36_000, measure: 3600),
    (ahead: 3600, lifetime: 3600, measure: 1800),
  ])
  func theMeasureIsTheirOwn(_ ahead: Int64, _ lifetime: Int, _ measure: Int64) async throws {
    #expect(try await !isRefreshed(measure + 1, ahead: ahead, lifetime: lifetime))
    #expect(try await isRefreshed(max(measure - 60, 60), ahead: ahead, lifetime: lifetime))
  }

  @Test
  func zeroAsksForNothing() async throws {
    #expect(try await !isRefreshed(1, ahead: 0))
  }

  @Test
  func aShortLifeIsNotWorthIt() async throws {
    #expect(try await !isRefreshed(30, ahead: 300, lifetime: 600))
  }

  @Test
  func theLongestMeasureOfSeveralCounts() async throws {
    let (bench, vault, onlooker) = try await watched(ahead: 60)
    let other = Onlooker(vault, nil, ahead: 900)
    await other.untilTold(1)
    bench.clock.advance(3600 - 800)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    await other.end()
    await onlooker.end()
  }

  @Test
  func noPromptIsShownAndNoWindowKeptOpen() async throws {
    let (bench, vault, onlooker) = try await watched(ahead: 600)
    try await bench.protect(vault)
    let checks = bench.check.conversations.count
    bench.clock.advance(3600 - 400)
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
    await onlooker.end()
  }

  @Test
  func whatASuspendHasEndedIsMetByTheNextLook() async throws {
    let (bench, vault, onlooker) = try await watched(ahead: 300, lifetime: 7200)
    try await bench.unlock(vault)
    await onlooker.until { $0.last?.isUnlocked == true }
    // The machine sleeps: its clocks run on, and no timer fires.
    bench.clock.suspend(8 * 3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 1)
    await onlooker.until { $0.last?.isUnlocked == false && $0.last?.account?.state == .ready }
    #expect(try await vault.token(of: vault.row())?.token == "at-2")
    await onlooker.end()
  }

  @Test
  func aDeadGrantIsNotAskedForAgain() async throws {
    let (bench, vault, onlooker) = try await watched(ahead: 300)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    for _ in 0..<3 {
      await vault.refreshAhead()
      bench.clock.advance(60)
    }
    #expect(bench.exchange.refreshes.count == 1)
    await onlooker.until { $0.last?.account?.state == .loginRequired }
    await onlooker.end()
  }
}
