import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A finger and a security key that are armed together for one prompt.
@Suite(.timeLimit(.minutes(10)))
struct DeviceRaceTests {
  /// A prompt for which both are armed.
  private struct Race {
    let rig: KeyRig
    let need: PresenceNeed
    let notices = Notices()
    let step: Task<CheckStep, any Error>
    let finger: Conversation
    let key: Conversation
    /// How many checks were begun before.
    let begun: Int

    init(by first: PresenceMethod = .fingerprint) async throws {
      let rig = try await KeyRig()
      try await rig.enroll()
      try await rig.bench.enroll(rig.vault)
      rig.bench.clock.advance(3600)
      let vault = rig.vault
      let need = try await TokenVaultTests.need { _ = try await vault.token(caller: caller()) }
      #expect(need.methods == [.fingerprint, .key, .password])
      let before = rig.bench.check.conversations.count
      begun = before
      let notices = notices
      step = Task {
        try await vault.check(
          need.prompt,
          by: first,
          or: [.fingerprint, .key],
          caller: caller()
        ) {
          notices.add($0)
        }
      }
      finger = await rig.bench.check.conversation(before + 1)
      key = await rig.bench.check.conversation(before + 2)
      (self.rig, self.need) = (rig, need)
      #expect(finger.method == .fingerprint && key.method == .key)
      #expect(key.signing?.isRaced == true)
      finger.tell(.ready)
      key.tell(.ready)
    }

    /// The helper that reads the finger after this many misses.
    func finger(after misses: Int) async -> Conversation {
      await rig.bench.check.conversation(begun + 2 + misses)
    }

    func useToken() async throws {
      rig.bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
      let token = try await rig.vault.token(prompt: need.prompt, caller: caller())
      #expect(token.accessToken == "at-2")
    }

    /// The methods of the checks that the log holds, and how they ended.
    func checks() async throws -> [String] {
      try await rig.vault.auditPage(after: 0, since: nil, account: nil)
        .filter { $0.event == "presence-check" }
        .map { "\($0.method ?? "") \($0.outcome)" }
    }

