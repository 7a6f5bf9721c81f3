internal import Cryptography
internal import MachineKey
internal import SecretMemory
internal import Storage

// The TPM's counter, and the ledger that follows it. A change of the value has these steps:
//
// 1. Compare the ledger with the counter.
// 2. Make the ledger with the next value durable.
// 3. Increment the counter.
//
// | killed        | the next check finds           | and                           |
// |---------------|--------------------------------|-------------------------------|
// | before step 2 | the counter at the ledger      | does nothing                  |
// | before step 3 | the counter one below          | writes the ledger again, and  |
// |               |                                | increments the counter        |
//
// So a counter above the ledger shows that the ledger is an old copy. If the reply to an increment
// is lost, the counter is read before it is incremented again.

/// The counter of the TPM and its ledger, for an opened machine key.
///
/// Only one thread at a time may use it. Each function blocks while the TPM works.
struct MachineCounter: Sendable {
  /// The result of a check.
  enum Finding: Sendable, Equatable {
    /// The machine key has no counter.
    case none
    /// The ledger is the latest version.
    case current(CounterLedger)
    case distrusted(Distrust)
  }

  /// Why the ledger is not the latest version, or may not be.
  enum Distrust: Sendable, Equatable {
    /// The machine key has a counter, but the ledger is missing.
    case ledgerMissing
    /// The ledger is damaged, or belongs to another machine key.
    case ledgerDamaged
    /// The counter has been incremented to this value since the ledger was written: the ledger is
    /// an old copy.
    case olderLedger(CounterLedger, counter: UInt64)
    /// The counter is gone, was replaced, or was never at the value of the ledger.
    case anotherCounter(CounterLedger)
  }

  let directory: MachineKeyDirectory
  let tpm: any TPMSealing
  let key: MachineKey
  /// The identifier of the directory.
  private let identifier: [UInt8]

  init(
    _ directory: MachineKeyDirectory,
    _ tpm: any TPMSealing,
    _ key: MachineKey,
    identifier: [UInt8]
  ) {
    self.directory = directory
    self.tpm = tpm
    self.key = key
    self.identifier = identifier
  }

  // MARK: - Steps

  /// Compares the ledger with the counter, and finishes an interrupted change.
  ///
  /// - Parameter isExpected: whether the machine key is known to have a counter.
  /// - Returns: whether the ledger is the latest version.
  /// - Throws: why the counter cannot be read now.
  func check(isExpected: Bool) throws(VaultFailure) -> Finding {
    let bytes: [UInt8]?
    do throws(StorageError) {
      bytes = try directory.ledger()
    } catch {
      guard case .damaged = error else { throw VaultFailure(error) }
      return .distrusted(.ledgerDamaged)
    }
    guard let bytes else { return isExpected ? .distrusted(.ledgerMissing) : .none }
    guard let ledger = try? CounterLedger(parsing: bytes), ledger.directory == identifier,
      try usable({ () throws(MachineKeyError) in try ledger.isAuthentic(under: key) })
    else { return .distrusted(.ledgerDamaged) }
    return try compared(ledger)
  }

  /// Adds a vault that is being made to the latest ledger; the counter does not change.
  ///
  /// An increment with an unknown result may have left a newer ledger, so the comparison comes
  /// first.
  func list(_ vault: [UInt8]) throws(VaultFailure) -> Finding {
    let found = try check(isExpected: true)
    guard case .current(let ledger) = found else { return found }
    let next = try made(
      ledger.counter,
      value: ledger.value,
      unlisted: ledger.unlisted,
      vaults: ledger.vaults.merging([vault: 0]) { first, _ in first }
    )
    try write(next)
    return .current(next)
  }

  /// Writes the counts of vaults into the ledger, and increments the counter.
  ///
  /// The counter does not change unless the ledger is the latest version.
  ///
  /// - Throws: why it cannot be done now. The next call continues with it.
  func advance(_ vaults: [[UInt8]: UInt64]) throws(VaultFailure) -> Finding {
    let found = try check(isExpected: true)
    guard case .current(let ledger) = found else { return found }
    let counts = ledger.vaults.merging(vaults) { max($0, $1) }
    let next = try made(
      ledger.counter,
      value: ledger.value + 1,
      unlisted: ledger.unlisted,
      vaults: counts
    )
    return .current(try advanced(to: next))
  }

