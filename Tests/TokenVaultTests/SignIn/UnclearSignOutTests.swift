import PresenceTerms
import Testing

@testable import TokenVault

/// The sign-out of an account whose last refresh had no usable answer.
@Suite(.timeLimit(.minutes(10)))
struct UnclearSignOutTests {
  /// An answer came, so the person is not told that it was lost.
  @Test(
    arguments: [
      (.answer(status: 400, body: ""), "without a reason (HTTP 400, an empty answer)"),
      (.answer(status: 403, body: "<html>"), "not JSON (HTTP 403)"),
      (.answer(status: 500, body: ""), "the provider answered 500"),
      (.answer(status: 200, body: "{}"), "with HTTP 200, but without a usable token"),
      (.tooLarge, "larger than 60 KiB"),
    ] as [(ScriptedExchange.Step, String)]
  )
  func anUnclearAnswerIsNotSaidToBeLost(
    _ step: ScriptedExchange.Step,
    _ said: String
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(step)
    _ = await failure { _ = try await vault.token() }
    bench.exchange.plan(.answer(status: 200, body: ""))
    let ended = try await vault.signOut(account: "me", local: false, caller: caller())
    let reason = try #require(ended.reason)
    #expect(ended.grant == .unknown)
    #expect(reason.contains(said) && !reason.contains("lost"), "\(reason)")
  }

  @Test
  func aLaterRefusalDoesNotHideALostAnswer() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    for step in [ScriptedExchange.Step.died, .answer(status: 429, body: "")] {
      bench.exchange.plan(step)
      _ = await failure { _ = try await vault.token() }
      bench.clock.advance(10)
    }
    #expect(bench.exchange.refreshes.count == 2)
    bench.exchange.plan(.answer(status: 200, body: ""))
    let ended = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(ended.grant == .unknown && ended.reason?.contains("was lost") == true)
  }
}
