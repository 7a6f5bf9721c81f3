internal import Cryptography
internal import Storage

/// How much of the trail is kept.
public struct TrailLimits: Sendable {
  /// For how long, in seconds.
  public let seconds: Int64
  /// How many records.
  public let records: Int
  /// How many bytes of them; nil: any.
  public let bytes: Int64?

  /// A year, and 100,000 records.
  public static let standard = TrailLimits(seconds: 365 * 86_400, records: 100_000)

  /// Of these parts.
  public init(seconds: Int64, records: Int, bytes: Int64? = nil) {
    self.seconds = seconds
    self.bytes = bytes
    self.records = max(2, records)
  }
}

extension Trail {
  // MARK: - New keys

  /// Authenticates every record, the head and the checkpoint anew, under other keys.
  ///
  /// Inside the transaction that changes the device secret, and last in it: what is recorded and
  /// counted before goes along. A trail that was not whole does not become so: its first break
  /// stays in the new head for good.
  func reauthenticate(
    from old: borrowing TrailKeys,
    to new: borrowing TrailKeys
  ) throws(TrailFailure) {
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
        try storing { () throws(StorageError) in
          try store.setAuditCode(row.mac, of: row.number)
        }
        guard row.number <= Self.mostNumber else { continue }
        head.last = row.number
        head.code = row.mac
      }
      let end = rows.last?.number ?? position
      guard
        // A record that cannot be read keeps what it has: it is the break that was noted.
        let next = try storing({ () throws(StorageError) in try store.auditNumber(after: end) })
      else { break }
      position = rows.count == 256 ? end : next
    }
    head.count = Int64(try storing { () throws(StorageError) in try store.auditCount() })
    head.boxChanges = try boxChanges()
    if checkpoint != .start { try write(checkpoint, using: new) }
    try write(head, using: new)
  }

  // MARK: - Pruning

  /// The last number that is to be removed; `nil` if all may stay.
  func endOfPruning(
    to limits: TrailLimits,
    at time: Int64,
    using keys: borrowing TrailKeys
  ) throws(TrailFailure) -> Int64? {
    guard let head = try head(using: keys).value else { return nil }
    var end = head.first - 1
    let oldest = time.subtractingReportingOverflow(limits.seconds)
    if !oldest.overflow {
      let kept = try storing { () throws(StorageError) in
        try store.auditNumber(since: oldest.partialValue)
      }
      end = max(end, (kept ?? head.last) - 1)
    }
    if head.count > Int64(limits.records) {
      // Some more than needed, so that not each further record is a reason again; and room for the
      // record about it.
      end = max(end, head.last - Int64(limits.records - 1 - limits.records / 100))
    }
    if let bytes = limits.bytes {
      let tooOld = try storing { () throws(StorageError) in
        try store.auditNumber(beyondBytes: bytes, keeping: bytes - bytes / 100)
      }
      if let tooOld { end = max(end, tooOld) }
    }
    // The last record stays in any case: the head is about it.
    end = min(end, head.last - 1)
    return end >= head.first ? end : nil
  }

  /// Removes the records up to a number, and leaves a checkpoint and a record about it.
  ///
  /// - Parameters:
  ///   - end: the last one to remove.
  ///   - found: what a check of the trail has found just now; it stays in the head for good.
  ///   - time: now.
  ///   - keys: of this trail.
  /// - Throws: what kept it from being done.
  func prune(
    through end: Int64,
    found: TrailBreak?,
    at time: Int64,
    using keys: borrowing TrailKeys
  ) throws(TrailFailure) {
    guard var head = try head(using: keys).value, end < head.last else { return }
    if let found { head.note(found) }
    let (removed, code) = try storing { () throws(StorageError) -> (Int, [UInt8]) in
      let last = try store.auditNumber(through: end) ?? end
      let code = try store.auditCodes(from: last, limit: 1).first?.mac ?? []
      return (try store.deleteAudit(through: end), code)
    }
    // One that was cut by somebody continues nothing; the break is known.
    let isCode = code.count == AuditChain.start.count
    try write(
      TrailCheckpoint(number: end, code: isCode ? code : AuditChain.start),
      using: keys
    )
    head.first = end + 1
    head.count -= Int64(removed)
    try write(head, using: keys)
    var entry = AuditEntry(event: .pruning, outcome: .done)
    entry.requester = "thumblatchd"
    entry.detail = "\(removed) records removed, up to number \(end)"
    try append(entry, at: time, using: keys)
  }
}
