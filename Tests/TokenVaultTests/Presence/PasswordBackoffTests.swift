import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Wrong passwords cost time.
///
/// The charge is on the disk before the result is reported, and the wait is shown while it passes.
@Suite(.timeLimit(.minutes(10)))
struct PasswordBackoffTests {
  /// Begins a check by password that asks for the password.
  private func asked(
    _ bench: Bench,
    _ vault: Vault,
    _ connection: UInt64 = 1
  ) async throws -> (prompt: String, stack: Conversation) {
    let need = try await need { _ = try await vault.token(caller: caller(connection)) }
    bench.check.plan([.ask(text: "Password: ", hidden: true)])
    let step = try await vault.check(need.prompt, by: .password, caller: caller(connection)) { _ in
    }
    #expect(step == .ask(text: "Password: ", hidden: true))
    return (need.prompt, try #require(bench.check.conversations.last))
  }

  /// Begins a check by password that must wait, and leaves it waiting.
  private func waits(
    _ bench: Bench,
    _ vault: Vault,
    milliseconds: Int64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let told = Box<CheckNotice>()
    let need = try await need { _ = try await vault.token(caller: caller(9)) }
    let begun = bench.check.conversations.count
    bench.check.plan([.ask(text: "Password: ", hidden: true)])
    let check = Task {
      try await vault.check(need.prompt, by: .password, caller: caller(9)) { told.put($0) }
    }
    await bench.clock.untilAsleep(milliseconds: milliseconds)
    #expect(bench.check.conversations.count == begun, sourceLocation: sourceLocation)
    #expect(
      told.value == .wait(seconds: (milliseconds + 999) / 1000),
      sourceLocation: sourceLocation
    )
    bench.clock.advance(0, milliseconds: milliseconds)
    _ = try await check.value
    await vault.disconnect(9)
    await vault.barrier()
  }

  private func failures(_ vault: Vault) async throws -> Int64? {
    try await vault.inspect { try $0.passwordWait(owner: ThisProcess.user)?.failures }
  }