    func failures() async throws -> Int64? {
      try await rig.vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures }
    }
  }

  @Test
  func aTouchOfTheKeyWinsAndTheReaderIsReleased() async throws {
    let race = try await Race()
    let signing = try #require(race.key.signing)
    race.key.tell(.touched(try race.rig.touched(signing)))
    #expect(try await race.step.value == .passed)
    #expect(race.finger.isCancelled && !race.key.isCancelled)
    try await race.useToken()
    #expect(try await race.checks().last == "key done")
    // The try of the finger was none.
    await race.rig.vault.readersReleased()
    #expect(try await race.failures() == 0)
  }

  @Test
  func aFingerWinsAndTheTouchOfTheKeyIsCancelled() async throws {
    let race = try await Race()
    race.finger.tell(.matched)
    #expect(try await race.step.value == .passed)
    #expect(race.key.isCancelled && !race.finger.isCancelled)
    try await race.useToken()
    #expect(try await race.checks().last == "fingerprint done")
  }

  @Test
  func aFingerThatMissedCountsAlthoughTheKeyHasWon() async throws {
    let race = try await Race()
    race.finger.setFarewell(.failed(.noMatch))
    let signing = try #require(race.key.signing)
    race.key.tell(.touched(try race.rig.touched(signing)))
    #expect(try await race.step.value == .passed)
    await race.rig.vault.readersReleased()
    #expect(try await race.failures() == 1)
  }

  /// A caller cannot have fingers read at no cost by naming the key first.
  @Test
  func aFingerThatMissesCountsWhicheverDeviceIsNamedFirst() async throws {
    let race = try await Race(by: .key)
    race.finger.tell(.failed(.noMatch))
    let again = await race.finger(after: 1)
    #expect(try await race.failures() == 2)
    race.key.tell(.failed(.notAvailable("no security key is plugged in")))
    again.tell(.ready)
    again.tell(.matched)
    #expect(try await race.step.value == .passed)
    #expect(try await race.checks().contains("fingerprint failed"))
    try await race.useToken()
  }

  @Test(arguments: ["", "a helper says more"])
  func aMissReadsTheFingerAgainAndLeavesTheKeyLit(detail: String) async throws {
    let race = try await Race()
    let miss = PresenceFailure(.noMatch, detail: detail)
    race.finger.tell(.failed(miss))
    #expect(
      await race.notices.next() == .out(.fingerprint, miss, goesOnBy: [.fingerprint, .key])
    )
    let second = await race.finger(after: 1)
    #expect(second.method == .fingerprint && !race.key.isCancelled)
    #expect(try await race.failures() == 2)
    second.tell(.ready)
    let signing = try #require(race.key.signing)
    race.key.tell(.touched(try race.rig.touched(signing)))
    #expect(try await race.step.value == .passed)
    #expect(second.isCancelled)
    #expect(try await race.checks().suffix(2) == ["fingerprint failed", "key done"])
  }

  @Test
  func aLockoutOfFingersEndsTheLightOfTheKey() async throws {
    let race = try await Race()
    var finger = race.finger
    for count in 1...FingerLockout.limit {
      finger.tell(.ready)
      finger.tell(.failed(.noMatch))
      guard count < FingerLockout.limit else { break }
      _ = await race.notices.next()
      finger = await race.finger(after: count)
    }
    let failure = await failure { _ = try await race.step.value }
    #expect(failure == .presenceFailed(.noMatch, methods: [.password]))
    #expect(race.key.isCancelled)
  }

  @Test
  func aKeyThatIsPulledOutLeavesTheReader() async throws {
    let race = try await Race()
    let gone = PresenceFailure.notAvailable("the security key was unplugged")
    race.key.tell(.failed(gone))
    #expect(await race.notices.next() == .out(.key, gone, goesOnBy: [.fingerprint]))
    #expect(!race.finger.isCancelled)
    race.finger.tell(.matched)
    #expect(try await race.step.value == .passed)
  }

  @Test
  func aReaderThatFailsLeavesTheKeyAndCostsNoTry() async throws {
    let race = try await Race()
    let gone = PresenceFailure.notAvailable("the reader was unplugged")
    race.finger.tell(.failed(gone))
    #expect(await race.notices.next() == .out(.fingerprint, gone, goesOnBy: [.key]))
    #expect(try await race.failures() == 0)
    let signing = try #require(race.key.signing)
    race.key.tell(.touched(try race.rig.touched(signing)))
    #expect(try await race.step.value == .passed)
    #expect(try await race.checks().suffix(2) == ["fingerprint failed", "key done"])
  }

  @Test
  func aReaderThatCannotBeStartedLeavesTheKey() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    try await rig.bench.enroll(rig.vault)
    rig.bench.clock.advance(3600)
    let vault = rig.vault
    let need = try await need { _ = try await vault.token(caller: caller()) }
    rig.bench.check.breakReader(.notAvailable("no reader"))
    let before = rig.bench.check.conversations.count
    async let step = vault.check(need.prompt, by: .fingerprint, or: [.key], caller: caller()) { _ in
    }
    let key = await rig.bench.check.conversation(before + 1)
    key.tell(.touched(try rig.touched(try #require(key.signing))))
    #expect(try await step == .passed)
    #expect(try await vault.inspect { try $0.lockout(owner: ThisProcess.user)?.failures } == 0)
  }

  @Test
  func theQuestionForAPINEndsTheFinger() async throws {
    let race = try await Race()
    race.key.tell(.ask(text: "PIN: ", hidden: true))
    #expect(try await race.step.value == .ask(text: "PIN: ", hidden: true))
    #expect(race.finger.isCancelled)
    let (vault, prompt) = (race.rig.vault, race.need.prompt)
    async let step = vault.respond(prompt, text: shared("8261"), caller: caller())
    let signing = try #require(race.key.signing)
    race.key.tell(.touched(try race.rig.touched(signing)))
    #expect(try await step == .passed)
    #expect(race.key.given == ["8261"])
  }

  @Test
  func aCancelledCheckReleasesBothAndCostsNothing() async throws {
    let race = try await Race()
    race.step.cancel()
    let failure = await failure { _ = try await race.step.value }
    #expect(failure == .presenceFailed(.cancelled, methods: [.password]))
    #expect(race.finger.isCancelled && race.key.isCancelled)
    #expect(try await race.failures() == 0)
  }

  @Test
  func anAnswerThatProvesNothingPutsOnlyTheKeyOut() async throws {
    let race = try await Race()
    race.key.tell(.matched)
    #expect(await race.notices.next() == .out(.key, .noMatch, goesOnBy: [.fingerprint]))
    race.finger.tell(.matched)
    #expect(try await race.step.value == .passed)
  }
}

/// The notices of a check, in order.
private final class Notices: Sendable {
  private let queue = EventQueue<CheckNotice>()

  func add(_ notice: CheckNotice) { queue.put(notice) }
  func next() async -> CheckNotice { await queue.next() }
}
