internal import Cryptography
internal import Presence
internal import SecretMemory
internal import Storage

/// What a change of the device secret has sealed and authenticated anew.
public struct RekeyFacts: Sendable, Equatable {
  /// Refresh tokens.
  public let accounts: Int
  /// Prints.
  public let prints: Int
  /// Records of the trail.
  public let records: Int
}

// The way: everybody's account taken and recovered → the next secret durable beside the one in use
// → one transaction: every token and print sealed anew, the trail verified and authenticated anew,
// the store names the next secret → log emptied → mark under the new key → the next secret in place
// of the old one, whose bytes are overwritten.
//
// | killed                  | the next start finds              | and                            |
// |-------------------------|-----------------------------------|--------------------------------|
// | before the commit       | the store names the secret in use | removes the next one           |
// | after the commit        | the store names the next secret   | empties the log, makes the     |
// |                         |                                   | mark, puts it in place         |
// | after it is in place    | one secret, which the store names | works                          |
extension Vault {
  /// Makes a new device secret, and brings everything under it; after the system password.
  ///
  /// - Throws: `presenceNeeded`; `vaultUnsafe` where a box does not open: nothing was changed then.
  public func rekey(prompt: String?, caller: Caller) async throws(VaultFailure) -> RekeyFacts {
    try demandCurrentStore()
    let question = PromptQuestion(user: caller.user, purpose: .rekey, account: nil)
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    let authority = Authority(try spendable(prompt, question: question, caller: caller))
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      let found = try await self.recover(identifier, slot)
      // The next secret does not open it.
      if case .waiting(let why) = found { throw why }
      // A torn answer of an exchange that has ended is under a key of the old secret.
      try self.empty(slot)
    } _: { () throws(VaultFailure) in
      try self.rekey(authority, caller)
    }
  }

  private func rekey(_ authority: Authority, _ caller: Caller) throws(VaultFailure) -> RekeyFacts {
    // The next secret of an earlier rekey may be the only copy of the one in use.
    if isRekeyUnfinished { try finishRekey() }
    let next = try nextKeys()
    let facts: RekeyFacts
    do throws(VaultFailure) {
      facts = try change { () throws(VaultFailure) in
        try self.seal(under: next, authority, caller)
      }
    } catch {
      discardNextUnlessNamed()
      // Why it failed matters more than that it cannot be written down.
      if case .vaultUnsafe = error { try? noteFailure(caller) }
      throw error
    }
    take(next)
    withdrawPresence()
    isRekeyUnfinished = true
    try finishRekey()
    return facts
  }

  /// The one transaction.
  private func seal(
    under next: borrowing VaultKeys,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) -> RekeyFacts {
    let accounts = try resealedAccounts(under: next.secret, authority: authority, caller: caller)
    for row in accounts { try stored { () throws(StorageError) in try self.store.update(row) } }
    try resealClientSecrets(under: next.secret)
    let prints = try resealPrints(under: next.secret)
    try resealFormerPrints(under: next.secret)
    try resealEnrolledSet(under: next.secret)
    try countBoxChange()
    try sealBoxes(try boxChanges(), using: next.mark)
    try record(
      AuditEntry(
        .rekey,
        .done,
        account: nil,
        caller: caller,
        method: authority.method,
        detail: "\(accounts.count) tokens, \(prints) prints"
      )
    )
    let identifier = next.identifier
    try stored { () throws(StorageError) in
      try self.store.setMeta(Opening.secretKey, to: identifier)
    }
    let records = try resealTrail(under: next.trail)
    return RekeyFacts(accounts: accounts.count, prints: prints, records: records)
  }

  private func nextKeys() throws(VaultFailure) -> VaultKeys {
    let secret = try stored { () throws(StorageError) in
      try DeviceSecretFile.makeNext(in: self.directory)
    }
    do throws(CryptographyError) {
      return try VaultKeys(secret)
    } catch {
      try? DeviceSecretFile.discardNext(in: directory)
      throw .unexpected("the new device secret cannot be used: \(error)")
    }
  }

  /// After the commit nothing is sealed or opened under the old keys any more: they are wiped.
  private func take(_ next: consuming VaultKeys) {
    deviceSecret = next.secret
    trailKeys = next.trail
    markKey = next.mark
  }

  /// After a failed transaction; where it is not known how it ended, the next start finds out.
  private func discardNextUnlessNamed() {
    guard let named = try? store.meta(Opening.secretKey), named == deviceSecret.identifier else {
      return
    }
    try? DeviceSecretFile.discardNext(in: directory)
  }

  private func noteFailure(_ caller: Caller) throws(VaultFailure) {
    try change { () throws(VaultFailure) in
      try self.record(AuditEntry(.rekey, .failed, account: nil, caller: caller))
    }
  }

  // MARK: - After the commit

  /// Removes what was under the old secret, and the old secret.
  func finishRekey() throws(VaultFailure) {
    let count = try boxChanges()
    do {
      try Self.finishRekey(store, count, of: identifier, using: markKey, in: directory)
    } catch let error as StorageError {
      if case .uncertain = error { throw failure(of: error) }
      throw .vaultUnsafe(
        "the new device secret is in use, but the old one could not be removed: \(error)",
        hint: "the next start of the engine removes it"
      )
    } catch {
      throw .unexpected("the rollback mark cannot be made: \(error)")
    }
    isRekeyUnfinished = false
    markedCount = count
    isMarkBehind = false
  }

  /// What is left to do once the store names the next secret; it can be repeated.
  ///
  /// While the next secret is not in its place, a start comes here: so that is the last step.
  static func finishRekey(
    _ store: Store,
    _ count: UInt64,
    of identifier: [UInt8],
    using markKey: borrowing SealingKey,
    in directory: StateDirectory
  ) throws {
    // The log still holds the old boxes.
    try store.checkpoint()
    try writeMark(count, of: identifier, using: markKey, in: directory)
    try DeviceSecretFile.adoptNext(in: directory)
  }
}
