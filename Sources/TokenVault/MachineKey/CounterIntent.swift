internal import MachineKey
internal import SecretMemory
internal import Storage

// A definition of the TPM's counter has these steps:
//
// 1. Make its index and its first authorization value durable: the file `machine-key.counter`.
// 2. Define the counter with that value.
// 3. Make the ledger durable, and the state that says that there is a counter.
// 4. Replace the authorization value, and remove the file.
//
// | killed        | the next engine                                             |
// |---------------|-------------------------------------------------------------|
// | before step 3 | removes the counter, because it has its first value         |
// | before step 4 | does step 4 at its first comparison                         |
// | in step 4     | finds another value, leaves the counter, removes the file   |
//
// So only a counter that no directory uses is removed. An engine may also open a copy of the
// directory from any step: the TPM itself shows whether step 4 was done.
//
// A removal first writes its index and its last value. After the state says that there is no
// counter, the next engine removes the counter as well.

/// The TPM's counter that is being defined or removed.
///
/// The record ensures that a killed engine leaves no unused counter.
struct CounterIntent: Sendable {
  /// How many random indices are tried until one is free.
  private static let draws = 16

  let directory: MachineKeyDirectory
  let tpm: any TPMSealing

  /// Defines a counter at a free index, whose ledger is not written yet.
  ///
  /// - Throws: why this TPM accepts no counter.
  func define(
    parentName: [UInt8],
    authorization: SharedSecret
  ) throws(VaultFailure) -> TPMCounter {
    try clear()
    for _ in 0..<Self.draws {
      let index = UInt32.random(in: TPMCounter.indices)
      try write(index, parentName, authorization)
      do throws(TPMFailure) {
        return try tpm.bound(to: parentName).defineCounter(index, authorization: authorization)
      } catch .indexTaken {
        continue
      } catch {
        switch error {
        // The helper may still define it, so the file stays for the next engine.
        case .unreachable: break
        default: try? clear()
        }
        throw .counterNotDefined(error)
      }
    }
    end()
    throw .counterNotDefined(.unexpected("no free index"))
  }

  /// Writes the counter that is being defined or removed, durably.
  func write(
    _ index: UInt32,
    _ parentName: [UInt8],
    _ authorization: SharedSecret
  ) throws(VaultFailure) {
    let pending = PendingCounter(
      index: index,
      parentName: parentName,
      authorization: authorization
    )
    let bytes: [UInt8]
    do throws(MachineKeyError) { bytes = try pending.encoded } catch {
      throw .unexpected("the counter cannot be noted: \(error)")
    }
    try stored { () throws(StorageError) in try directory.write(pendingCounter: bytes) }
  }

  /// The directory uses the counter, or it was removed.
  func end() {
    // If this fails, the next engine removes the file.
    try? directory.removePendingCounter()
  }

  /// Removes the counter of an interrupted definition or removal, unless the directory uses it.
  ///
  /// - Throws: why it may still be there.
  func clear() throws(VaultFailure) {
    if let pending = try pending(), try !isInUse(pending.index) {
      do throws(TPMFailure) {
        try tpm.bound(to: pending.parentName)
          .removeCounter(pending.index, authorization: pending.authorization)
      } catch .wrongAuthorization {
        // The original of this copied directory uses the counter.
      } catch .anotherTPM {
        // The TPM was cleared, or this is another machine.
      } catch {
        throw .counterNotRemoved(error)
      }
    }
    try stored { () throws(StorageError) in try directory.removePendingCounter() }
  }

  /// The counter in the file; `nil` if there is none, or the file is damaged.
  private func pending() throws(VaultFailure) -> PendingCounter? {
    let bytes: [UInt8]?
    do throws(StorageError) { bytes = try directory.pendingCounter() } catch {
      guard case .damaged = error else { throw VaultFailure(error) }
      return nil
    }
    return bytes.flatMap { try? PendingCounter(parsing: $0) }
  }

  /// Whether ledger and state name this counter.
  ///
  /// A forged file can only keep an unused counter in the TPM.
  private func isInUse(_ index: UInt32) throws(VaultFailure) -> Bool {
    let (ledger, state) = try stored { () throws(StorageError) -> ([UInt8]?, [UInt8]?) in
      guard try directory.exists() else { return (nil, nil) }
      return (try directory.ledger(), try directory.state())
    }
    guard let ledger, (try? CounterLedger(parsing: ledger))?.counter.index == index else {
      return false
    }
    // A state that is missing or damaged counts as one with a counter.
    return state.flatMap { try? MachineKeyState(parsing: $0) }?.hasCounter ?? true
  }

  private func stored<Value>(
    _ step: () throws(StorageError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(StorageError) { return try step() } catch { throw VaultFailure(error) }
  }
}

extension MachineKeySlots {
  /// Removes the TPM's counter whose definition or removal an earlier engine did not finish.
  ///
  /// - Throws: why it may still be there.
  package func removeUnfinishedCounter() throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      try CounterIntent(directory: directory, tpm: tpm).clear()
    }
  }

  /// Whether an earlier engine did not finish the definition or the removal of the TPM's counter.
  package var hasUnfinishedCounter: Bool { (try? directory.hasPendingCounter()) ?? true }
}

extension VaultFailure {
  /// The TPM accepts no counter.
  fileprivate static func counterNotDefined(_ failure: TPMFailure) -> VaultFailure {
    // The storage key exists, because a slot was sealed with it.
    guard failure == .ownerPassword else { return .slotNotSealed(failure) }
    return .invalidArgument(
      "the TPM has an owner password, so no counter can be defined: as root, remove the password"
    )
  }

  /// The TPM does not remove a counter.
  fileprivate static func counterNotRemoved(_ failure: TPMFailure) -> VaultFailure {
    guard failure == .ownerPassword else { return .slotNotSealed(failure) }
    return .invalidArgument(
      "the TPM has an owner password, so the unused counter stays: as root, remove the password"
    )
  }
}
