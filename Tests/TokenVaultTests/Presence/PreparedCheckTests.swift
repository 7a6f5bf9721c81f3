import Presence
import PresenceTerms
import Synchronization
import System
import Testing

@testable import TokenVault

/// One helper for a prompt and its check.
@Suite(.timeLimit(.minutes(10)))
struct PreparedCheckTests {
  private func touch(
    _ need: PresenceNeed,
    _ bench: Bench,
    _ vault: Vault,
    _ events: [CheckEvent],
    _ connection: UInt64 = 1
  ) async -> VaultFailure? {
    bench.check.plan(events)
    return await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller(connection)) { _ in }
    }
  }

  @Test
  func theHelperThatLookedForTheDesktopsFingersMakesTheCheck() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.allowPreparing()
    let asked = bench.check.desktopQuestions
    let need = try await need { _ = try await vault.token() }
    #expect(bench.check.prepared.count == 1)
    #expect(await touch(need, bench, vault, [.ready, .matched]) == nil)
    #expect(bench.check.prepared.count == 1)
    #expect(bench.check.prepared[0].isUsed && !bench.check.prepared[0].hasEnded)
    // The desktop is asked once, for the prompt. The helper itself looks again.
    #expect(bench.check.desktopQuestions == asked + 1)
  }

  @Test
  func aVaultHasOneAtATime() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.allowPreparing()
    let first = try await need { _ = try await vault.token(caller: caller(1)) }
    let second = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller(2))
    }
    #expect(bench.check.prepared.count == 1)
    #expect(await touch(second, bench, vault, [.ready, .matched], 2) == nil)
    #expect(!bench.check.prepared[0].isUsed)
    #expect(await touch(first, bench, vault, [.ready, .matched], 1) == nil)
    #expect(bench.check.prepared[0].isUsed)
  }

  @Test
  func itEndsWithItsPrompt() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.allowPreparing()
    func prepared() async throws -> (PresenceNeed, Prepared) {
      let need = try await need { _ = try await vault.token() }
      return (need, try #require(bench.check.prepared.last))
    }
    let (cancelled, first) = try await prepared()
    await vault.cancel(cancelled.prompt, caller: caller())
    #expect(first.hasEnded)

    let (_, second) = try await prepared()
    await vault.disconnect(1)
    #expect(second.hasEnded)

    let (byPassword, third) = try await prepared()
    try await bench.pass(byPassword, vault, caller())
    #expect(third.hasEnded && !third.isUsed)
    await vault.disconnect(1)
    #expect(bench.check.prepared.count == 3)
  }

  @Test
  func noneIsStartedWhereNoFingerCanPass() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.allowPreparing()
    _ = try await need {
      _ = try await vault.enroll("left-thumb", prompt: nil, caller: caller()) { _ in }
    }
    #expect(bench.check.prepared.isEmpty)
    // A helper that finds no usable finger is not kept.
    bench.check.setDesktop(desktop(names: "left-thumb"))
    #expect(try await need { _ = try await vault.token(caller: caller(2)) }.methods == [.password])
    #expect(bench.check.prepared.map(\.hasEnded) == [true])
  }
}

/// The finger that is asked for, and how.
@Suite(.timeLimit(.minutes(10)))
struct AskedFingerTests {
  private let reader = SeenReader(name: "R", driver: "d", scan: .press)

  /// Runs a check with its own prompt, and returns the first finger and the notices.
  private func touch(
    _ bench: Bench,
    _ vault: Vault,
    _ events: [CheckEvent]
  ) async throws -> (first: String?, notices: [CheckNotice]) {
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    let notices = Mutex<[CheckNotice]>([])
    bench.check.plan(events)
    _ = await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { notice in
        notices.withLock { $0.append(notice) }
      }
    }
    await vault.disconnect(1)
    return (bench.check.conversations.last?.first, notices.withLock { $0 })
  }

  @Test
  func aReaderThatTakesOnePrintAsksForTheNextFingerAfterAMiss() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    try await bench.enroll(vault, "left-thumb")
    func miss(_ only: String?) -> [CheckEvent] {
      let said = PresenceFailure(.noMatch, detail: "a helper says more")
      return [.reader(reader, only: only), .ready, .failed(said)]
    }
    let first = try await touch(bench, vault, miss("right-index"))
    #expect(first.first == nil)
    #expect(first.notices.contains(.touch(finger: "right-index", .press)))
    #expect(try await touch(bench, vault, miss("left-thumb")).first == "left-thumb")
    #expect(try await touch(bench, vault, miss("right-index")).first == "right-index")
    // The finger that matched is asked for again.
    let matched: [CheckEvent] = [.reader(reader, only: "left-thumb"), .ready, .matched]
    #expect(try await touch(bench, vault, matched).first == "left-thumb")
    #expect(try await touch(bench, vault, matched).first == "left-thumb")
    // A reader that can distinguish fingers asks for no particular one.
    #expect(try await touch(bench, vault, miss(nil)).first == "left-thumb")
    #expect(try await touch(bench, vault, miss(nil)).first == nil)
    #expect(try await !vault.facts().isFingerprintLockedOut)
  }

  @Test
  func theNextPromptSaysHowTheReaderWantsToBeTouched() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    #expect(try await bench.glance(vault).scan == nil)
    let swipe = SeenReader(name: "S\u{1b}[2J", driver: "s", scan: .swipe)
    let events: [CheckEvent] = [.reader(swipe, only: nil), .ready, .matched]
    #expect(try await touch(bench, vault, events).notices.contains(.touch(finger: nil, .swipe)))
    #expect(try await bench.glance(vault).scan == .swipe)
    // A notice that the prompt already shows is not repeated.
    #expect(try await touch(bench, vault, events).notices.isEmpty)

    bench.check.setReader(
      ReaderFacts(available: false, name: nil, driver: nil, reason: "r", knowledge: .notLooked)
    )
    let facts = await vault.reader()
    #expect(facts.available && facts.name == "S?[2J" && facts.knowledge == .lastUsed)
  }

  @Test
  func aReaderThatLostThePrintsCostsNoTry() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let lost = "the reader no longer has your finger: enroll it again"
    for _ in 0..<6 {
      bench.clock.advance(600)
      let events: [CheckEvent] = [.reader(reader, only: nil), .ready, .failed(.denied(lost))]
      _ = try await touch(bench, vault, events)
    }
    #expect(try await !vault.facts().isFingerprintLockedOut)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func theListAsksNoProgramOfTheDesktopThatSleeps() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDesktop(desktop(names: "left-thumb"))
    try await bench.confirm(vault)
    let asked = bench.check.desktopQuestions
    bench.check.sleepDesktop(true)
    let facts = try await vault.fingers(of: caller())
    #expect(facts.desktop == ["left-thumb"] && facts.source == .names && facts.reason == nil)
    #expect(bench.check.desktopQuestions == asked)
  }
}
