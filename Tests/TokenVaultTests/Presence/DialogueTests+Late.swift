import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Proofs and results that come too late.
extension DialogueTests {
  @Test
  func aPassedPromptThatIsUsedLateIsLost() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    bench.clock.advance(31)
    #expect(isRefused(await failure { _ = try await vault.token(prompt: need.prompt) }))
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aProofThatWaitedTooLongForTheSlotIsLost() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    let held = try await vault.heldSlot()
    let token = Task { await failure { _ = try await vault.token(prompt: need.prompt) } }
    await bench.clock.untilAsleep(milliseconds: 50)
    bench.clock.advance(31)
    held.put(nil)
    #expect(isRefused(await token.value))
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aMatchThatComesLateReleasesNothing() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    bench.clock.advance(31)
    reader.tell(.matched)
    guard case .presenceFailed(.timedOut, let methods)? = await check.value else {
      Issue.record("a late match counted")
      return
    }
    #expect(methods == [.fingerprint, .password])
    #expect(isRefused(await failure { _ = try await vault.token(prompt: need.prompt) }))
    // The password is still possible.
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-2")
  }

  @Test
  func aMatchForAPromptThatWasGivenUpReleasesNothing() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    await vault.cancel(need.prompt, caller: caller())
    #expect(reader.isCancelled)
    reader.tell(.matched)
    #expect(isRefused(await check.value))
    #expect(isRefused(await failure { _ = try await vault.token(prompt: need.prompt) }))
  }

  @Test
  func theResultOfAnEarlierCheckDoesNotCountForTheOneThatRuns() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let first = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    let old = await bench.check.conversation(begun + 1)
    // The match is on its way when the caller starts again.
    let second = Task {
      try await vault.checkAgain(need.prompt, caller()) { old.tell(.matched) }
    }
    let new = await bench.check.conversation(begun + 2)
    #expect(old.isCancelled)
    #expect(isRefused(await first.value))
    #expect(isRefused(await failure { _ = try await vault.token(prompt: need.prompt) }))
    new.tell(.matched)
    #expect(try await second.value == .passed)
  }
}

extension Vault {
  /// Runs `event`, then begins a check, in one step of the actor.
  fileprivate func checkAgain(
    _ prompt: String,
    _ caller: Caller,
    after event: @Sendable () -> Void
  ) async throws(VaultFailure) -> CheckStep {
    event()
    return try await check(prompt, by: .fingerprint, caller: caller) { _ in }
  }
}
