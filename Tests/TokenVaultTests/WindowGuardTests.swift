import Presence
import System
import Testing

@testable import TokenVault

/// The unlock window ends with the login session of whoever opened it.
@Suite(.timeLimit(.minutes(10)))
struct WindowGuardTests {
  private func guarded() async throws -> (Bench, Vault, ScriptedGuard) {
    let bench = try Bench()
    let windowGuard = ScriptedGuard()
    let vault = try await bench.open(windowGuard: windowGuard)
    try await bench.signIn(vault)
    return (bench, vault, windowGuard)
  }

  @Test
  func whatHappensOutsideEndsItAndIsWrittenDown() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    // Nobody looks for a window that is not there.
    #expect(windowGuard.begun == 0)
    try await bench.protect(vault)
    try await bench.unlock(vault)
    #expect(windowGuard.begun == 1)
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    await windowGuard.happen("the screen was locked")
    #expect(try await vault.facts().unlockedFor == nil)
    await onlooker.untilTold(2)
    #expect(onlooker.story == ["ready, unlocked", "ready"])
    let record = try #require(try await vault.trail(after: 0, since: nil, account: nil).last)
    #expect(record.event == "lock" && record.outcome == "done")
    #expect(record.detail == "the screen was locked" && record.requester == "thumblatchd")
    // A token needs a check again.
    bench.clock.advance(3600)
    _ = try await need { _ = try await vault.token() }
    await onlooker.end()
  }

  @Test
  func whereNoneIsOpenNothingIsWrittenDown() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.unlock(vault, seconds: 60)
    bench.clock.advance(60)
    let count = try await vault.events().count
    await windowGuard.happen("the computer sleeps")
    #expect(try await vault.events().count == count)
  }

  @Test
  func whatHappensWhileItIsOpenedKeepsItClosed() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    windowGuard.willHappen("the screen was locked")
    let failure = await failure { try await bench.unlock(vault) }
    #expect(failure == .presenceFailed(.cancelled, methods: []))
    #expect(try await vault.facts().unlockedFor == nil)
    try await bench.unlock(vault)
    #expect(try await vault.facts().unlockedFor != nil)
    #expect(windowGuard.begun == 2)
  }

  @Test
  func theGuardRestsWhenTheWindowIsClosed() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.unlock(vault, seconds: 60)
    await vault.restGuard()
    #expect(windowGuard.rested == 0)
    bench.clock.advance(60)
    await vault.restGuard()
    #expect(windowGuard.rested == 1)
  }

  @Test
  func whetherAnythingIsSeenIsFound() async throws {
    let (_, vault, windowGuard) = try await guarded()
    let fine = try #require(await vault.examine().last)
    #expect(fine.name == "login-events" && fine.level == .ok && fine.remedy == nil)
    windowGuard.isBlind("the system bus cannot be used")
    let blind = try #require(await vault.examine().last)
    #expect(blind.level == .warning)
    #expect(blind.message == "login events are not watched: the system bus cannot be used")
    #expect(blind.remedy != nil)
  }
}
