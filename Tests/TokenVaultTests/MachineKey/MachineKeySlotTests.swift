import Glibc
import MachineKey
import ScriptedTPM
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import TokenVault

/// The slots of a machine key: how they open, fail, and change.
@Suite(.timeLimit(.minutes(10)))
struct MachineKeySlotTests {
  private let tpm = ScriptedTPM()
  /// A code of no slot at first.
  private let other: RecoveryCode

  init() throws { other = try RecoveryCode.random() }

  private func made() throws -> Bench {
    let bench = try Bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    return bench
  }

  private func names(_ slots: MachineKeySlots, _ kind: MachineKeySlot.Kind) throws -> [String] {
    try slots.facts().slots.filter { $0.kind == kind }.map(\.identifier)
  }

  /// Each fault, whether it is temporary, and a word of its message.
  private static let faults: [(TPMFailure, isTemporary: Bool, says: String)] = [
    (.absent, false, "there is none"), (.notPermitted, false, "group tss"),
    (.anotherTPM, false, "not the TPM that it was sealed with"),
    (.ownerPassword, false, "owner password"),
    (.wrongAuthorization, false, "do not belong together"), (.damaged, false, "damaged"),
    (.busy, true, "busy"), (.lockedOut, true, "in lockout"),
    (.unreachable("no socket"), true, "no socket"), (.unexpected("0x123"), true, "0x123"),
  ]

