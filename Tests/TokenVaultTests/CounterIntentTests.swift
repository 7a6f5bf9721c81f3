import MachineKey
import ScriptedTPM
import Storage
import Testing

@testable import TokenVault

/// A counter of an interrupted definition is in the ledger, or is removed.
struct CounterIntentTests {
  private let rig: CounterRig

  init() throws { rig = try CounterRig() }

  private func defined() throws -> CounterLedger {
    try rig.counter().define(parentName: rig.parentName)
  }

  /// Defines a counter, as an engine that is killed before its ledger is durable.
  private func leaveCounter() throws {
    _ = try rig.counter().defined(parentName: rig.parentName)
  }

  @Test
  func theNextEngineRemovesACounterWithoutALedger() throws {
    try leaveCounter()
    let slots = try rig.bench.slots(rig.tpm)
    #expect(rig.tpm.counters == 1 && slots.hasUnfinishedCounter)
    try slots.removeUnfinishedCounter()
    #expect(rig.tpm.counters == 0 && !slots.hasUnfinishedCounter)
    #expect(try rig.counter().check(isExpected: false) == .none)
  }

  @Test
  func aCounterInTheLedgerStays() throws {
    let ledger = try defined()
    #expect(try rig.directory().intended() == nil)
    // The engine was killed before it removed the index.
    try rig.directory().write(intended: ledger.counter.index)
    let slots = try rig.bench.slots(rig.tpm)
    try slots.removeUnfinishedCounter()
    #expect(rig.tpm.counters == 1 && !slots.hasUnfinishedCounter)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
  }

  @Test
  func aDefinitionFirstRemovesTheCounterThatWasLeft() throws {
    try leaveCounter()
    let ledger = try defined()
    #expect(rig.tpm.counters == 1)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
  }

  @Test
  func aTPMThatIsAwayIsAskedAgainByTheNextEngine() throws {
    try leaveCounter()
    for failure in [TPMFailure.absent, .busy, .ownerPassword] {
      rig.tpm.fail(failure)
      let slots = try rig.bench.slots(rig.tpm)
      #expect(throws: VaultFailure.self) { try slots.removeUnfinishedCounter() }
      #expect(slots.hasUnfinishedCounter)
    }
    rig.tpm.fail(nil)
    try rig.bench.slots(rig.tpm).removeUnfinishedCounter()
    #expect(rig.tpm.counters == 0)
  }

  /// A helper without an answer may have defined the counter, or may still do so.
  @Test
  func onlyAnAnswerEndsTheIntent() throws {
    let counter = try rig.counter()
    rig.tpm.plan(.unreachable("stopped"))
    #expect(throws: VaultFailure.self) { try counter.define(parentName: rig.parentName) }
    #expect(try rig.directory().intended() != nil)
    rig.tpm.limitCounters(to: 0)
    #expect(throws: VaultFailure.self) { try counter.define(parentName: rig.parentName) }
    #expect(try rig.directory().intended() == nil)
  }
}
