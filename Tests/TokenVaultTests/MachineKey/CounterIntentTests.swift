import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// The counter of an interrupted definition or removal is in use, or is removed.
struct CounterIntentTests {
  private let rig: CounterRig

  init() throws { rig = try CounterRig() }

  private var hasPending: Bool {
    get throws { try rig.directory().pendingCounter() != nil }
  }

  /// Defines a counter, as an engine that is killed before its ledger is durable.
  private func leaveCounter() throws -> CounterLedger {
    try rig.counter().defined(parentName: rig.parentName)
  }

  /// Defines the counter of the directory.
  private func use() throws -> (slots: MachineKeySlots, ledger: CounterLedger) {
    let slots = try rig.bench.slots(rig.tpm)
    _ = try slots.key()
    try slots.renewCounter(rig.parentName)
    return (slots, try CounterLedger(parsing: try #require(try rig.ledger())))
  }

  /// The first and the last authorization value of a counter.
  private func values(_ ledger: CounterLedger) throws -> (first: SharedSecret, last: SharedSecret) {
    let slots = try rig.bench.slots(rig.tpm)
    _ = try slots.key()
    let (salt, key) = (ledger.counter.salt, try slots.openedKey().0)
    return (
      try CounterLedger.Counter.firstAuthorization(salt: salt, under: key),
      try CounterLedger.Counter.authorization(salt: salt, under: key)
    )
  }

  /// A copy of the directory from before its ledger was durable.
  private func copy(of ledger: CounterLedger) throws -> CounterIntent {
    let path = rig.bench.scratch.base + "/copy"
    let directory = try MachineKeyDirectory(in: try Directory.make(path: path))
    let intent = CounterIntent(directory: directory, tpm: rig.tpm)
    let counter = ledger.counter
    try intent.write(counter.index, counter.parentName, values(ledger).first)
    return intent
  }

  private func start() throws {
    let slots = try rig.bench.slots(rig.tpm)
    #expect(slots.hasUnfinishedCounter)
    try slots.removeUnfinishedCounter()
    #expect(!slots.hasUnfinishedCounter)
  }

  @Test
  func theNextEngineRemovesACounterWithoutALedger() throws {
    _ = try leaveCounter()
    #expect(rig.tpm.counters == 1)
    try start()
    #expect(rig.tpm.counters == 0)
    #expect(try rig.counter().check(isExpected: false) == .none)
  }

  /// The ledger is durable, and the state does not name it yet.
  @Test
  func theNextEngineRemovesACounterThatTheStateDoesNotName() throws {
    _ = try rig.counter().define(parentName: rig.parentName)
    try start()
    #expect(rig.tpm.counters == 0)
    let (_, ledger) = try use()
    #expect(rig.tpm.counters == 1)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
  }

  @Test
  func theNextComparisonFinishesADefinition() throws {
    let (_, ledger) = try use()
    #expect(try !hasPending)
    // The engine was killed before the last step.
    let (first, last) = try values(ledger)
    let index = ledger.counter.index
    _ = try rig.tpm.confirmCounter(index, authorization: last, next: first)
    try rig.directory().write(
      pendingCounter: PendingCounter(
        index: index,
        parentName: rig.parentName,
        authorization: first
      ).encoded
    )
    try start()
    #expect(rig.tpm.counters == 1)
    for _ in 0..<2 {
      #expect(try rig.counter().check(isExpected: true) == .current(ledger))
    }
    #expect(throws: TPMFailure.wrongAuthorization) {
      try rig.tpm.readCounter(index, authorization: first)
    }
  }

  /// The directory in use and its copy are on one machine.
  @Test
  func aCopyRemovesNoCounterThatIsInUse() throws {
    let (_, ledger) = try use()
    let copy = try copy(of: ledger)
    try copy.clear()
    #expect(try copy.directory.pendingCounter() == nil)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
    // Nor does it define one in its place.
    let other = try copy.define(parentName: rig.parentName, authorization: values(ledger).last)
    #expect(rig.tpm.counters == 2 && other.index != ledger.counter.index)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
    // Control: the copy has the value of a counter that is not in use.
    try copy.clear()
    #expect(rig.tpm.counters == 1)
  }

  @Test
  func aDefinitionFirstRemovesTheCounterThatWasLeft() throws {
    _ = try leaveCounter()
    let (_, ledger) = try use()
    #expect(try rig.tpm.counters == 1 && !hasPending)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
  }

  @Test
  func aRemovalIsFinishedOnceTheStateNamesNoCounter() throws {
    let (slots, ledger) = try use()
    try rig.counter().beginRemoval(ledger)
    try start()
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
    try rig.counter().beginRemoval(ledger)
    let (phase, left) = slots.progress
    try slots.write(phase, left, hasCounter: false)
    try start()
    #expect(rig.tpm.counters == 0)
  }

  @Test
  func aRemovalLeavesNothing() throws {
    let (slots, _) = try use()
    try slots.endCounter()
    #expect(try rig.tpm.counters == 0 && !hasPending)
  }

  /// The file of an earlier definition is the only place that knows its counter.
  @Test
  func aRemovalForgetsNoEarlierCounter() throws {
    let (slots, ledger) = try use()
    let earlier = try leaveCounter()
    #expect(rig.tpm.counters == 2 && earlier.counter.index != ledger.counter.index)
    rig.tpm.plan(.unreachable("stopped"))
    #expect(throws: VaultFailure.self) { try slots.endCounter() }
    #expect(try slots.hasCounter && hasPending)
    #expect(try rig.counter().check(isExpected: true) == .current(ledger))
    try slots.endCounter()
    #expect(try !slots.hasCounter && rig.tpm.counters == 0 && !hasPending)
  }

  /// A write that failed may have changed the file of the state.
  @Test
  func aRemovalAlsoEndsACounterThatOnlyTheStatesFileNames() throws {
    let slots = try rig.bench.slots(rig.tpm)
    _ = try slots.key()
    let (_, ledger) = try use()
    try rig.directory().write(
      pendingCounter: PendingCounter(
        index: ledger.counter.index,
        parentName: rig.parentName,
        authorization: values(ledger).last
      ).encoded
    )
    slots.noteStateUncertain()
    #expect(!slots.hasCounter)
    try slots.endCounter()
    let next = try rig.bench.slots(rig.tpm)
    _ = try next.key()
    #expect(try !next.hasCounter && rig.tpm.counters == 0 && !hasPending)
  }

  /// The helper without an answer may define the counter after it was looked for.
  @Test
  func aDefinitionWithoutAnAnswerStaysForTheNextEngine() throws {
    let slots = try rig.bench.slots(rig.tpm)
    _ = try slots.key()
    rig.tpm.plan(.unreachable("stopped"))
    try slots.renewCounter(rig.parentName)
    #expect(try !slots.hasCounter && hasPending)
    try start()
    #expect(rig.tpm.counters == 0)
  }

  /// A copy of the directory from before the second addition has the value that removes it.
  @Test
  func aCounterWhoseRemovalIsNotFinishedIsNotAdoptedAgain() throws {
    let (slots, ledger) = try use()
    // The removal fails, and so does its repetition.
    rig.tpm.plan(.unreachable("stopped"), .unreachable("stopped"))
    try slots.endCounter()
    #expect(try hasPending)
    try slots.renewCounter(rig.parentName)
    #expect(try !slots.hasCounter && hasPending)
    try slots.renewCounter(rig.parentName)
    #expect(try slots.hasCounter && !hasPending)
    let next = try CounterLedger(parsing: try #require(try rig.ledger()))
    #expect(rig.tpm.counters == 1 && next.counter != ledger.counter)
  }

  @Test
  func theFileIsOverwrittenBeforeItIsRemoved() throws {
    _ = try leaveCounter()
    let file = try Directory(path: rig.bench.scratch.path).openForReading("machine-key.counter")
    try start()
    let left = try file.readAll(limit: 1 << 12)
    #expect(!left.isEmpty && left.allSatisfy { $0 == 0 })
  }

  @Test
  func aTPMThatIsAwayIsAskedAgainByTheNextEngine() throws {
    _ = try leaveCounter()
    for failure in [TPMFailure.absent, .busy, .ownerPassword, .unreachable("stopped")] {
      rig.tpm.fail(failure)
      let slots = try rig.bench.slots(rig.tpm)
      #expect(throws: VaultFailure.self) { try slots.removeUnfinishedCounter() }
      #expect(slots.hasUnfinishedCounter)
    }
    rig.tpm.fail(nil)
    try start()
    #expect(rig.tpm.counters == 0)
  }

  @Test
  func aClearedTPMHasNothingToRemove() throws {
    _ = try leaveCounter()
    rig.tpm.clear()
    try start()
  }

  @Test
  func aDamagedFileIsRemoved() throws {
    let ledger = try leaveCounter()
    try rig.directory().write(pendingCounter: [UInt8](repeating: 0, count: 45))
    try start()
    let value = try rig.tpm.readCounter(
      ledger.counter.index,
      authorization: values(ledger).first
    ).value
    #expect(value == ledger.value)
  }

  /// A helper without an answer may have defined the counter, or may still do so.
  @Test
  func onlyAnAnswerEndsTheIntent() throws {
    let counter = try rig.counter()
    rig.tpm.plan(.unreachable("stopped"))
    #expect(throws: VaultFailure.self) { try counter.define(parentName: rig.parentName) }
    #expect(try hasPending)
    rig.tpm.limitCounters(to: 0)
    #expect(throws: VaultFailure.self) { try counter.define(parentName: rig.parentName) }
    #expect(try !hasPending)
  }
}
