import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Reports of a helper after its check is over for the caller.
///
/// Neither a hang-up nor a kill of the helper saves a try.
@Suite(.timeLimit(.minutes(10)))
struct LateReportTests {
  private typealias Armed = (
    reader: Conversation, outcome: Task<VaultFailure?, Never>, prompt: String
  )

  /// Begins a finger's check.
  ///
  /// The reader itself reports whether it is ready.
  private func arm(_ bench: Bench, _ vault: Vault) async throws -> Armed {
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    await vault.barrier()
    return (reader, check, need.prompt)
  }

  /// A check by password that has asked.
  private func asked(
    _ bench: Bench,
    _ vault: Vault
  ) async throws -> (prompt: String, stack: Conversation) {
    let need = try await need { _ = try await vault.token() }
    bench.check.plan([.ask(text: "Password: ", hidden: true)])
    _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    return (need.prompt, try #require(bench.check.conversations.last))
  }

  private func tries(_ vault: Vault) async throws -> Int64? {
    try await vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures }
  }

  private func passwords(_ vault: Vault) async throws -> Int64? {
    try await vault.inspect { try $0.passwordWait(owner: ThisProcess.user)?.failures }
  }

  /// The ways to leave a check.
  enum Leaving: CaseIterable {
    case hangUp
    case cancel
    case interrupt
  }

  private func leave(_ how: Leaving, _ vault: Vault, _ armed: Armed) async {
    switch how {
    case .hangUp: await vault.disconnect(1)
    case .cancel: await vault.cancel(armed.prompt, caller: caller())
    case .interrupt: armed.outcome.cancel()
    }
  }

  @Test(arguments: Leaving.allCases)
  func aMissThatIsOnItsWayWhenTheCallerLeavesCounts(_ how: Leaving) async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for number in 1...5 {
      #expect(try await !vault.facts().isFingerprintLockedOut)
      let armed = try await arm(bench, vault)
      armed.reader.setFarewell(nil)
      await leave(how, vault, armed)
      armed.reader.tell(.ready)
      // The vault serves other callers while it waits, with the charge on the disk.
      #expect(try await tries(vault) == Int64(number))
      armed.reader.tell(.waiting)
      armed.reader.tell(.failed(.noMatch))
      _ = await armed.outcome.value
      #expect(armed.reader.isCancelled)
      #expect(try await tries(vault) == Int64(number))
      let record = try await vault.auditPage(after: 0, since: nil, account: nil).last
      #expect(record?.event == "presence-check" && record?.detail?.hasSuffix("no_match") == true)
      await vault.disconnect(1)
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
    #expect(try await bench.glance(vault).methods == [.password])
  }

  @Test
  func aMatchThatIsOnItsWayWhenTheCallerLeavesIsNoSuccess() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let missed = try await arm(bench, vault)
    missed.reader.tell(.failed(.noMatch))
    _ = await missed.outcome.value
    await vault.disconnect(1)
    let armed = try await arm(bench, vault)
    armed.reader.setFarewell(.matched)
    await vault.cancel(armed.prompt, caller: caller())
    #expect(await armed.outcome.value == .presenceFailed(.cancelled, methods: []))
    #expect(try await tries(vault) == 1)
  }

  @Test
  func aHelperThatIsKilledWhenTheReaderIsArmedCostsATry() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for number in 1...5 {
      let armed = try await arm(bench, vault)
      armed.reader.tell(.ready)
      armed.reader.tell(.lost("killed"))
      guard
        case .presenceFailed(.notAvailable("killed"), methods: [.password])? =
          await armed.outcome.value
      else {
        Issue.record("not told as a reader that is not available")
        return
      }
      #expect(try await tries(vault) == Int64(number))
      await vault.disconnect(1)
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
  }

  @Test(arguments: Leaving.allCases)
  func aHelperThatIsKilledAfterTheCallerHasLeftCostsATry(_ how: Leaving) async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let armed = try await arm(bench, vault)
    armed.reader.setFarewell(.lost("killed"))
    armed.reader.tell(.ready)
    await vault.barrier()
    await leave(how, vault, armed)
    guard case .presenceFailed(.cancelled, _)? = await armed.outcome.value else {
      Issue.record("not told as cancelled")
      return
    }
    #expect(try await tries(vault) == 1)
  }

  @Test
  func aHelperThatEndsBeforeTheReaderIsArmedCostsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for leaves in [false, true] {
      let armed = try await arm(bench, vault)
      armed.reader.setFarewell(nil)
      armed.reader.tell(.waiting)
      if leaves { await vault.cancel(armed.prompt, caller: caller()) }
      armed.reader.tell(.lost("crashed"))
      _ = await armed.outcome.value
      #expect(try await tries(vault) == 0)
      await vault.disconnect(1)
    }
  }

  @Test
  func whatTheHelperItselfReportsOfAnArmedReaderCostsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for outcome in [
      PresenceFailure.notAvailable("unplugged"), .busy("in use"), .timedOut, .cancelled,
      .notEnrolled,
    ] {
      let armed = try await arm(bench, vault)
      armed.reader.tell(.ready)
      armed.reader.tell(.failed(outcome))
      _ = await armed.outcome.value
      #expect(try await tries(vault) == 0)
      await vault.disconnect(1)
    }
  }

  @Test
  func aHelperThatIsKilledOnceAPasswordWasGivenCostsTime() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let waiting = try await asked(bench, vault)
    waiting.stack.setFarewell(.lost("crashed"))
    await vault.cancel(waiting.prompt, caller: caller())
    #expect(try await passwords(vault) == nil)
    for number in 1...2 as ClosedRange<Int64> {
      let (prompt, stack) = try await asked(bench, vault)
      stack.tell(.lost("killed"))
      guard
        case .presenceFailed(.notAvailable("killed"), _)? = await failure({
          _ = try await vault.respond(prompt, text: shared("p"), caller: caller())
        })
      else {
        Issue.record("not told as a stack that is not available")
        return
      }
      #expect(try await passwords(vault) == number)
      await vault.disconnect(1)
      bench.clock.advance(10)
    }
    // The state after a kill of the engine as well.
    let next = try bench.snapshot()
    #expect(try await passwords(try await next.open()) == 2)
  }
}