  @Test
  func theWaitDoublesToTenSecondsAndTheRightPasswordEndsIt() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for round in 0..<2 {
      for seconds in [2, 4, 8, 10, 10] as [Int64] {
        let (prompt, stack) = try await asked(bench, vault)
        let told = Box<CheckNotice>()
        let answer = Task {
          await failure {
            _ = try await vault.respond(prompt, text: shared("no"), caller: caller()) {
              told.put($0)
            }
          }
        }
        stack.tell(.failed(.noMatch))
        await bench.clock.untilAsleep(milliseconds: seconds * 1000)
        #expect(told.value == .wait(seconds: seconds))
        bench.clock.advance(seconds)
        #expect(
          await answer.value == .presenceFailed(.noMatch, methods: [.fingerprint, .password])
        )
        await vault.disconnect(1)
      }
      #expect(try await failures(vault) == 5, "\(round)")
      try await bench.confirm(vault)
      #expect(try await failures(vault) == nil)
    }
  }

  @Test
  func aWrongPasswordOfWhichAModuleSaysMoreCostsTheSame() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let wrong = PresenceFailure(.noMatch, detail: "The account is locked")
    let (prompt, stack) = try await asked(bench, vault)
    let answer = Task {
      await failure { _ = try await vault.respond(prompt, text: shared("no"), caller: caller()) }
    }
    stack.tell(.failed(wrong))
    await bench.clock.untilAsleep(milliseconds: 2000)
    bench.clock.advance(2)
    #expect(await answer.value == .presenceFailed(wrong, methods: [.fingerprint, .password]))
    #expect(try await failures(vault) == 1)
    // A module's words are no part of the audit log.
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(records.last { $0.method == "password" }?.detail?.contains("locked") == false)
  }

  @Test
  func anEngineThatIsKilledWaitsOn() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for number in 0..<2 {
      let (prompt, stack) = try await asked(bench, vault)
      let answer = Task {
        await failure { _ = try await vault.respond(prompt, text: shared("no"), caller: caller()) }
      }
      stack.tell(.failed(.noMatch))
      await bench.clock.untilAsleep(milliseconds: number == 0 ? 2000 : 4000)
      if number == 0 {
        bench.clock.advance(2)
        _ = await answer.value
        await vault.disconnect(1)
      }
    }
    // Killed one second into the four.
    bench.clock.advance(1)
    let next = try bench.snapshot()
    try await waits(next, try await next.open(), milliseconds: 3000)
    // The wall clock does not help.
    let moved = try bench.snapshot()
    moved.clock.setWall(by: 100_000)
    try await waits(moved, try await moved.open(), milliseconds: 3000)
    // Nor does a reboot: the whole wait counts from its start.
    let wall = bench.clock.wall.seconds
    let rebooted = try bench.snapshot(clock: ManualClock(boot: 2, wall: wall, secondsSinceBoot: 0))
    rebooted.clock.advance(0, milliseconds: 500)
    try await waits(rebooted, try await rebooted.open(), milliseconds: 3500)
    let later = try bench.snapshot(clock: ManualClock(boot: 2, wall: wall, secondsSinceBoot: 60))
    _ = try await asked(later, try await later.open())
  }

  @Test
  func aPasswordIsChargedBeforeTheSystemIsAsked() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let (prompt, stack) = try await asked(bench, vault)
    #expect(try await failures(vault) == nil)
    let answer = Task { try await vault.respond(prompt, text: shared("p"), caller: caller()) }
    while stack.given.isEmpty { await Task.yield() }
    // The state that a kill at this moment leaves.
    let killed = try bench.snapshot()
    try await waits(killed, try await killed.open(), milliseconds: 2000)
    stack.tell(.matched)
    #expect(try await answer.value == .passed)
    #expect(try await failures(vault) == nil)
  }

  @Test
  func whoHangsUpBeforeTheAnswerHasTriedAllTheSame() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let (prompt, stack) = try await asked(bench, vault)
    let answer = Task {
      await failure { _ = try await vault.respond(prompt, text: shared("p"), caller: caller()) }
    }
    while stack.given.isEmpty { await Task.yield() }
    await vault.disconnect(1)
    _ = await answer.value
    #expect(try await failures(vault) == 1)
    try await waits(bench, vault, milliseconds: 2000)
    // A hang-up before any answer is not a try.
    #expect(try await failures(vault) == 1)
  }

  @Test
  func eachQuestionOfAStackHasItsOwnTime() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let (prompt, stack) = try await asked(bench, vault)
    for _ in 0..<3 {
      bench.clock.advance(PromptBook.lifetime)
      stack.tell(.ask(text: "Code: ", hidden: false))
      let step = try await vault.respond(prompt, text: shared("p"), caller: caller())
      #expect(step == .ask(text: "Code: ", hidden: false))
    }
    bench.clock.advance(PromptBook.lifetime + 1)
    stack.tell(.matched)
    let late = await failure {
      _ = try await vault.respond(prompt, text: shared("p"), caller: caller())
    }
    #expect(late == .presenceFailed(.timedOut, methods: [.fingerprint, .password]))
  }

  @Test
  func aStackThatFailsCostsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    for outcome in [PresenceFailure.notAvailable("no stack"), .denied("expired")] {
      let (prompt, stack) = try await asked(bench, vault)
      stack.tell(.failed(outcome))
      guard
        case .presenceFailed? = await failure({
          _ = try await vault.respond(prompt, text: shared("p"), caller: caller())
        })
      else {
        Issue.record("passed")
        return
      }
      #expect(try await failures(vault) == nil)
      await vault.disconnect(1)
    }
  }

  @Test
  func aFingerDoesNotEndTheWait() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let (prompt, stack) = try await asked(bench, vault)
    let answer = Task {
      await failure { _ = try await vault.respond(prompt, text: shared("p"), caller: caller()) }
    }
    stack.tell(.failed(.noMatch))
    await bench.clock.untilAsleep(milliseconds: 2000)
    let other = try await need { _ = try await vault.token(caller: caller(2)) }
    bench.check.plan([.matched])
    #expect(
      try await vault.check(other.prompt, by: .fingerprint, caller: caller(2)) { _ in } == .passed
    )
    #expect(try await failures(vault) == 1)
    bench.clock.advance(2)
    _ = await answer.value
  }

  @Test
  func anEditedRowBlocksNoUserForLongerThanTenSeconds() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    #expect(vault != nil)
    vault = nil
    for boot in [1, 2] as [UInt8] {
      try await bench.withStore { store in
        try store.transaction {
          try store.put(
            PasswordWaitRow(
              owner: ThisProcess.user,
              failures: .max,
              bootID: [UInt8](repeating: boot, count: 16),
              notBefore: .max,
              waitSeconds: .max
            )
          )
        }
      }
      try await waits(bench, try await bench.open(), milliseconds: 10_000)
    }
  }
}
