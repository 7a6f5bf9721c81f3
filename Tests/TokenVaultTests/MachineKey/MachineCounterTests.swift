import MachineKey
import ScriptedTPM
import Testing

@testable import TokenVault

/// The TPM's counter distinguishes an old ledger from the latest one.
@Suite(.timeLimit(.minutes(10)))
struct MachineCounterTests {
  private let rig: CounterRig
  private let vault = [UInt8](repeating: 7, count: 16)
  private let other = [UInt8](repeating: 8, count: 16)

  init() throws { rig = try CounterRig() }

  private func defined() throws -> CounterLedger { try rig.defined() }

  /// The ledger, if it is the newest one.
  private func current(_ found: MachineCounter.Finding) -> CounterLedger? {
    if case .current(let ledger) = found { return ledger }
    return nil
  }

  @Test
  func aMachineKeyWithoutACounterIsNotDistrusted() throws {
    #expect(try rig.counter().check(isExpected: false) == .none)
    #expect(try rig.counter().check(isExpected: true) == .distrusted(.ledgerMissing))
  }

  @Test
  func aDefinedCounterIsCurrentAndGoesOn() throws {
    let first = try defined()
    #expect(try rig.counter().check(isExpected: true) == .current(first))
    let next = try #require(try current(rig.counter().advance([vault: 4])))
    #expect(next.value == first.value + 1 && next.vaults == [vault: 4])
    // A count never falls, and the counts of other vaults stay.
    let last = try #require(try current(rig.counter().advance([vault: 3, other: 9])))
    #expect(last.vaults == [vault: 4, other: 9])
    #expect(try rig.counter().check(isExpected: true) == .current(last))
  }

  @Test
  func aTPMWithoutRoomChangesNothing() throws {
    rig.tpm.limitCounters(to: 0)
    #expect(throws: VaultFailure.self) { _ = try defined() }
    #expect(try rig.ledger() == nil)
    #expect(try rig.counter().check(isExpected: false) == .none)
  }

