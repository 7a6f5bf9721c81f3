import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Random tries, compared with a model that counts independently.
@Suite(.timeLimit(.minutes(10)))
struct RandomTriesTests {
  /// The possible outcomes of a try.
  private enum Step: CaseIterable {
    case miss
    case cancel
    case missWithCancel
    case hangUp
    case timeOut
    case brokenReader
    case badScansThenMatch
    case kill
    case restart
    case password
    case wrongPassword
    case desktopChange
  }

  /// A vault, and the model's expectations.
  private struct Story {
    var bench: Bench
    var vault: Vault
    var failures = 0
    var isChanged = false
    var desktopNumber: UInt8 = 0

    var canTouch: Bool { failures < 5 && !isChanged }

    private func begin(
      _ prompt: String,
      by method: PresenceMethod
    ) -> Task<VaultFailure?, Never> {
      let vault = vault
      return Task {
        await failure { _ = try await vault.check(prompt, by: method, caller: caller()) { _ in } }
      }
    }

    private func showDesktop(on bench: Bench) {
      if desktopNumber > 0 { bench.check.setDesktop(desktop([("left-thumb", desktopNumber)])) }
    }

    mutating func take(_ step: Step, _ need: PresenceNeed) async throws {
      switch step {
      case .restart:
        bench = try bench.snapshot()
        vault = try await bench.open()
        showDesktop(on: bench)
      case .desktopChange:
        desktopNumber += 1
        showDesktop(on: bench)
        isChanged = true
      case .password:
        try await bench.pass(need, vault, caller())
        failures = 0
        isChanged = false
      case .wrongPassword: try await giveWrongPassword(need)
      case .brokenReader:
        bench.check.breakReader(.busy("in use"))
        _ = await begin(need.prompt, by: .fingerprint).value
        bench.check.breakReader(nil)
      default: try await touch(step, need)
      }
    }

    private func giveWrongPassword(_ need: PresenceNeed) async throws {
      bench.check.plan([.failed(.noMatch)])
      let wrong = begin(need.prompt, by: .password)
      let before = try await vault.inspect {
        try $0.passwordWait(owner: ThisProcess.user)?.failures ?? 0
      }
      let seconds = [2, 4, 8, 10][min(3, Int(before))]
      await bench.clock.untilAsleep(milliseconds: Int64(seconds) * 1000)
      bench.clock.advance(Int64(seconds))
      _ = await wrong.value
    }

    /// The steps that need a finger.
    private mutating func touch(_ step: Step, _ need: PresenceNeed) async throws {
      let begun = bench.check.conversations.count
      let check = begin(need.prompt, by: .fingerprint)
      guard canTouch else {
        guard case .presenceFailed(_, methods: [.password])? = await check.value else {
          Issue.record("a finger was asked")
          return
        }
        #expect(bench.check.conversations.count == begun)
        return
      }
      let reader = await bench.check.conversation(begun + 1)
      await vault.barrier()
      switch step {
      case .miss:
        reader.tell(.failed(.noMatch))
        failures += 1
      case .missWithCancel:
        await vault.giveUp(need.prompt) { reader.tell(.failed(.noMatch)) }
        failures += 1
      case .cancel: await vault.cancel(need.prompt, caller: caller())
      case .hangUp: await vault.disconnect(1)
      case .timeOut: reader.tell(.failed(.timedOut))
      case .kill:
        let killed = try bench.snapshot()
        showDesktop(on: killed)
        reader.tell(.failed(.cancelled))
        _ = await check.value
        bench = killed
        vault = try await bench.open()
        failures += 1
      default:
        reader.tell(.retry(.general))
        reader.tell(.matched)
        failures = 0
      }
      _ = await check.value
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func theCountIsThatOfTheModel(_ seed: UInt64) async throws {
    var random = SeededNumbers(state: seed)
    let bench = try Bench()
    var story = Story(bench: bench, vault: try await bench.expired())
    for number in 0..<60 {
      let step = Step.allCases.randomElement(using: &random) ?? .miss
      let need = try await need { [vault = story.vault] in _ = try await vault.token() }
      let canTouch = story.canTouch
      #expect(need.methods == (canTouch ? [.fingerprint, .password] : [.password]), "\(number)")
      #expect((need.reason == nil) == canTouch)
      try await story.take(step, need)
      let vault = story.vault
      await vault.disconnect(1)
      let stored = try await vault.inspect {
        try $0.lockout(owner: ThisProcess.user)?.failures ?? 0
      }
      #expect(Int(stored) == story.failures, "\(number): \(step)")
      #expect(try await vault.facts().isFingerprintLockedOut == (story.failures >= 5))
    }
  }
}

/// Numbers that are the same in each run (xorshift64).
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 0x9e37_79b9_7f4a_7c15 | 1
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

extension Vault {
  /// Cancels a prompt just after an event.
  fileprivate func giveUp(_ prompt: String, after event: @Sendable () -> Void) {
    event()
    cancel(prompt, caller: caller())
  }
}
