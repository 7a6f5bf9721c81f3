internal import AuditLog
internal import Cryptography
internal import SecretMemory
internal import Storage

// The parts of a rekey that bring data from one key under another, inside its transaction.
extension Vault {
  /// Opens every print and seals it again under the new key; returns their number.
  func resealPrints(under key: borrowing SealingKey) throws(VaultFailure) -> Int {
    let rows = try stored(try store.allPrints())
    for row in rows {
      let box: [UInt8]
      do throws(CryptographyError) {
        box = try resealed(row.sealed, try printContext(row), under: key)
      } catch {
        throw .vaultUnsafe(
          "the sealed print of \(row.finger) does not open: \(error)",
          hint: "nothing was changed; delete the finger and enroll it again"
        )
      }
      try stored(try store.setSealedPrint(id: row.id, to: box))
    }
    return rows.count
  }

  /// Renews the code over the set of enrolled fingers that the password has confirmed.
  ///
  /// A code that this vault did not write is kept, and so is not valid under the new key either.
  func resealEnrolledSet(under key: borrowing SealingKey) throws(VaultFailure) {
    guard case .some = try confirmedSet(),
      var row = try stored(try store.enrolledSet(owner: owner))
    else { return }
    row.code = try mappingErrors(to: .unexpected("the enrolled fingers cannot be authenticated")) {
      try Self.enrolledSetCode(
        vault: identifier,
        owner: owner,
        source: row.source,
        text: row.fingers,
        under: key
      )
    }
    try stored(try store.put(row))
  }

  /// Authenticates the audit log under other keys, last in the transaction; returns the number of
  /// records.
  ///
  /// The log is verified under the old keys first. A broken log does not become intact: the break
  /// stays in its head permanently. So a rekey can be allowed even then, to the users that need it
  /// most.
  func resealAudit(under keys: borrowing AuditKeys) throws(VaultFailure) -> Int {
    try audited(try auditLog.reauthenticate(from: storeState.keys.audit, to: keys))
    return try stored(try store.auditCount())
  }
}