  @Test
  func onlyTheOwnerOfATPMWithAPasswordMakesACounter() throws {
    let counter = try rig.counter()
    rig.tpm.plan(.ownerPassword)
    let refused = #expect(throws: VaultFailure.self) {
      _ = try counter.define(parentName: rig.parentName)
    }
    #expect(refused?.problem.contains("no counter can be defined") == true)
  }

  @Test
  func aLedgerThatCannotBeWrittenLeavesNoCounter() throws {
    try rig.blockLedger(true)
    #expect(throws: VaultFailure.self) { _ = try defined() }
    #expect(rig.tpm.counters == 0)
  }

  @Test
  func anOldLedgerIsDistrusted() throws {
    let first = try defined()
    let copy = try #require(try rig.ledger())
    let value = try #require(try current(rig.counter().advance([vault: 1]))).value
    try rig.put(copy)
    let found = MachineCounter.Finding.distrusted(.olderLedger(first, counter: value))
    #expect(try rig.counter().check(isExpected: true) == found)
    // An advance does not hide it.
    #expect(try rig.counter().advance([vault: 2]) == found)
    #expect(try rig.ledger() == copy)
  }

  @Test
  func aLedgerThatIsMissingOrDamagedIsDistrusted() throws {
    _ = try defined()
    var bytes = try #require(try rig.ledger())
    bytes[70] ^= 1
    try rig.put(bytes)
    #expect(try rig.counter().check(isExpected: true) == .distrusted(.ledgerDamaged))
    try rig.put([UInt8](repeating: 0, count: 1 << 20 + 1))
    #expect(try rig.counter().check(isExpected: true) == .distrusted(.ledgerDamaged))
    try rig.put([])
    #expect(try rig.counter().check(isExpected: false) == .distrusted(.ledgerDamaged))
  }

  @Test
  func aCounterThatIsGoneOrReplacedIsDistrusted() throws {
    let ledger = try defined()
    let found = MachineCounter.Finding.distrusted(.anotherCounter(ledger))
    rig.tpm.deleteCounters()
    #expect(try rig.counter().check(isExpected: true) == found)
  }

  @Test
  func aCounterAtTheSameIndexWithAnotherPolicyIsDistrusted() throws {
    let ledger = try defined()
    let counter = try rig.counter()
    rig.tpm.plan(.wrongAuthorization, .damaged)
    #expect(try counter.check(isExpected: true) == .distrusted(.anotherCounter(ledger)))
    // Control: the counter of the ledger.
    #expect(try counter.check(isExpected: true) == .current(ledger))
  }

  /// The helper of a killed engine replaces the first value between the two calls of this one.
  @Test
  func aCounterThatIsConfirmedByAnotherHelperIsNoAlarm() throws {
    let ledger = try defined()
    let counter = try rig.counter()
    rig.tpm.plan(.wrongAuthorization, .wrongAuthorization)
    #expect(try counter.check(isExpected: true) == .current(ledger))
    rig.tpm.plan(.wrongAuthorization, .wrongAuthorization, .wrongAuthorization)
    #expect(try counter.check(isExpected: true) == .distrusted(.anotherCounter(ledger)))
  }

  @Test
  func aTPMThatWasClearedIsDistrusted() throws {
    let counter = try rig.counter()
    let ledger = try defined()
    rig.tpm.clear()
    #expect(
      try counter.check(isExpected: true) == .distrusted(.anotherCounter(ledger))
    )
  }

  @Test(arguments: [TPMFailure.busy, .lockedOut, .absent, .notPermitted, .unreachable("gone")])
  func aTPMThatDoesNotAnswerIsNoAlarm(_ failure: TPMFailure) throws {
    let ledger = try defined()
    let counter = try rig.counter()
    rig.tpm.fail(failure)
    #expect(throws: VaultFailure.machineKeyClosed(failure)) {
      _ = try counter.check(isExpected: true)
    }
    rig.tpm.fail(nil)
    #expect(try counter.check(isExpected: true) == .current(ledger))
  }

  @Test
  func aLostReplyIsNoSecondIncrement() throws {
    let first = try defined()
    rig.tpm.loseNextReply()
    let next = try #require(try current(rig.counter().advance([vault: 1])))
    #expect(next.value == first.value + 1)
    #expect(try rig.counter().check(isExpected: true) == .current(next))
  }

  /// The ledger that listed the vault would otherwise be older than the counter.
  @Test
  func aVaultIsListedAfterAnIncrementWhoseEndIsNotKnown() throws {
    let first = try defined()
    let counter = try rig.counter()
    // The comparison and the increment succeed. Neither the reply nor the read after it arrives.
    rig.tpm.loseNextReply()
    rig.tpm.failAfter(2, .unreachable("gone"))
    #expect(throws: VaultFailure.self) { _ = try counter.advance([vault: 1]) }
    rig.tpm.fail(nil)
    let listed = try #require(try current(counter.list(other)))
    #expect(listed.value == first.value + 1 && listed.vaults == [vault: 1, other: 0])
    #expect(try counter.check(isExpected: true) == .current(listed))
  }

  @Test
  func anAcceptedVaultClearsNoOther() throws {
    _ = try defined()
    _ = try rig.counter().advance([vault: 1, other: 1])
    let copy = try #require(try rig.ledger())
    _ = try rig.counter().advance([vault: 2, other: 2])
    try rig.put(copy)
    let accepted = try current(
      rig.counter().accept(vault, count: 3, parentName: rig.parentName)
    )
    #expect(try rig.counter().check(isExpected: true) == accepted.map { .current($0) })
    #expect(accepted?.judgement(of: vault, count: 3) == .current)
    #expect(accepted?.judgement(of: other, count: 1) == .notAccepted)
    let both = try current(rig.counter().accept(other, count: 4, parentName: rig.parentName))
    #expect(both?.judgement(of: vault, count: 3) == .current)
    #expect(both?.judgement(of: other, count: 4) == .current)
    // The copy stays an old one.
    try rig.put(copy)
    guard case .distrusted(.olderLedger) = try rig.counter().check(isExpected: true) else {
      Issue.record("an old ledger is current")
      return
    }
  }

  @Test
  func anAcceptedVaultGetsANewCounterIfThereIsNone() throws {
    let first = try defined()
    rig.tpm.deleteCounters()
    let accepted = try current(
      rig.counter().accept(vault, count: 3, parentName: rig.parentName)
    )
    #expect(rig.tpm.counters == 1 && accepted.map { $0.counter != first.counter } == true)
    #expect(accepted?.judgement(of: other, count: 1) == .notAccepted)
    #expect(try rig.counter().check(isExpected: true) == accepted.map { .current($0) })
  }
}
