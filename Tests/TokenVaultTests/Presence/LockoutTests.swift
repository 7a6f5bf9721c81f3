import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Fingers that do not match, and readers that do not work.
@Suite(.timeLimit(.minutes(10)))
struct LockoutTests {
  private func expired(_ bench: Bench) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    return vault
  }

  /// Tries a finger on a connection, and returns the failure.
  private func finger(
    _ bench: Bench,
    _ vault: Vault,
    _ event: CheckEvent,
    connection: UInt64 = 1
  ) async throws -> VaultFailure? {
    let need = try await need { _ = try await vault.token(caller: caller(connection)) }
    bench.check.plan([event])
    return await failure {
      _ = try await vault.check(
        need.prompt,
        by: .fingerprint,
        caller: caller(connection)
      ) { _ in }
    }
  }

  @Test
  func fiveFingersOnAnyConnectionsLeaveOnlyThePassword() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for connection in UInt64(1)...5 {
      let failure = try await finger(bench, vault, .failed(.noMatch), connection: connection)
      let left: [PresenceMethod] = connection < 5 ? [.fingerprint, .password] : [.password]
      #expect(failure == .presenceFailed(.noMatch, methods: left))
      await vault.disconnect(connection)
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
    let need = try await need { _ = try await vault.token() }
    #expect(need.methods == [.password])
    let begun = bench.check.conversations.count
    #expect(
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      } == .presenceFailed(.lockedOut, methods: [.password])
    )
    #expect(bench.check.conversations.count == begun)
    try await bench.pass(need, vault, caller())
    #expect(try await !vault.facts().isFingerprintLockedOut)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-2")
  }

  @Test
  func aPromptOpenedBeforeTheLockoutTakesNoFingerAfterIt() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let early = try await need { _ = try await vault.token(caller: caller(9)) }
    #expect(early.methods == [.fingerprint, .password])
    for _ in 0..<5 { _ = try await finger(bench, vault, .failed(.noMatch)) }
    let begun = bench.check.conversations.count
    #expect(
      await failure {
        _ = try await vault.check(early.prompt, by: .fingerprint, caller: caller(9)) { _ in }
      } == .presenceFailed(.lockedOut, methods: [.password])
    )
    #expect(bench.check.conversations.count == begun)
  }

  @Test
  func theCountSurvivesTheEngine() async throws {
    let bench = try Bench()
    var vault: Vault? = try await expired(bench)
    for count in 1...5 {
      if let vault { _ = try await finger(bench, vault, .failed(.noMatch)) }
      vault = nil
      vault = try await bench.open()
      #expect(try await vault?.facts().isFingerprintLockedOut == (count == 5))
    }
  }

  @Test
  func theCountIsOnTheDiskBeforeTheResultIsTold() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    _ = try await finger(bench, vault, .failed(.noMatch))
    // The state that a kill at this moment leaves.
    let failures = try await bench.snapshot().withStore { store in
      try store.lockout(owner: ThisProcess.user)?.failures
    }
    #expect(failures == 1)
  }

  @Test
  func aBadScanIsNoFailure() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let check = Task {
      try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    let reader = await bench.check.conversation(begun + 1)
    for _ in 0..<20 { reader.tell(.retry(.centerFinger)) }
    reader.tell(.matched)
    #expect(try await check.value == .passed)
    #expect(try await vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures } == 0)
  }

  @Test
  func givingUpAfterTheFingerWasSeenDoesNotSaveTheTry() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for number in 1...5 {
      let begun = bench.check.conversations.count
      let need = try await need { _ = try await vault.token() }
      let check = Task {
        await failure {
          _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
        }
      }
      let reader = await bench.check.conversation(begun + 1)
      await vault.barrier()
      // The reader has seen the finger when the prompt is cancelled.
      await vault.cancel(need.prompt, caller: caller(), after: { reader.tell(.failed(.noMatch)) })
      _ = await check.value
      let failures = try await vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures }
      #expect(failures == Int64(number))
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
  }

  @Test
  func aPasswordThatIsWrongLocksNothing() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for seconds in [2, 4, 8, 10, 10, 10] as [Int64] {
      let need = try await need { _ = try await vault.token() }
      bench.check.plan([.failed(.noMatch)])
      let wrong = Task {
        await failure {
          _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
        }
      }
      await bench.clock.untilAsleep(milliseconds: seconds * 1000)
      bench.clock.advance(seconds)
      #expect(await wrong.value == .presenceFailed(.noMatch, methods: [.fingerprint, .password]))
      await vault.disconnect(1)
    }
  }

  @Test(
    arguments: [
      PresenceFailure.notAvailable("held by fprintd"), .notAvailable("unplugged"),
      .busy("in use"), .notEnrolled,
    ]
  )
  func aBrokenReaderLeadsToThePassword(_ outcome: PresenceFailure) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.check.breakReader(outcome)
    let need = try await need { _ = try await vault.token() }
    #expect(
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      } == .presenceFailed(outcome, methods: [.password])
    )
    // Nothing was released, and protection stays on.
    guard
      case .presenceFailed? = await failure({
        _ = try await vault.token(prompt: need.prompt)
      })
    else {
      Issue.record("released")
      return
    }
    #expect(try await vault.row().protection == 1)
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-2")
  }

  @Test
  func withoutPrintsThePasswordIsLeft() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token() }
    #expect(
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      } == .presenceFailed(.notEnrolled, methods: [.password])
    )
    try await bench.pass(need, vault, caller())
  }

  @Test
  func printsThatWereEditedLeadToThePassword() async throws {
    let bench = try Bench()
    var vault: Vault? = try await expired(bench)
    #expect(vault != nil)
    vault = nil
    let edits: [(inout PrintRow) -> Void] = [
      { $0.sealed[$0.sealed.count - 1] ^= 1 }, { $0.driver = "other" }, { $0.device = "other" },
      { $0.finger = "left-thumb" }, { $0.id[0] ^= 1 }, { $0.sealed = [1] },
    ]
    for edit in edits {
      let original = try await bench.forge { store in
        let row = try #require(try store.prints(owner: ThisProcess.user).first)
        var changed = row
        edit(&changed)
        let edited = changed
        try store.transaction {
          try store.deletePrint(id: row.id)
          try store.insert(edited)
        }
        return row
      }
      let begun = bench.check.conversations.count
      do {
        let next = try await bench.open()
        let need = try await need { _ = try await next.token() }
        #expect(need.methods == [.password])
        #expect(need.reason?.hasSuffix("does not open") == true)
        guard
          case .presenceFailed(let found, methods: [.password])? = await failure({
            _ = try await next.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
          }),
          found.outcome == .notAvailable
        else {
          Issue.record("an edited print was loaded")
          return
        }
        #expect(bench.check.conversations.count == begun)
        try await bench.pass(need, next, caller())
      }
      try await bench.forge { store in
        let edited = try #require(try store.prints(owner: ThisProcess.user).first)
        try store.transaction {
          try store.deletePrint(id: edited.id)
          try store.insert(original)
        }
      }
    }
  }
}

extension Vault {
  /// Cancels a prompt just after an event, in one step of the actor.
  fileprivate func cancel(
    _ prompt: String,
    caller: Caller,
    after event: @Sendable () -> Void
  ) {
    event()
    cancel(prompt, caller: caller)
  }
}
