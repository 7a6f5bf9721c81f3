import Presence
import Storage
import System
import Testing

@testable import TokenVault

/// The check that turns protection on opens the unlock window of that account.
@Suite(.timeLimit(.minutes(10)))
struct EnabledWindowTests {
  private func enable(
    _ vault: Vault,
    _ bench: Bench,
    _ name: String = "me",
    caller: Caller = caller()
  ) async throws -> PresenceNeed {
    let need = try await need {
      _ = try await vault.setProtection(true, account: name, prompt: nil, caller: caller)
    }
    try await bench.pass(need, vault, caller)
    _ = try await vault.setProtection(true, account: name, prompt: need.prompt, caller: caller)
    return need
  }

  @Test
  func whatWasJustProtectedIsNotLockedAtOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: 1)
    try await bench.signIn(vault, "other", lifetime: 1)
    try await bench.protect(vault, "other")
    bench.clock.advance(60)
    let need = try await enable(vault, bench)
    #expect(need.detail == "of me@example.org at dev, and unlock it until it is idle for 10 min")
    #expect(try await vault.facts().unlockedAccounts == ["me"])
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 1))
    #expect(try await vault.token().accessToken == "at-2")
    // The window is for this account only.
    _ = try await TokenVaultTests.need { _ = try await vault.token("other") }
    bench.clock.advance(601)
    _ = try await TokenVaultTests.need { _ = try await vault.token() }
    let events = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(events.contains { $0.event == "unlock" && $0.detail == "me, sliding" })
  }

  @Test
  func itIsOpenWhereTheCallerSitsAndNowhereElse() async throws {
    let locations = ScriptedPlaces()
    locations.seat(1, at: "session 1")
    locations.seat(2, at: "session 2")
    let bench = try Bench()
    let vault = try await bench.open(locations: locations)
    try await bench.signIn(vault)
    _ = try await enable(vault, bench, caller: caller(1))
    #expect(try await vault.facts(for: caller(1)).unlockedFor == 600)
    #expect(try await vault.facts(for: caller(2)).unlockedFor == nil)
  }

  @Test
  func theCallerThatTurnsItOffIsLocatedOnceForItsPrompt() async throws {
    let locations = ScriptedPlaces()
    locations.seat(1, at: "session 1")
    let bench = try Bench()
    let vault = try await bench.open(locations: locations)
    try await bench.signIn(vault)
    _ = try await enable(vault, bench, caller: caller(1))
    let before = locations.asked
    _ = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller(1))
    }
    #expect(locations.asked == before + 1)
  }

  /// The length that the policy allows is also the default length.
  @Test
  func itIsAsLongAsThePolicyAllows() async throws {
    let administrator = Administrator()
    administrator.write("[Policy]\nwindow = 2\n")
    let bench = try Bench()
    let vault = try await bench.open(rules: administrator)
    try await bench.signIn(vault)
    let need = try await enable(vault, bench)
    #expect(need.detail == "of me@example.org at dev, and unlock it until it is idle for 2 min")
    #expect(try await vault.facts().unlockedFor == 120)
  }

  /// Unlocked accounts stay unlocked, but no longer than before.
  @Test
  func aWindowThatIsOpenStays() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "other")
    try await bench.unlock(vault, ["other"], seconds: 60)
    let need = try await enable(vault, bench)
    let end = "and unlock it until the open unlock window ends"
    #expect(need.detail == "of me@example.org at dev, \(end)")
    #expect(try await vault.facts().unlockedFor == 60)
    #expect(Set(try await vault.facts().unlockedAccounts) == ["me", "other"])
    try await bench.unlock(vault)
    try await bench.signIn(vault, "third")
    _ = try await enable(vault, bench, "third")
    #expect(try await vault.facts().unlockedAccounts.isEmpty)
  }

  /// The shown prompt decides, even if a window opens or closes before its answer.
  @Test(arguments: [true, false])
  func aWindowThatOpensOrClosesDuringThePromptMakesNoOtherQuestion(_ opens: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "other")
    if !opens { try await bench.unlock(vault, ["other"], seconds: 60) }
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    }
    if opens {
      try await bench.unlock(vault, ["other"], seconds: 60)
    } else {
      _ = try await vault.lock(caller: caller())
    }
    try await bench.pass(need, vault, caller())
    _ = try await vault.setProtection(true, account: "me", prompt: need.prompt, caller: caller())
    #expect(try await vault.facts().unlockedFor == (opens ? 60 : 600))
  }

  /// A person at a locked screen finds no open window.
  @Test
  func noWindowIsOpenedForAPersonWhoHasGone() async throws {
    let windowGuard = ScriptedGuard()
    let bench = try Bench()
    let vault = try await bench.open(windowGuard: windowGuard)
    try await bench.signIn(vault)
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    await vault.endWindows(because: "the screen was locked")
    _ = await failure {
      _ = try await vault.setProtection(true, account: "me", prompt: need.prompt, caller: caller())
    }
    #expect(try await vault.facts().unlockedFor == nil)
  }
}
