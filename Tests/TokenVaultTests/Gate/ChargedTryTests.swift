import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A try is charged before the reader is armed: no kill saves one, and no honest cancel costs one.
@Suite(.timeLimit(.minutes(10)))
struct ChargedTryTests {
  /// Arms the reader with a prompt of a connection.
  private func arm(
    _ bench: Bench,
    _ vault: Vault,
    connection: UInt64 = 1
  ) async throws -> (reader: Conversation, outcome: Task<VaultFailure?, Never>, prompt: String) {
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token(caller: caller(connection)) }
    #expect(need.methods == [.fingerprint, .password])
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller(connection)) { _ in
        }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    await vault.barrier()
    return (reader, check, need.prompt)
  }

  private func stored(_ vault: Vault) async throws -> Int64? {
    try await vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures }
  }

  @Test
  func fiveKillsBetweenScanAndAnswerLock() async throws {
    var bench = try Bench()
    var vault = try await bench.expired()
    for number in 1...5 {
      _ = try await arm(bench, vault)
      // The state that a kill at this moment leaves.
      bench = try bench.snapshot()
      vault = try await bench.open()
      #expect(try await vault.facts().isFingerprintLockedOut == (number == 5))
    }
    let need = try await bench.glance(vault)
    #expect(need.methods == [.password])
    #expect(need.reason == "too many fingers failed; the system password is needed once")
    try await bench.confirm(vault)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func aHundredHonestCancelsCostNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for number in 0..<100 {
      let armed = try await arm(bench, vault)
      #expect(try await stored(vault) == 1)
      switch number % 3 {
      case 0: await vault.cancel(armed.prompt, caller: caller())
      case 1: armed.outcome.cancel()
      default: armed.reader.tell(.failed(.timedOut))
      }
      _ = await armed.outcome.value
      await vault.disconnect(1)
      #expect(try await stored(vault) == 0)
    }
    #expect(try await !vault.facts().isFingerprintLockedOut)
  }

  @Test
  func aReaderThatCannotBeStartedCostsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for outcome in [PresenceFailure.busy("in use"), .notAvailable("unplugged"), .notEnrolled] {
      bench.check.breakReader(outcome)
      for _ in 0..<3 {
        let need = try await need { _ = try await vault.token() }
        _ = await failure {
          _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
        }
        await vault.disconnect(1)
        #expect(try await stored(vault) == 0)
      }
    }
  }

  @Test
  func missesBetweenCancelsAndKillsAreCountedOnce() async throws {
    var bench = try Bench()
    var vault = try await bench.expired()
    for number in 1...5 {
      let cancelled = try await arm(bench, vault)
      await vault.cancel(cancelled.prompt, caller: caller())
      _ = await cancelled.outcome.value
      let missed = try await arm(bench, vault)
      missed.reader.tell(.failed(.noMatch))
      _ = await missed.outcome.value
      await vault.disconnect(1)
      #expect(try await stored(vault) == Int64(number))
      bench = try bench.snapshot()
      vault = try await bench.open()
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
  }

  @Test
  func aCancelledCheckAndANewOneAreToldApart() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let next = try await need { _ = try await vault.token() }
    let first = try await arm(bench, vault)
    let begun = bench.check.conversations.count
    // The helper of the first check has not ended yet when the second one is armed.
    let check = Task {
      await failure { _ = try await vault.check(next.prompt, afterCancelling: first.prompt) }
    }
    let reader = await bench.check.conversation(begun + 1)
    _ = await first.outcome.value
    #expect(try await stored(vault) == 1)
    reader.tell(.failed(.noMatch))
    _ = await check.value
    #expect(try await stored(vault) == 1)
    #expect(try await !vault.facts().isFingerprintLockedOut)
  }
}

extension Vault {
  /// Cancels a prompt and arms another in one step of the actor.
  fileprivate func check(
    _ prompt: String,
    afterCancelling other: String
  ) async throws(VaultFailure) -> CheckStep {
    cancel(other, caller: caller())
    return try await check(prompt, by: .fingerprint, caller: caller()) { _ in }
  }
}
