internal import Storage

/// The limits of the audit log.
package struct AuditLimits: Sendable {
  /// The longest age of a record, in seconds.
  package let seconds: Int64
  /// The highest number of records.
  package let records: Int
  /// The highest number of their bytes; `nil` for no limit.
  package let bytes: Int64?

  /// One year, and 100,000 records.
  package static let standard = AuditLimits(seconds: 365 * 86_400, records: 100_000)

  /// Creates limits from these parts.
  package init(seconds: Int64, records: Int, bytes: Int64? = nil) {
    self.seconds = seconds
    self.bytes = bytes
    self.records = max(2, records)
  }
}

extension AuditLog {
  // MARK: - New keys

  /// Authenticates every record, the head and the checkpoint again, under other keys.
  ///
  /// It runs inside the transaction that changes the device secret, as the last step. So the
  /// records and counts of that transaction are included. A broken log does not become intact: its
  /// first break stays in the new head permanently.
  package func reauthenticate(
    from old: borrowing AuditKeys,
    to new: borrowing AuditKeys
  ) throws(AuditFailure) {
    let verdict = try verifyChain(using: old)
    let checkpoint = try checkpoint(using: old).value ?? .start
    var head = try head(using: old).value ?? .empty
    head.first = checkpoint.number + 1
    head.last = checkpoint.number
    head.code = checkpoint.code
    if let found = verdict.found { head.note(found) }
    var position: Int64 = .min
    while true {
      let rows = try readable(after: position, limit: 256)
      for var row in rows {
        row.mac = try code(of: row, number: row.number, previous: head.code, using: new)
        try stored(try store.setAuditCode(row.mac, of: row.number))
        guard row.number <= Self.mostNumber else { continue }
        head.last = row.number
        head.code = row.mac
      }
      let end = rows.last?.number ?? position
      // A record that cannot be read keeps its code: it is the recorded break.
      guard let next = try stored(try store.auditNumber(after: end)) else { break }
      position = rows.count == 256 ? end : next
    }
    head.count = Int64(try stored(try store.auditCount()))
    head.boxChanges = try boxChanges()
    if checkpoint != .start { try write(checkpoint, using: new) }
    try write(head, using: new)
  }

  // MARK: - Pruning

  /// The last number to remove; `nil` if all records may stay.
  package func endOfPruning(
    to limits: AuditLimits,
    at time: Int64,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> Int64? {
    guard let head = try head(using: keys).value else { return nil }
    var end = head.first - 1
    let oldest = time.subtractingReportingOverflow(limits.seconds)
    if !oldest.overflow {
      let kept = try stored(try store.auditNumber(since: oldest.partialValue))
      end = max(end, (kept ?? head.last) - 1)
    }
    if head.count > Int64(limits.records) {
      // Remove somewhat more than needed, so that not every further record causes another pruning.
      // Leave room for the record about the pruning.
      end = max(end, head.last - Int64(limits.records - 1 - limits.records / 100))
    }
    if let bytes = limits.bytes {
      let kept = bytes - bytes / 100
      let tooOld = try stored(try store.auditNumber(beyondBytes: bytes, keeping: kept))
      if let tooOld { end = max(end, tooOld) }
    }
    // The last record always stays, because the head is about it.
    end = min(end, head.last - 1)
    return end >= head.first ? end : nil
  }

  /// Removes the records up to a number, and leaves a checkpoint and a record about it.
  ///
  /// - Parameters:
  ///   - end: the last number to remove.
  ///   - found: the break that a verification has just found; it stays in the head permanently.
  ///   - time: the present time.
  ///   - keys: the keys of this log.
  /// - Returns: the number of the record about it; `nil` if nothing was removed.
  /// - Throws: failures of the store or of cryptography.
  @discardableResult
  package func prune(
    through end: Int64,
    found: AuditBreak?,
    at time: Int64,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> Int64? {
    guard var head = try head(using: keys).value, end < head.last else { return nil }
    if let found { head.note(found) }
    let last = try stored(try store.auditNumber(through: end)) ?? end
    let code = try stored(try store.auditCodes(from: last, limit: 1)).first?.mac ?? []
    let removed = try stored(try store.deleteAudit(through: end))
    // A code of another length was changed from outside, and the chain cannot continue from it; the
    // break is already known.
    let isCode = code.count == AuditChain.start.count
    try write(AuditCheckpoint(number: end, code: isCode ? code : AuditChain.start), using: keys)
    head.first = end + 1
    head.count -= Int64(removed)
    try write(head, using: keys)
    var entry = AuditEntry(event: .pruning, outcome: .done)
    entry.requester = "thumblatchd"
    entry.detail = "\(removed) records removed, up to number \(end)"
    return try append(entry, at: time, using: keys)
  }
}
