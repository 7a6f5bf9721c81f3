import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A client that watches an account gets each change once, and nothing else.
@Suite(.timeLimit(.minutes(10)))
struct WatchTests {
  private func signedIn(lifetime: Int? = 3600) async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: lifetime)
    return (bench, vault)
  }

  @Test
  func howThingsStandIsToldAtOnceAndEachChangeOnce() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    // The records of the check are changes, too, but this watcher sees none of them.
    try await bench.unlock(vault)
    await onlooker.untilTold(2)
    #expect(try await vault.lock(caller: caller()))
    await onlooker.untilTold(3)
    try await bench.protect(vault)
    // The window that the same check opens may be reported later than the protection.
    await onlooker.until { $0.last?.account?.isProtected == true }
    #expect(onlooker.story.prefix(3) == ["ready", "ready, unlocked", "ready"])
    #expect(onlooker.told.prefix(3).allSatisfy { $0.account?.isProtected == false })
    for (told, next) in zip(onlooker.told, onlooker.told.dropFirst()) { #expect(told != next) }
    #expect(try await vault.watchFacts(of: "me", caller: caller()) == onlooker.told.last)
    await onlooker.end()
  }

  @Test
  func anAccountMayComeAndGo() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    try await bench.signIn(vault)
    await onlooker.until { $0.last?.account?.state == .ready }
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    await onlooker.until { $0.count > 1 && $0.last?.account == nil }
    #expect(onlooker.story.first == "none")
    #expect(onlooker.story.last == "none")
    for (told, next) in zip(onlooker.told, onlooker.told.dropFirst()) { #expect(told != next) }
    await onlooker.end()
  }

  @Test
  func withoutANameTheDefaultAccountIsMeant() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault, nil)
    await onlooker.untilTold(1)
    _ = try await vault.setDefault(account: "me", caller: caller())
    try await bench.signIn(vault, "other")
    _ = try await vault.setDefault(account: "other", caller: caller())
    await onlooker.until { $0.last?.account?.name == "other" }
    #expect(onlooker.told.first?.account?.name == "me")
    await onlooker.end()
  }

  @Test
  func aWindowForOthersIsNoneForThisAccount() async throws {
    let (bench, vault) = try await signedIn()
    try await bench.signIn(vault, "other")
    let mine = Onlooker(vault)
    let others = Onlooker(vault, "other")
    let nobodys = Onlooker(vault, "nobody")
    for onlooker in [mine, others, nobodys] { await onlooker.untilTold(1) }
    try await bench.unlock(vault, ["other"])
    await others.untilTold(2)
    // A window for all accounts ends that one.
    try await bench.unlock(vault)
    await mine.untilTold(2)
    await nobodys.untilTold(2)
    for onlooker in [mine, others, nobodys] { await onlooker.end() }
    #expect(mine.story == ["ready", "ready, unlocked"])
    #expect(others.story == ["ready", "ready, unlocked"])
    #expect(nobodys.story == ["none", "none, unlocked"])
  }

  @Test
  func aFixedWindowEndsByTheClock() async throws {
    let (bench, vault) = try await signedIn()
    try await bench.unlock(vault, seconds: 60)
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    await bench.clock.untilAsleep(milliseconds: 60_000)
    bench.clock.advance(60)
    await onlooker.untilTold(2)
    #expect(onlooker.story == ["ready, unlocked", "ready"])
    await onlooker.end()
  }

  @Test
  func aSlidingWindowEndsWhenItIsNotUsed() async throws {
    let (bench, vault) = try await signedIn(lifetime: 7200)
    try await bench.protect(vault)
    try await bench.unlock(vault)
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    await bench.clock.untilAsleep(milliseconds: 600_000)
    bench.clock.advance(300)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 7200))
    _ = try await vault.token(rejected: "at-1")
    // The moment at which it would have closed.
    bench.clock.advance(300)
    await bench.clock.untilAsleep(milliseconds: 300_000)
    #expect(onlooker.told.allSatisfy { $0.isUnlocked })
    bench.clock.advance(300)
    await onlooker.until { $0.last?.isUnlocked == false }
    await onlooker.end()
  }

  @Test
  func aTokenThatEndsIsToldOfWhereTheNextOneTakesACheck() async throws {
    let (bench, vault) = try await signedIn()
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    await bench.clock.untilAsleep(milliseconds: 3_591_000)
    bench.clock.advance(3591)
    await onlooker.untilTold(2)
    #expect(onlooker.story == ["ready", "locked"])
    await onlooker.end()
  }

  @Test
  func aRefreshIsSeenFromItsBeginningToItsEnd() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    bench.exchange.hold()
    let token = Task { try await vault.token(rejected: "at-1") }
    await onlooker.until { $0.last?.account?.state == .refreshing }
    bench.clock.advance(5)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    #expect(try await token.value.accessToken == "at-2")
    await onlooker.until { $0.last?.account?.state == .ready }
    let ends = onlooker.told.map { $0.account?.accessTokenExpiresAt }
    #expect(try #require(ends.last ?? nil) == (ends.first ?? nil).map { $0 + 5 })
    await onlooker.end()
  }

  @Test
  func anAnswerThatIsLostIsUncertainAtOnce() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token(rejected: "at-1") }
    await onlooker.until { $0.last?.account?.state == .uncertain }
    await onlooker.end()
  }

  @Test
  func aSlowReaderGetsOnlyTheLatest() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault, isSlow: true)
    await onlooker.untilTold(1)
    for _ in 0..<3 {
      try await bench.unlock(vault)
      _ = try await vault.lock(caller: caller())
    }
    try await bench.protect(vault)
    onlooker.caughtUp()
    await onlooker.untilTold(2)
    #expect(onlooker.told.map { $0.account?.isProtected } == [false, true])
    #expect(onlooker.story == ["ready", "ready"])
    await onlooker.end()
  }

  @Test
  func whoHangsUpLeavesNothingBehind() async throws {
    let (bench, vault) = try await signedIn()
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    let end = try await onlooker.end().get()
    #expect(end == onlooker.told.last)
    #expect(await vault.watchers.isEmpty)
    #expect(await vault.watchers.timer == nil)
    // A client that hung up before the watch began.
    let other = Onlooker(vault)
    await other.end()
    #expect(await vault.watchers.isEmpty)
    _ = bench
  }

  @Test
  func thereIsRoomForSixtyFour() async throws {
    let (_, vault) = try await signedIn()
    let onlookers = (0..<64).map { _ in Onlooker(vault) }
    for onlooker in onlookers { await onlooker.untilTold(1) }
    let late = Onlooker(vault)
    #expect(await late.outcome == .failure(.busy("too many programs watch the vault")))
    await onlookers[0].end()
    let next = Onlooker(vault)
    await next.untilTold(1)
    for onlooker in onlookers + [next] { await onlooker.end() }
  }

  @Test
  func whatMakesNoSenseIsRefused() async throws {
    let (_, vault) = try await signedIn()
    for outcome in [await Onlooker(vault, "Me!").outcome, await Onlooker(vault, ahead: -1).outcome]
    {
      guard case .failure(.invalidArgument) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
    #expect(await vault.watchers.isEmpty)
  }

  @Test
  func anOldCopyOfTheStoreIsNotWatched() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    try await bench.signIn(try #require(vault))
    vault = nil
    try run("/bin/rm", [bench.scratch.path + "/rollback-counter"])
    let opened = try await bench.open()
    guard case .failure(.vaultUnsafe) = await Onlooker(opened).outcome else {
      Issue.record("it is watched")
      return
    }
  }
}
