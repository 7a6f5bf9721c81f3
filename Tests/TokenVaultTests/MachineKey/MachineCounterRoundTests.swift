import MachineKey
import ScriptedTPM
import Testing

@testable import TokenVault

/// Increments are interrupted at each step, and copies of the ledger are restored.
@Suite(.timeLimit(.minutes(10)))
struct MachineCounterRoundTests {
  private enum Stop: CaseIterable {
    case never, beforeTheLedger, theLedgerFails, beforeTheIncrement, theReplyIsLost, afterIncrement
  }

  private let vault = [UInt8](repeating: 7, count: 16)

  /// Makes one advance that stops at a step; the next engine starts then.
  private func advance(_ rig: CounterRig, count: UInt64, _ stop: Stop) throws {
    let counter = try rig.counter()
    switch stop {
    case .never: _ = try counter.advance([vault: count])
    case .beforeTheLedger:
      rig.tpm.plan(.unreachable("stopped"))
      #expect(throws: VaultFailure.self) { _ = try counter.advance([vault: count]) }
    case .theLedgerFails:
      try rig.blockLedger(true)
      #expect(throws: VaultFailure.self) { _ = try counter.advance([vault: count]) }
      try rig.blockLedger(false)
    case .beforeTheIncrement:
      // The read of the comparison succeeds. The increment and the read after it do not.
      rig.tpm.failAfter(1, .unreachable("stopped"))
      #expect(throws: VaultFailure.self) { _ = try counter.advance([vault: count]) }
      rig.tpm.fail(nil)
    case .theReplyIsLost:
      rig.tpm.loseNextReply()
      _ = try counter.advance([vault: count])
    case .afterIncrement:
      // The increment is done. Neither its reply nor the read after it arrives.
      rig.tpm.loseNextReply()
      rig.tpm.failAfter(2, .unreachable("stopped"))
      #expect(throws: VaultFailure.self) { _ = try counter.advance([vault: count]) }
      rig.tpm.fail(nil)
    }
  }

  @Test
  func noStopIsAFalseAlarmAndNoOldLedgerIsMissed() throws {
    let rig = try CounterRig()
    _ = try rig.defined()
    var copies: [[UInt8]] = []
    for round in 0..<600 {
      let stop = Stop.allCases[round % Stop.allCases.count]
      copies.append(try #require(try rig.ledger()))
      try advance(rig, count: UInt64(round + 1), stop)
      guard case .current(let ledger) = try rig.counter().check(isExpected: true) else {
        Issue.record("round \(round), \(stop): a false alarm")
        return
      }
      // A finished increment is never lost.
      if [.never, .theReplyIsLost, .afterIncrement, .beforeTheIncrement].contains(stop) {
        #expect(ledger.vaults[vault] == UInt64(round + 1), "round \(round)")
      }
      let newest = try #require(try rig.ledger())
      for copy in copies.suffix(8) + copies.prefix(2) where copy != newest {
        try rig.put(copy)
        guard case .distrusted(.olderLedger) = try rig.counter().check(isExpected: true) else {
          Issue.record("round \(round), \(stop): an old ledger is current")
          return
        }
      }
      try rig.put(newest)
    }
  }
}
