import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// The state of an account says whether the next token needs a presence check.
///
/// It does not depend on the age of the last check.
@Suite(.timeLimit(.minutes(10)))
struct AccountStateTests {
  private func state(
    _ vault: Vault,
    at location: CallerLocation = .everywhere
  ) async throws -> AccountState {
    try #require(try await vault.accountFacts(named: "me", at: location).first).state
  }

  @Test
  func anAccountWithoutProtectionIsReadyHoweverOldItsTokenIs() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(try await state(vault) == .ready)
    bench.clock.advance(7200)
    #expect(try await state(vault) == .ready)
  }

  @Test
  func aProtectedAccountIsLockedWhereTheNextTokenTakesACheck() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    // The stored token needs no check for any caller.
    #expect(try await state(vault) == .ready)
    bench.clock.advance(7200)
    #expect(try await state(vault) == .locked)
    try await bench.unlock(vault, ["me"], seconds: 60)
    #expect(try await state(vault) == .ready)
    bench.clock.advance(60)
    #expect(try await state(vault) == .locked)
  }

  @Test
  func anAccountThatIsNamedTwiceIsShownOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    let need = try await need {
      _ = try await vault.unlock(["me", "me"], seconds: nil, prompt: nil, caller: caller())
    }
    #expect(need.detail == "me")
  }

  @Test
  func aWindowAtAnotherPlaceUnlocksNothingHere() async throws {
    let locations = ScriptedPlaces()
    locations.seat(1, at: "session 1")
    locations.seat(2, at: "session 2")
    let bench = try Bench()
    let vault = try await bench.open(locations: locations)
    try await bench.signIn(vault)
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller(1))
    bench.clock.advance(7200)
    try await bench.unlock(vault, caller: caller(1))
    #expect(try await state(vault, at: await vault.locationOfWindow(caller(1))) == .ready)
    #expect(try await state(vault, at: await vault.locationOfWindow(caller(2))) == .locked)
    // The state in a reply is that of the caller's location.
    #expect(try await vault.setDefault(account: "me", caller: caller(1)).state == .ready)
    #expect(try await vault.setDefault(account: "me", caller: caller(2)).state == .locked)
  }

  /// The end of a token changes the state by itself, and is reported once.
  @Test
  func whoWatchesHearsOfTheEndOfATokenOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    bench.clock.advance(7200)
    await onlooker.until { $0.last?.account?.state == .locked }
    #expect(onlooker.told.map { $0.account?.state } == [.ready, .locked])
    await onlooker.end()
  }
}