  /// Accepts one vault, whose store has counted so many changes.
  ///
  /// The machine key must have had a counter. If the ledger is not the latest version, a new ledger
  /// begins. It lists only the vaults that were accepted since then.
  ///
  /// - Throws: why it cannot be done now; the vault stays refused then.
  func accept(_ vault: [UInt8], count: UInt64, parentName: [UInt8]) throws(VaultFailure) -> Finding
  {
    switch try check(isExpected: true) {
    case .none: return .none
    case .current(let ledger):
      let vaults = ledger.vaults.merging([vault: count]) { $1 }
      let next = try made(
        ledger.counter,
        value: ledger.value + 1,
        unlisted: ledger.unlisted,
        vaults: vaults
      )
      return .current(try advanced(to: next))
    case .distrusted(.olderLedger(let ledger, let value)):
      let next = try made(
        ledger.counter,
        value: value + 1,
        unlisted: .isRefused,
        vaults: [vault: count]
      )
      return .current(try advanced(to: next))
    case .distrusted(.anotherCounter), .distrusted(.ledgerMissing), .distrusted(.ledgerDamaged):
      let vaults = [vault: count]
      let next = try begin(parentName: parentName, unlisted: .isRefused, vaults: vaults)
      finishDefinition(next)
      return .current(next)
    }
  }

  // MARK: - The counter

  private func compared(_ ledger: CounterLedger) throws(VaultFailure) -> Finding {
    guard let value = try read(ledger) else { return .distrusted(.anotherCounter(ledger)) }
    if value == ledger.value { return .current(ledger) }
    if value > ledger.value { return .distrusted(.olderLedger(ledger, counter: value)) }
    guard ledger.value - value == 1 else { return .distrusted(.anotherCounter(ledger)) }
    // The rename may not be durable yet, so the ledger is written again.
    return .current(try advanced(to: ledger))
  }

  /// The value of the counter; `nil` if the ledger has no counter here.
  private func read(_ ledger: CounterLedger) throws(VaultFailure) -> UInt64? {
    let authorization = try authorization(ledger.counter.salt)
    do throws(TPMFailure) {
      return try tpm.bound(to: ledger.counter.parentName)
        .readCounter(ledger.counter.index, authorization: authorization).value
    } catch .noCounter {
      return nil
    } catch .wrongAuthorization {
      return try confirmed(ledger)
    } catch .anotherTPM {
      return nil
    } catch {
      throw .machineKeyClosed(error)
    }
  }

  /// Writes a ledger whose value is one above the counter, and increments the counter.
  private func advanced(to ledger: CounterLedger) throws(VaultFailure) -> CounterLedger {
    try write(ledger)
    let authorization = try authorization(ledger.counter.salt)
    do throws(TPMFailure) {
      _ = try tpm.bound(to: ledger.counter.parentName)
        .incrementCounter(ledger.counter.index, authorization: authorization)
    } catch {
      // The TPM may have carried it out.
      guard try read(ledger) == ledger.value else { throw .machineKeyClosed(error) }
    }
    return ledger
  }

  // MARK: - The ledger

  func made(
    _ counter: CounterLedger.Counter,
    value: UInt64,
    unlisted: CounterLedger.Unlisted,
    vaults: [[UInt8]: UInt64]
  ) throws(VaultFailure) -> CounterLedger {
    try usable { () throws(MachineKeyError) in
      try CounterLedger(
        directory: identifier,
        counter: counter,
        value: value,
        unlisted: unlisted,
        vaults: vaults,
        under: key
      )
    }
  }

  private func write(_ ledger: CounterLedger) throws(VaultFailure) {
    do throws(StorageError) { try directory.write(ledger: ledger.encoded) } catch {
      throw VaultFailure(error)
    }
  }

  func authorization(_ salt: [UInt8]) throws(VaultFailure) -> SharedSecret {
    try usable { () throws(MachineKeyError) in
      try CounterLedger.Counter.authorization(salt: salt, under: key)
    }
  }

  func usable<Value>(
    _ step: () throws(MachineKeyError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(MachineKeyError) { return try step() } catch { throw .machineKeyDamaged("\(error)") }
  }
}
