import Presence
import PresenceTerms
import System
import Testing

@testable import TokenVault

/// The unlock window ends with the login session of the person who opened it.
@Suite(.timeLimit(.minutes(10)))
struct SessionEventsTests {
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
    // The guard does not look while nothing is open.
    #expect(windowGuard.begun == 0)
    try await bench.protect(vault)
    // For the prompt, its check, and the window.
    #expect(windowGuard.begun == 3)
    try await bench.unlock(vault)
    #expect(windowGuard.begun == 6)
    let onlooker = Onlooker(vault)
    await onlooker.untilTold(1)
    await windowGuard.happen("the screen was locked")
    #expect(try await vault.facts().unlockedFor == nil)
    await onlooker.untilTold(2)
    #expect(onlooker.story == ["ready, unlocked", "ready"])
    let record = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(record.event == "lock" && record.outcome == "done")
    #expect(record.detail == "the screen was locked" && record.requester == "thumblatchd")
    // A token needs a check again.
    bench.clock.advance(3600)
    _ = try await need { _ = try await vault.token() }
    await onlooker.end()
  }

  /// A guard that continues to watch delays the computer's suspend unnecessarily.
  @Test
  func itRestsAsSoonAsTheVaultIsLocked() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.unlock(vault)
    await vault.barrier()
    let rested = windowGuard.rested
    _ = try await vault.lock(caller: caller())
    while windowGuard.rested == rested { await Task.yield() }
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
    let need = try await need {
      _ = try await vault.unlock([], seconds: nil, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    windowGuard.willHappen("the screen was locked")
    let failure = await failure {
      _ = try await vault.unlock([], seconds: nil, prompt: need.prompt, caller: caller())
    }
    #expect(failure == .presenceFailed(.cancelled, methods: []))
    #expect(try await vault.facts().unlockedFor == nil)
    try await bench.unlock(vault)
    #expect(try await vault.facts().unlockedFor != nil)
    #expect(windowGuard.begun == 6)
  }

  /// A touch by a person at the locked screen releases nothing.
  @Test
  func whatHappensOutsideEndsTheArmedPromptThoseThatWaitAndAPassedOne() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    let passed = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller(3))
    }
    try await bench.pass(passed, vault, caller(3))
    let begun = bench.check.conversations.count
    let armed = try await need { _ = try await vault.token(caller: caller(1)) }
    let queued = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller(2))
    }
    let first = Task {
      await failure {
        _ = try await vault.check(armed.prompt, by: .fingerprint, caller: caller(1)) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    let notice = Box<CheckNotice>()
    let second = Task {
      await failure {
        _ = try await vault.check(
          queued.prompt,
          by: .fingerprint,
          mayWait: true,
          caller: caller(2)
        ) { notice.put($0) }
      }
    }
    while notice.value == nil { await Task.yield() }
    await windowGuard.happen("the screen was locked")
    #expect(reader.isCancelled)
    #expect(await first.value == .presenceFailed(.cancelled, methods: []))
    #expect(await second.value == .presenceFailed(.cancelled, methods: []))
    #expect(bench.check.conversations.count == begun + 1)
    // None of these prompts can be used, or armed again.
    bench.check.plan([.ready, .matched])
    for (prompt, number) in [(armed.prompt, UInt64(1)), (queued.prompt, 2), (passed.prompt, 3)] {
      let again = await failure {
        _ = try await vault.check(prompt, by: .fingerprint, caller: caller(number)) { _ in }
      }
      #expect(again == .presenceFailed(.cancelled, methods: []))
    }
    let spent = await failure {
      _ = try await vault.testPresence(prompt: passed.prompt, caller: caller(3))
    }
    #expect(spent == .presenceFailed(.cancelled, methods: []))
    #expect(bench.check.conversations.count == begun + 1)
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func theComputerSleepsOnlyWhenTheReaderIsReleased() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.protect(vault)
    try await bench.enroll(vault)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    reader.setFarewell(nil)
    let slept = Box<Bool>()
    let sleep = Task {
      await windowGuard.happen("the computer sleeps")
      slept.put(true)
    }
    while !reader.isCancelled { await Task.yield() }
    for _ in 0..<10 { await vault.barrier() }
    #expect(slept.value == nil)
    reader.tell(.failed(.cancelled))
    #expect(await check.value == .presenceFailed(.cancelled, methods: []))
    await sleep.value
  }

  @Test
  func theComputerSleepsOnlyWhenAnEnrollmentHasReleasedTheReader() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    let need = try await need {
      _ = try await vault.enroll("right-index", prompt: nil, caller: caller()) { _ in }
    }
    try await bench.pass(need, vault, caller())
    let enrolling = Task {
      await failure {
        _ = try await vault.enroll("right-index", prompt: need.prompt, caller: caller()) { _ in }
      }
    }
    while bench.check.enrollments.isEmpty { await Task.yield() }
    let reader = bench.check.enrollments[0]
    reader.saysNothing()
    let slept = Box<Bool>()
    let sleep = Task {
      await windowGuard.happen("the computer sleeps")
      slept.put(true)
    }
    while !reader.isCancelled { await Task.yield() }
    // A touch that was on its way does not end it.
    reader.tell(.stage(1, of: 5))
    for _ in 0..<10 { await vault.barrier() }
    #expect(slept.value == nil)
    reader.tell(.failed(.cancelled))
    #expect(await enrolling.value == .presenceFailed(.cancelled, methods: []))
    await sleep.value
  }

  /// A prompt may be on the screen before its check begins.
  @Test
  func whatHappensBetweenThePromptAndItsCheckEndsThePrompt() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.enroll(vault)
    let (begun, seen) = (windowGuard.begun, bench.check.conversations.count)
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    #expect(windowGuard.begun == begun + 1)
    await windowGuard.happen("the screen was locked")
    // It is over, whether or not the screen is still locked at its check.
    let failure = await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    #expect(failure == .presenceFailed(.cancelled, methods: []))
    #expect(bench.check.conversations.count == seen)
  }

  /// A screen that is locked already says so in the words of the desktop, or at the check.
  @Test
  func anEndBeforeAPromptIsOpenedLeavesItButTheNextOneDoesNot() async throws {
    let (_, vault, windowGuard) = try await guarded()
    windowGuard.willHappen("the screen was locked")
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    // The first watch ended with the event.
    #expect(windowGuard.begun == 2)
    await windowGuard.happen("the computer sleeps")
    let failure = await failure {
      _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    }
    #expect(failure == .presenceFailed(.cancelled, methods: []))
  }

  @Test
  func noReaderIsArmedWhileTheScreenIsLocked() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.protect(vault)
    try await bench.enroll(vault)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    windowGuard.willHappen("the screen was locked")
    let failure = await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    #expect(failure == .presenceFailed(.cancelled, methods: []))
    #expect(bench.check.conversations.count == begun)
  }

  @Test
  func aFingerThatIsBeingEnrolledIsGivenUp() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    let need = try await need {
      _ = try await vault.enroll("right-index", prompt: nil, caller: caller()) { _ in }
    }
    try await bench.pass(need, vault, caller())
    let enrolling = Task {
      await failure {
        _ = try await vault.enroll("right-index", prompt: need.prompt, caller: caller()) { _ in }
      }
    }
    while bench.check.enrollments.isEmpty { await Task.yield() }
    await windowGuard.happen("the screen was locked")
    guard case .presenceFailed(.cancelled, _) = await enrolling.value else {
      Issue.record("the enrollment went on")
      return
    }
    #expect(bench.check.enrollments[0].isCancelled)
    #expect(try await vault.facts().fingers.isEmpty)
  }

  @Test
  func theGuardRestsWhenNoPromptIsOpen() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    try await bench.pass(need, vault, caller())
    await vault.endGuard()
    #expect(windowGuard.rested == 0)
    _ = try await vault.testPresence(prompt: need.prompt, caller: caller())
    while windowGuard.rested == 0 { await Task.yield() }
  }

  @Test
  func theGuardRestsWhenTheWindowIsClosed() async throws {
    let (bench, vault, windowGuard) = try await guarded()
    try await bench.unlock(vault, seconds: 60)
    await vault.endGuard()
    await vault.barrier()
    #expect(windowGuard.rested == 0)
    bench.clock.advance(60)
    await vault.endGuard()
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
