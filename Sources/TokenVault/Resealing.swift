internal import Cryptography
internal import SecretMemory
internal import Storage

// What a rekey brings from one key under another, inside its transaction.
extension Vault {
  private static let auditPage = 512

  /// Opens every print and seals it anew; how many there are.
  func resealPrints(under key: borrowing SealingKey) throws(VaultFailure) -> Int {
    let rows = try stored { () throws(StorageError) in try self.store.allPrints() }
    for row in rows {
      let box: [UInt8]
      do throws(CryptographyError) {
        let context = try printContext(row)
        let print = try SealedBox(parsing: row.sealed).open(using: deviceSecret, context: context)
        let sealed = try SealedBox.seal(print, using: key, context: context)
        let again = try SealedBox(parsing: sealed.bytes).open(using: key, context: context)
        guard SecretBytes.constantTimeEqual(print, again) else { throw .damaged }
        box = sealed.bytes
      } catch {
        throw .vaultUnsafe(
          "the sealed print of \(row.finger) does not open: \(error)",
          hint: "nothing was changed; delete the finger and enroll it again"
        )
      }
      try stored { () throws(StorageError) in try self.store.setSealedPrint(id: row.id, to: box) }
    }
    return rows.count
  }

  /// The codes over the sets of enrolled fingers that were confirmed, which no other key may keep.
  func resealEnrolledSets(under key: borrowing SealingKey) throws(VaultFailure) {}

  /// Verifies the whole trail under the old key and authenticates it under the new one; how many
  /// records it has.
  ///
  /// A trail that is not whole is refused: a new key must not vouch for what was edited.
  func resealAudit(
    from old: borrowing SealingKey,
    to new: borrowing SealingKey
  ) throws(VaultFailure) -> Int {
    var count = 0
    var last: Int64 = 0
    var previous = (old: AuditChain.start, new: AuditChain.start)
    while true {
      let page = try stored { () throws(StorageError) in
        try self.store.audit(after: last, limit: Self.auditPage)
      }
      for row in page {
        guard row.number == last + 1,
          row.mac == (try code(of: row, after: previous.old, using: old)),
          let fresh = try code(of: row, after: previous.new, using: new)
        else {
          throw .vaultUnsafe(
            "the audit trail is not whole at record \(last + 1): a new key would hide that",
            hint: "nothing was changed; keep a copy of the state directory, and find out who did it"
          )
        }
        try stored { () throws(StorageError) in
          try self.store.setAuditCode(of: row.number, to: fresh)
        }
        previous = (row.mac, fresh)
        last = row.number
        count += 1
      }
      if page.count < Self.auditPage { return count }
    }
  }

  /// The code that a record must have; nil for one that this program would not write.
  private func code(
    of row: AuditRow,
    after previous: [UInt8],
    using key: borrowing SealingKey
  ) throws(VaultFailure) -> [UInt8]? {
    guard let event = AuditEvent(rawValue: row.event),
      let outcome = AuditOutcome(rawValue: row.outcome),
      (row.accountID == nil) == (row.account == nil)
    else { return nil }
    var entry = AuditEntry(event: event, outcome: outcome)
    if let identifier = row.accountID, let name = row.account { entry.account = (identifier, name) }
    entry.method = row.method
    entry.requester = row.requester
    entry.detail = row.detail
    do throws(CryptographyError) {
      return try authenticate(
        AuditChain.message(number: row.number, time: row.time, entry: entry, previous: previous),
        using: key
      )
    } catch {
      throw .unexpected("the trail cannot be authenticated: \(error)")
    }
  }
}
