import MachineKey
import ScriptedTPM
import TestSupport
import Testing

@testable import TokenVault

/// Failures that do not mean a bad slot: another code, and a TPM that is busy for a moment.
@Suite(.timeLimit(.minutes(10)))
struct MachineKeyTroubleTests {
  @Test
  func theCodeOfOneSlotIsNoFaultOfAnother() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    let other = try RecoveryCode.random()
    let added = try slots.addRecovery(other)
    let tests = try slots.test(with: other).filter { $0.slot.kind == .recovery }
    #expect(tests.count == 2 && tests.allSatisfy { $0.opens != false })
    #expect(tests.first { $0.slot.identifier == added }?.opens == true)
    #expect(tests.first { $0.slot.identifier != added }?.detail?.contains(added) == true)
  }

  @Test
  func aTPMThatIsBusyDuringARecoveryGetsNoSecondSlot() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm)
    // Only the first call fails.
    tpm.plan(.busy)
    let done = try slots.recover(with: try Bench.code())
    #expect(done == RecoveredKey(added: nil, removed: [], problem: "the TPM is busy: try again"))
    #expect(slots.isHeldByCode && slots.counterCheck == .unchecked)
    tpm.plan(.busy)
    #expect(throws: VaultFailure.machineKeyClosed(.busy)) { _ = try slots.addTPM() }
    #expect(try slots.facts().slots.count { $0.kind == .tpm } == 1)
    // Once the TPM opens its slot, neither the code nor another slot is needed.
    _ = try slots.addTPM()
    #expect(try slots.facts().slots.count { $0.kind == .tpm } == 1)
    #expect(!slots.isHeldByCode && slots.counterCheck == .current)
    let already = #expect(throws: VaultFailure.self) { _ = try slots.addTPM() }
    #expect(already?.problem.contains("already") == true)
  }

  @Test
  func anUnknownErrorThatPassesAddsNoSecondSlot() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm)
    // Only the first call fails.
    tpm.plan(.unexpected("0x101"))
    let done = try slots.recover(with: try Bench.code())
    #expect(done == RecoveredKey(added: nil, removed: [], problem: nil))
    #expect(!slots.isHeldByCode && slots.counterCheck == .current)
    tpm.plan(.unexpected("0x101"))
    let already = #expect(throws: VaultFailure.self) { _ = try slots.addTPM() }
    #expect(already?.problem.contains("already") == true)
    #expect(try slots.facts().slots.count { $0.kind == .tpm } == 1)
  }

  @Test
  func aTestThatOpensASlotForgetsTheFailure() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm)
    tpm.plan(.damaged)
    for _ in 0..<2 {
      #expect(throws: VaultFailure.machineKeyClosed(.damaged)) { _ = try slots.key() }
    }
    #expect(try slots.test(with: nil).contains { $0.opens == true })
    #expect(try slots.key() != nil)
  }

  @Test
  func aTPMThatIsBusyMakesNoSlotTheLastOne() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    let added = try slots.addRecovery(try RecoveryCode.random())
    tpm.plan(.busy)
    #expect(throws: VaultFailure.machineKeyClosed(.busy)) { try slots.remove(added) }
    try slots.remove(added)
  }

  @Test
  func theDoctorNamesRootForTheSlotsOfTheService() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(ScriptedTPM())
    let slots = try bench.slots(NoTPM())
    _ = try slots.recover(with: try Bench.code())
    let vault = try await bench.open(slots: slots)
    let found = await vault.examine().first { $0.name == "device-secret" }
    #expect(found?.level == .warning)
    #expect(found?.remedy == "as root: thumblatch device-secret add tpm")
  }

  /// The counter is compared before a security key opens the vault.
  @Test(arguments: [true, false])
  func noTouchIsAskedForIfTheCounterCannotBeRead(_ hasCounter: Bool) async throws {
    let (tpm, key) = (ScriptedTPM(), ScriptedKey())
    if !hasCounter { tpm.limitCounters(to: 0) }
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    let slots = try bench.slots(tpm, keys: key)
    _ = try slots.key()
    _ = try slots.addKey(try slots.makeKeySecret(pin: nil, SecurityKeyWait()) {})
    for fault in [TPMFailure.absent, .notPermitted, .ownerPassword] {
      tpm.fail(fault)
      let next = try bench.slots(tpm, keys: key)
      let refusal = #expect(throws: VaultFailure.self) { _ = try next.key() }
      if hasCounter {
        #expect(refusal == .machineKeyClosed(fault))
        #expect(throws: VaultFailure.machineKeyClosed(fault)) {
          try next.openByKey(pin: nil, SecurityKeyWait()) {}
        }
      } else {
        #expect(refusal?.problem.contains("security key opens it too") == true)
        try next.openByKey(pin: nil, SecurityKeyWait()) {}
      }
    }
  }

  /// The next start would compare the ledger with a TPM that does not have its counter.
  @Test
  func noSlotIsSealedWithATPMWhoseCounterIsNotKnown() async throws {
    let tpm = ScriptedTPM()
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    tpm.clear()
    tpm.failCounters(.busy)
    let busy = try bench.slots(tpm)
    let done = try busy.recover(with: try Bench.code())
    #expect(done.added == nil && done.problem != nil && busy.isHeldByCode)
    #expect(throws: VaultFailure.self) { _ = try busy.addTPM() }
    #expect(try busy.facts().slots.count { $0.kind == .tpm } == 1)
    tpm.failCounters(nil)
    let again = try bench.slots(tpm).recover(with: try Bench.code())
    #expect(again.added != nil && again.problem == nil)
    #expect(try await bench.open(with: tpm).freshness == .current)
  }
}
