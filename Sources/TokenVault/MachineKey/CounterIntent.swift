internal import MachineKey
internal import SecretMemory
internal import Storage

/// The index of a counter that is being defined.
///
/// It is durable before the TPM defines the counter, and removed after the ledger is durable. So
/// the counter of a killed engine is either in a ledger, or the next engine removes it.
struct CounterIntent: Sendable {
  /// How often an index is drawn until one is free.
  private static let draws = 16

  let directory: MachineKeyDirectory
  let tpm: any TPMSealing

  /// Defines a counter at a free index, whose ledger is not written yet.
  ///
  /// - Throws: why this TPM takes no counter.
  func define(
    parentName: [UInt8],
    authorization: SharedSecret
  ) throws(VaultFailure) -> TPMCounter {
    try clear()
    for _ in 0..<Self.draws {
      let index = UInt32.random(in: TPMCounter.indices)
      try stored { () throws(StorageError) in try directory.write(intended: index) }
      do throws(TPMFailure) {
        return try tpm.bound(to: parentName).defineCounter(index, authorization: authorization)
      } catch .indexTaken {
        continue
      } catch {
        switch error {
        // The helper may still define it, so the index stays for the next engine.
        case .unreachable: break
        default: try? clear()
        }
        throw .counterNotDefined(error)
      }
    }
    end()
    throw .counterNotDefined(.unexpected("no free index"))
  }

  /// The ledger of the counter is durable, or the counter was removed.
  func end() {
    // If this fails, the next engine finds the index in the ledger, or not in the TPM.
    try? directory.removeIntended()
  }

  /// Removes the counter of an interrupted definition, unless the ledger has it.
  ///
  /// - Throws: why it is still there.
  func clear() throws(VaultFailure) {
    guard let index = try stored({ () throws(StorageError) in try directory.intended() }) else {
      return
    }
    if try !isInLedger(index) {
      do throws(TPMFailure) { try tpm.removeCounter(index) } catch {
        throw .counterNotDefined(error)
      }
    }
    try stored { () throws(StorageError) in try directory.removeIntended() }
  }

  /// A forged ledger keeps a counter that nothing uses, and does no other harm.
  private func isInLedger(_ index: UInt32) throws(VaultFailure) -> Bool {
    let bytes = try stored { () throws(StorageError) in
      try directory.exists() ? directory.ledger() : nil
    }
    return bytes.flatMap { try? CounterLedger(parsing: $0) }?.counter.index == index
  }

  private func stored<Value>(
    _ step: () throws(StorageError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(StorageError) { return try step() } catch { throw VaultFailure(error) }
  }
}

extension MachineKeySlots {
  /// Removes the TPM's counter of a definition that an earlier engine did not finish.
  ///
  /// - Throws: why it is still there.
  package func removeUnfinishedCounter() throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      try CounterIntent(directory: directory, tpm: tpm).clear()
    }
  }

  /// Whether an earlier engine did not finish the definition of the TPM's counter.
  package var hasUnfinishedCounter: Bool { ((try? directory.intended()) ?? nil) != nil }
}

extension VaultFailure {
  /// The TPM takes no counter, or does not remove one.
  fileprivate static func counterNotDefined(_ failure: TPMFailure) -> VaultFailure {
    // The storage key is there: a slot was sealed with it.
    guard failure == .ownerPassword else { return .slotNotSealed(failure) }
    return .invalidArgument(
      "the TPM has an owner password, so no counter can be defined: as root, remove the password"
    )
  }
}
