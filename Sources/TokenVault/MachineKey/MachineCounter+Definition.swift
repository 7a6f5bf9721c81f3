internal import Cryptography
internal import MachineKey
internal import SecretMemory
internal import Storage

// The definition and the removal of the TPM's counter, by the steps of CounterIntent.swift.
extension MachineCounter {
  /// Defines a counter, and begins a ledger that lists no vault.
  ///
  /// `finishDefinition` follows, once the state says that there is a counter.
  ///
  /// - Throws: why this TPM accepts no counter; nothing was changed then.
  func define(parentName: [UInt8]) throws(VaultFailure) -> CounterLedger {
    try begin(parentName: parentName, unlisted: .isNew, vaults: [:])
  }

  /// Defines a counter; its ledger is not written yet.
  ///
  /// - Throws: why this TPM accepts no counter; nothing was changed then.
  func defined(
    parentName: [UInt8],
    unlisted: CounterLedger.Unlisted = .isNew,
    vaults: [[UInt8]: UInt64] = [:]
  ) throws(VaultFailure) -> CounterLedger {
    let salt: [UInt8]
    do throws(CryptographyError) { salt = try randomBytes(32) } catch {
      throw .unexpected("no counter can be defined: \(error)")
    }
    let defined = try intent.define(
      parentName: parentName,
      authorization: firstAuthorization(salt)
    )
    return try made(
      CounterLedger.Counter(index: defined.index, salt: salt, parentName: parentName),
      value: defined.value,
      unlisted: unlisted,
      vaults: vaults
    )
  }

  /// Called when the ledger of a defined counter is durable, and the state that names it.
  func finishDefinition(_ ledger: CounterLedger) {
    // If the TPM does not answer now, the next comparison finishes the definition.
    _ = try? confirmed(ledger)
    intent.end()
  }

  /// Records the counter of the latest ledger for its removal.
  ///
  /// - Throws: why it cannot be written; nothing was changed then.
  func beginRemoval(_ ledger: CounterLedger) throws(VaultFailure) {
    let counter = ledger.counter
    try intent.write(counter.index, counter.parentName, authorization(counter.salt))
  }

  /// Removes the counter of a definition or removal, unless the directory uses it.
  ///
  /// If the TPM does not remove it now, the next engine tries again.
  func removeUnfinished() { try? intent.clear() }

  /// The same, before the counter in the ledger may be used again.
  ///
  /// - Throws: why the counter may still be there.
  func clearUnfinished() throws(VaultFailure) { try intent.clear() }

  /// Finishes the definition of the counter (step 4 of CounterIntent.swift).
  ///
  /// - Returns: the value of the counter; `nil` if it is not one that was being defined.
  func confirmed(_ ledger: CounterLedger) throws(VaultFailure) -> UInt64? {
    let first = try firstAuthorization(ledger.counter.salt)
    let next = try authorization(ledger.counter.salt)
    let tpm = tpm.bound(to: ledger.counter.parentName)
    let index = ledger.counter.index
    do throws(TPMFailure) {
      do throws(TPMFailure) {
        return try tpm.confirmCounter(index, authorization: first, next: next).value
      } catch .wrongAuthorization {
        // The helper of an earlier engine may have replaced the value since the last read.
        return try tpm.readCounter(index, authorization: next).value
      }
    } catch {
      switch error {
      // A counter without a policy, or with another one, is `damaged`.
      case .noCounter, .wrongAuthorization, .anotherTPM, .damaged: return nil
      default: throw .machineKeyClosed(error)
      }
    }
  }

  func begin(
    parentName: [UInt8],
    unlisted: CounterLedger.Unlisted,
    vaults: [[UInt8]: UInt64]
  ) throws(VaultFailure) -> CounterLedger {
    let ledger = try defined(parentName: parentName, unlisted: unlisted, vaults: vaults)
    do throws(StorageError) {
      try directory.write(ledger: ledger.encoded)
    } catch {
      // The disk may hold the ledger after an uncertain write, and a ledger needs its counter.
      if case .uncertain = error { throw VaultFailure(error) }
      removeUnfinished()
      throw VaultFailure(error)
    }
    return ledger
  }

  private var intent: CounterIntent { CounterIntent(directory: directory, tpm: tpm) }

  private func firstAuthorization(_ salt: [UInt8]) throws(VaultFailure) -> SharedSecret {
    try usable { () throws(MachineKeyError) in
      try CounterLedger.Counter.firstAuthorization(salt: salt, under: key)
    }
  }
}