  @Test
  func eachFaultIsNamedWithItsRemedyAndChangesNothing() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let files = try bench.scratch.files()
    for (fault, isTemporary, says) in Self.faults {
      tpm.fail(fault)
      switch try await bench.refusal(with: tpm) {
      case .providerUnavailable(let message, _, _)?:
        #expect(isTemporary && message.contains(says), "\(fault)")
      case .vaultUnsafe(let message, let hint)?:
        #expect(!isTemporary && (message + (hint?.text ?? "")).contains(says), "\(fault)")
        #expect(hint?.text.contains("as root): thumblatch recover --code") == true, "\(fault)")
      case let other: Issue.record("\(fault): \(String(describing: other))")
      }
      #expect(try bench.scratch.files() == files)
    }
    tpm.fail(nil)
    #expect(try await bench.refusal(with: tpm) == nil)
  }

  @Test
  func aTemporaryFailureIsNotRememberedAndALastingOneIsForAWhile() throws {
    let bench = try made()
    let slots = try bench.slots(tpm)
    tpm.plan(.busy)
    bench.clock.advance(1)
    #expect(throws: VaultFailure.self) { _ = try slots.key() }
    bench.clock.advance(1)
    #expect(try slots.key() != nil)
    let next = try bench.slots(tpm)
    tpm.plan(.anotherTPM)
    bench.clock.advance(1)
    #expect(throws: VaultFailure.self) { _ = try next.key() }
    let asked = tpm.opened
    bench.clock.advance(10)
    #expect(throws: VaultFailure.self) { _ = try next.key() }
    #expect(tpm.opened == asked)
    bench.clock.advance(31)
    #expect(try next.key() != nil)
  }

  @Test
  func twentyVaultsAtOnceCauseOneOpening() async throws {
    let bench = try made()
    let waiting = Waiting()
    let tpm = ScriptedTPM(whenOpening: {
      // The opening lasts until all have asked for it.
      while waiting.count.withLock({ $0 }) < 20 { _ = sched_yield() }
    })
    let slots = try bench.slots(tpm)
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { @Sendable in
          try await onThread { @Sendable in
            waiting.count.withLock { $0 += 1 }
            return (try? slots.key()) != nil
          }
        }
      }
      for try await isOpen in group { #expect(isOpen) }
    }
    #expect(tpm.opened == 1)
    _ = try slots.key()
    #expect(tpm.opened == 1)
  }

  @Test
  func theCodeOpensTheKeyAndSealsANewSlotOnceTheTPMIsCleared() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let old = try names(try bench.slots(tpm), .tpm)
    tpm.clear()
    #expect(try await bench.refusal(with: tpm) != nil)
    let slots = try bench.slots(tpm)
    #expect(throws: VaultFailure.self) { _ = try slots.recover(with: other) }
    let done = try slots.recover(with: try Bench.code())
    #expect(done.removed == old && done.problem == nil && !slots.isHeldByCode)
    #expect(try names(slots, .tpm) == [try #require(done.added)])
    #expect(try await bench.open(slots: slots).freshness == .current)
    // The next engine needs no code.
    #expect(try await bench.refusal(with: tpm) == nil)
    let again = try bench.slots(tpm).recover(with: try Bench.code())
    #expect(again == RecoveredKey(added: nil, removed: [], problem: nil))
  }

  @Test
  func theCodeOpensTheKeyOnAMachineWithoutATPM() async throws {
    let bench = try made()
    let slots = try bench.slots(NoTPM())
    let done = try slots.recover(with: try Bench.code())
    #expect(done.added == nil && done.removed == [])
    #expect(done.problem?.contains("no TPM") == true)
    #expect(try slots.key() != nil && slots.isHeldByCode)
    // The slot of the other machine's TPM stays.
    #expect(try bench.slots(tpm).key() != nil)
  }

  @Test
  func theLastSlotOfEachKindIsNotRemoved() throws {
    let bench = try made()
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    let recovery = try #require(try names(slots, .recovery).first)
    let first = try #require(try names(slots, .tpm).first)
    for slot in [recovery, first] {
      guard case .refused? = (failing { try slots.remove(slot) }) else {
        Issue.record("\(slot) is removed")
        continue
      }
    }
    guard case .invalidArgument? = (failing { try slots.remove("0000000000000000") }) else {
      Issue.record("an unknown slot is removed")
      return
    }
    let added = try slots.addRecovery(other)
    // A vault that is not under the machine key yet is no reason to keep a code.
    #expect(slots.isAdding)
    try slots.remove(recovery)
    #expect(try names(slots, .recovery) == [added])
    #expect(throws: VaultFailure.self) {
      _ = try bench.slots(NoTPM()).recover(with: try Bench.code())
    }
    #expect(try bench.slots(NoTPM()).recover(with: other).added == nil)
    // A second slot of the TPM is refused while the first opens.
    guard case .invalidArgument? = (failing { _ = try slots.addTPM() }) else {
      Issue.record("a second slot")
      return
    }
  }

  @Test
  func aSlotThatDoesNotOpenIsNoReasonToRemoveTheOneThatDoes() throws {
    let bench = try made()
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    _ = try slots.addRecovery(other)
    let dead = try #require(try names(slots, .tpm).first)
    tpm.clear()
    let live = try slots.addTPM()
    guard case .refused? = (failing { try slots.remove(live) }) else {
      Issue.record("the last slot that opens is removed")
      return
    }
    try slots.remove(dead)
    #expect(try names(slots, .tpm) == [live])
  }

  @Test
  func nothingIsMadeWithoutATPMOrASecondTime() throws {
    let bench = try Bench()
    for fault in [TPMFailure.absent, .notPermitted, .busy] {
      tpm.fail(fault)
      let slots = try bench.slots(tpm)
      #expect(throws: VaultFailure.self) { try slots.make(recovery: try Bench.code()) }
      #expect(try slots.key() == nil)
      #expect(try bench.slots(tpm).facts().tier == .file)
    }
    tpm.fail(nil)
    // A TPM that does not open its own sealed secret is not used.
    let slots = try bench.slots(tpm)
    let lying = ScriptedTPM()
    lying.openAnother()
    let broken = try bench.slots(lying)
    #expect(throws: VaultFailure.self) { try broken.make(recovery: try Bench.code()) }
    #expect(try slots.facts().tier == .file)
    try slots.make(recovery: try Bench.code())
    #expect(throws: VaultFailure.self) { try slots.make(recovery: try Bench.code()) }
  }

  @Test
  func aTestSaysWhichSlotsOpen() throws {
    let bench = try made()
    let slots = try bench.slots(tpm)
    let opens = { (code: RecoveryCode?) in
      try slots.test(with: code).reduce(into: [:]) { found, test in
        found[test.slot.kind] = .some(test.opens)
      }
    }
    #expect(try opens(nil) == [.tpm: true, .recovery: nil])
    #expect(try opens(try Bench.code()) == [.tpm: true, .recovery: true])
    tpm.fail(.absent)
    #expect(try opens(other) == [.tpm: false, .recovery: false])
    tpm.fail(.busy)
    #expect(try opens(nil) == [.tpm: nil, .recovery: nil])
  }

  @Test
  func aDamagedSlotIsNamedAndTheOthersOpen() throws {
    let bench = try made()
    let slots = try bench.slots(tpm)
    let recovery = try #require(try names(slots, .recovery).first)
    let path = bench.scratch.path + "/machine-key/slot-" + recovery
    try Files.overwrite([0], at: path)
    #expect(try bench.slots(tpm).facts().slots.contains { $0.problem == "it is damaged" })
    #expect(try bench.slots(tpm).key() != nil)
    // Two slots whose names were exchanged belong to nothing.
    let first = try #require(try names(slots, .tpm).first)
    let directory = bench.scratch.path + "/machine-key/"
    try run("/bin/mv", [directory + "slot-" + first, path])
    guard case .vaultUnsafe? = (failing { _ = try bench.slots(tpm).key() }) else {
      Issue.record("a renamed slot opens")
      return
    }
  }

  /// A file that others may read is not used until a chmod.
  @Test(arguments: [
    ("/bin/chmod 644", "0644"), ("/usr/bin/truncate --size=100", "it is damaged"),
  ])
  func aSlotWhoseFileCannotBeReadIsNamed(change: String, problem: String) throws {
    let bench = try made()
    let slot = try #require(try names(try bench.slots(tpm), .tpm).first)
    let path = bench.scratch.path + "/machine-key/slot-" + slot
    try run("/bin/sh", ["-c", "\(change) \(path)"])
    guard
      case .vaultUnsafe(let message, let hint)? = (failing { _ = try bench.slots(tpm).key() })
    else {
      Issue.record("a slot opens after \(change)")
      return
    }
    #expect(message.contains("slot \(slot) ") && message.contains(problem), "\(message)")
    #expect(hint?.text.contains("thumblatch recover --code") == true)
  }

  private func failing(_ body: () throws -> Void) -> VaultFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? VaultFailure
    }
  }
}

/// How many threads have asked for the key.
private final class Waiting: Sendable {
  let count = Mutex(0)
}
