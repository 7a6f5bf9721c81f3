internal import AuditLog
internal import Cryptography
internal import MachineKey
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage

/// The numbers of boxes and records that a change of the device secret has sealed again.
package struct RekeyFacts: Sendable, Equatable {
  /// Refresh tokens.
  package let accounts: Int
  package let prints: Int
  /// Records of the audit log.
  package let records: Int
}

// The steps of a rekey:
//
// 1. Enter every account, and recover it.
// 2. Make the next secret durable beside the one in use.
// 3. In one transaction, seal every token and print again, verify the audit log and authenticate it
//    again, and let the store name the next secret.
// 4. Empty the write-ahead log.
// 5. Write the rollback counter under the new key.
// 6. Put the next secret in place of the old one, whose bytes are overwritten.
//
// | killed                | the next start finds              | and                             |
// |-----------------------|-----------------------------------|---------------------------------|
// | before the commit     | the store names the secret in use | removes the next one            |
// | after the commit      | the store names the next secret   | empties the write-ahead log,    |
// |                       |                                   | writes the rollback counter,    |
// |                       |                                   | puts the next secret in place   |
// | after it is in place  | one secret, which the store names | works                           |
extension Vault {
  /// Makes a new device secret and seals everything again under it; needs the system password.
  ///
  /// - Throws: `presenceNeeded`; `vaultUnsafe` if a box does not open: nothing was changed then.
  ///
  /// If there is a machine key, the new root is made of both.
  package func rekey(prompt: String?, caller: Caller) async throws(VaultFailure) -> RekeyFacts {
    try demandCurrentStore()
    let question = caller.question(.rekey)
    let authority = Authority(try await proof(of: question, by: prompt, caller))
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      try await self.emptyForRekey(identifier, slot)
    } _: { () throws(VaultFailure) in
      try self.rekey(.byPassword(authority), caller)
    }
  }

  /// Recovers an account whose answers the next secret will not open.
  func emptyForRekey(
    _ identifier: [UInt8],
    _ slot: borrowing SlotFile
  ) async throws(VaultFailure) {
    let found = try await recover(identifier, slot)
    // The next secret does not open an answer that still waits in the slot.
    if case .waiting(let why) = found { throw why }
    // A torn answer of a finished exchange is under a key of the old secret.
    try empty(slot)
  }

  func rekey(_ reason: Resealing, _ caller: Caller) throws(VaultFailure) -> RekeyFacts {
    // The next secret of an earlier rekey may be the only copy of the secret in use.
    if storeState.isRekeyUnfinished { try finishRekey() }
    let machineKey = machineKeySlots?.opened
    if needsMachineKey { try machineKeySlots?.withdraw(owner) }
    let next = try nextKeys(machineKey)
    let facts: RekeyFacts
    do throws(VaultFailure) {
      if needsMachineKey { try machineKeySlots?.announce(next.identifier, of: owner) }
      facts = try change { try seal(under: next, reason, caller) }
    } catch {
      discardNextUnlessNamed()
      // The reason of the failure matters more than a failure to record it.
      if case .vaultUnsafe = error { try? noteFailure(caller) }
      throw error
    }
    storeState.replaceKeys(by: next, underMachineKey: machineKey != nil)
    discardProofs()
    // If this fails, the announcement refuses an old copy, and the next start records it.
    if machineKey != nil { try? machineKeySlots?.noteAdopted(owner) }
    try finishRekey()
    return facts
  }

  /// Seals everything again, in the one transaction.
  private func seal(
    under next: borrowing VaultKeys,
    _ reason: Resealing,
    _ caller: Caller
  ) throws(VaultFailure) -> RekeyFacts {
    let accounts = try resealedAccounts(under: next.secret, reason, caller: caller)
    for row in accounts { try stored(try store.update(row)) }
    try resealClientSecrets(under: next.secret)
    let prints = try resealPrints(under: next.secret)
    try resealFormerPrints(under: next.secret)
    try resealSecurityKeys(under: next.secret)
    try resealEnrolledSet(under: next.secret)
    try countBoxChange()
    try sealBoxes(try boxChanges(), using: next.counter)
    try record(
      .rekey,
      .done,
      by: caller,
      method: reason.method,
      detail: "\(accounts.count) tokens, \(prints) prints\(reason.detail)"
    )
    let identifier = next.identifier
    try stored(try store.setMeta(Opening.secretKey, to: identifier))
    let records = try resealAudit(under: next.audit)
    return RekeyFacts(accounts: accounts.count, prints: prints, records: records)
  }

  private func nextKeys(_ machineKey: MachineKey?) throws(VaultFailure) -> VaultKeys {
    let secret = try stored(try DeviceSecretFile.makeNext(in: directory))
    do throws(CryptographyError) {
      return try VaultKeys(of: secret, machineKey)
    } catch {
      try? DeviceSecretFile.discardNext(in: directory)
      throw .unexpected("the new device secret cannot be used: \(error)")
    }
  }

  /// Removes the next secret after a failed transaction.
  ///
  /// If it is not known how the transaction ended, the next start finds out.
  private func discardNextUnlessNamed() {
    guard let named = try? store.meta(Opening.secretKey), named == storeState.keys.secret.identifier
    else { return }
    do {
      if needsMachineKey { try machineKeySlots?.withdraw(owner) }
      try DeviceSecretFile.discardNext(in: directory)
    } catch {
      // The next start, or the next rekey, does both in this order.
      return
    }
  }

  private func noteFailure(_ caller: Caller) throws(VaultFailure) {
    try change { try record(.rekey, .failed, by: caller) }
  }

  // MARK: - After the commit

  /// Removes everything that was under the old secret, and the old secret.
  func finishRekey() throws(VaultFailure) {
    let count = try boxChanges()
    do {
      try Self.finishRekey(
        store,
        count,
        of: identifier,
        using: storeState.keys.counter,
        in: directory
      )
    } catch let error as StorageError {
      if case .uncertain = error { throw failure(of: error) }
      throw .vaultUnsafe(
        "the new device secret is in use, but the old one could not be removed: \(error)",
        hint: "the next start of the engine removes it"
      )
    } catch {
      throw .unexpected("the rollback counter cannot be written: \(error)")
    }
    storeState.noteRekeyFinished()
    storeState.noteCounter(count)
    storeState.noteCounterRaised()
    machineKeySlots?.note(count, of: identifier)
  }

  /// The steps that are left once the store names the next secret; they can be repeated.
  ///
  /// A start comes here until the next secret is in its place, so that is the last step.
  static func finishRekey(
    _ store: Store,
    _ count: UInt64,
    of identifier: [UInt8],
    using counterKey: borrowing SealingKey,
    in directory: StateDirectory
  ) throws {
    // The write-ahead log still holds the old boxes.
    try store.checkpoint()
    try writeCounter(count, of: identifier, using: counterKey, in: directory)
    try DeviceSecretFile.adoptNext(in: directory)
  }
}
