package import Cryptography
package import Storage

/// Why the audit log could not be read or continued.
package enum AuditFailure: Error {
  case storage(StorageError)
  case cryptography(CryptographyError)
}

/// The audit log in the store: appends to it, and seals its ends.
///
/// All functions run inside the transaction of the calling function.
package struct AuditLog {
  static let headKey = "audit-head"
  static let checkpointKey = "audit-checkpoint"
  /// The key of the number of changes to sealed boxes in the store.
  package static let changesKey = "box-changes"
  /// The highest number that the engine writes.
  ///
  /// A forged record above it does not use the numbers up.
  package static let mostNumber: Int64 = 1 << 53

  let store: Store
  let vault: [UInt8]
  let owner: UInt32

  package init(store: Store, vault: [UInt8], owner: UInt32) {
    self.store = store
    self.vault = vault
    self.owner = owner
  }

  // MARK: - Its ends

  /// The state of an authenticated value in the store.
  enum End<Value: Equatable>: Equatable {
    case missing
    /// Not written by this vault, or written as another value.
    case forged
    case authentic(Value)

    var value: Value? {
      if case .authentic(let value) = self { value } else { nil }
    }
  }

  func head(using keys: borrowing AuditKeys) throws(AuditFailure) -> End<AuditHead> {
    try end(Self.headKey, AuditHead.kind, AuditHead.encodedCount, keys) { AuditHead(encoded: $0) }
  }

  func checkpoint(using keys: borrowing AuditKeys) throws(AuditFailure) -> End<AuditCheckpoint> {
    try end(Self.checkpointKey, AuditCheckpoint.kind, AuditCheckpoint.encodedCount, keys) {
      AuditCheckpoint(encoded: $0)
    }
  }

  package func write(_ head: AuditHead, using keys: borrowing AuditKeys) throws(AuditFailure) {
    try write(head.encoded, Self.headKey, AuditHead.kind, keys)
  }

  func write(_ checkpoint: AuditCheckpoint, using keys: borrowing AuditKeys) throws(AuditFailure) {
    try write(checkpoint.encoded, Self.checkpointKey, AuditCheckpoint.kind, keys)
  }

  /// Seals the end of the audit log of a new store, which has no record.
  package func begin(using keys: borrowing AuditKeys) throws(AuditFailure) {
    try write(.empty, using: keys)
  }

  private func end<Value>(
    _ key: String,
    _ kind: UInt8,
    _ count: Int,
    _ keys: borrowing AuditKeys,
    _ decode: ([UInt8]) -> Value
  ) throws(AuditFailure) -> End<Value> {
    guard let value = try stored(try store.meta(key)) else { return .missing }
    let seal = AuditSeal(kind: kind, vault: vault, owner: owner)
    guard let body = try made(try seal.open(value, count: count, using: keys)) else {
      return .forged
    }
    return .authentic(decode(body))
  }

  private func write(
    _ body: [UInt8],
    _ key: String,
    _ kind: UInt8,
    _ keys: borrowing AuditKeys
  ) throws(AuditFailure) {
    let seal = AuditSeal(kind: kind, vault: vault, owner: owner)
    let value = try made(try seal.seal(body, using: keys))
    try stored(try store.setMeta(key, to: value))
  }

  // MARK: - The count of changes to sealed boxes

  /// The number of changes to sealed boxes.
  func boxChanges() throws(AuditFailure) -> UInt64 {
    let bytes = try stored(try store.meta(Self.changesKey))
    return integer(littleEndian: (bytes ?? []).prefix(8))
  }

  /// Counts one more change to sealed boxes in the head, in the transaction that makes the change.
  ///
  /// A head that missed the previous change stays unchanged, so that the next record notices the
  /// break.
  package func bind(to boxChanges: UInt64, using keys: borrowing AuditKeys) throws(AuditFailure) {
    guard var head = try head(using: keys).value, head.boxChanges == boxChanges &- 1 else { return }
    head.boxChanges = boxChanges
    try write(head, using: keys)
  }

  /// Accepts the present count of changes, for a person who may restore an older store.
  package func acceptBoxChanges(using keys: borrowing AuditKeys) throws(AuditFailure) {
    guard var head = try head(using: keys).value else { return }
    head.boxChanges = try boxChanges()
    try write(head, using: keys)
  }

  // MARK: - Appending

  /// Appends a record, and updates the head.
  ///
  /// If the tail does not match the head, the log was changed from outside. The vault continues,
  /// because such a change must not make it unusable. But the head keeps the break permanently.
  ///
  /// - Returns: the number of the record.
  @discardableResult
  package func append(
    _ entry: AuditEntry,
    at time: Int64,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> Int64 {
    var head = try soundHead(using: keys)
    var row = AuditRow(
      number: head.last + 1,
      time: time,
      owner: owner,
      event: entry.event.rawValue,
      outcome: entry.outcome.rawValue,
      mac: []
    )
    row.accountID = entry.account?.identifier
    row.account = entry.account?.name
    row.method = entry.method
    row.requester = entry.requester
    row.detail = entry.detail
    row.mac = try code(of: row, number: row.number, previous: head.code, using: keys)
    try stored(try store.append(row))
    head.last = row.number
    head.count += 1
    head.code = row.mac
    try write(head, using: keys)
    return row.number
  }

  /// The code that a record must have at this number.
  package func code(
    of row: AuditRow,
    number: Int64,
    previous: [UInt8],
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> [UInt8] {
    try made(try AuditChain.code(of: row, number: number, previous: previous, using: keys.chain))
  }

  /// The head that the next record continues, even if the log was changed from outside.
  private func soundHead(using keys: borrowing AuditKeys) throws(AuditFailure) -> AuditHead {
    let changes = try boxChanges()
    guard let head = try head(using: keys).value else {
      return try headOfWhatIsThere(changes, using: keys)
    }
    // There must be no record after the head's last number, and the record of that number must have
    // the head's code.
    let rows = try stored(try store.auditCodes(from: max(1, head.last), limit: 2))
    let expected = head.last == 0 ? [] : [head.code]
    if head.boxChanges == changes, rows.map(\.mac) == expected,
      rows.first.map(\.number) ?? head.last == head.last
    {
      return head
    }
    return try mended(head, rows, changes, using: keys)
  }

  /// An authentic head that does not match the records: adapted to them, with the break noted.
  private func mended(
    _ old: AuditHead,
    _ rows: [(number: Int64, mac: [UInt8])],
    _ changes: UInt64,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditHead {
    var head = old
    if let row = rows.first, row.number == old.last {
      if row.mac != old.code { head.note(AuditBreak(number: old.last, flaw: .altered)) }
    } else if old.last > 0 {
      let last = try stored(try store.auditNumber(through: old.last))
      let missing = max(old.first, (last ?? 0) + 1)
      head.note(AuditBreak(number: missing, flaw: .truncated))
    }
    if let more = rows.first(where: { $0.number > old.last }) {
      // If the vault wrote a record that the head does not cover, an older head was restored.
      let row = try readable(after: old.last, limit: 1).first
      let isOurs = try row.map { row throws(AuditFailure) in
        try code(of: row, number: old.last + 1, previous: old.code, using: keys) == row.mac
      }
      head.note(AuditBreak(number: more.number, flaw: isOurs == true ? .head : .added))
    }
    if old.boxChanges != changes {
      head.note(AuditBreak(number: old.last + 1, flaw: .truncated))
    }
    head.boxChanges = changes
    return try placed(head, after: old.last)
  }

  /// A new head in place of one that is missing or forged.
  private func headOfWhatIsThere(
    _ changes: UInt64,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditHead {
    let checkpoint = try checkpoint(using: keys).value ?? .start
    let last = try stored(try store.auditNumber(through: Self.mostNumber))
    var head = AuditHead.empty
    head.first = checkpoint.number + 1
    head.boxChanges = changes
    head.code = checkpoint.code
    head = try placed(head, after: max(last ?? 0, checkpoint.number))
    head.note(AuditBreak(number: head.last + 1, flaw: .head))
    return head
  }

  /// The head, moved to the first free number after `number`, and with a new count.
  private func placed(_ old: AuditHead, after number: Int64) throws(AuditFailure) -> AuditHead {
    var head = old
    guard let free = try stored(try store.freeAuditNumber(after: number)) else {
      throw .storage(.damaged("the audit log has no numbers left"))
    }
    // The chain continues from the previous record, if that has a code.
    if free > 1, let before = try stored(try store.auditCodes(from: free - 1, limit: 1)).first,
      before.number == free - 1, before.mac.count == AuditChain.start.count,
      before.number != old.last
    {
      head.code = before.mac
    }
    head.last = free - 1
    head.count = Int64(try stored(try store.auditCount()))
    return head
  }

  // MARK: - Errors

  /// A step of the store.
  func stored<Value>(
    _ step: @autoclosure () throws(StorageError) -> Value
  ) throws(AuditFailure) -> Value {
    do { return try step() } catch { throw .storage(error) }
  }

  private func made<Value>(
    _ step: @autoclosure () throws(CryptographyError) -> Value
  ) throws(AuditFailure) -> Value {
    do { return try step() } catch { throw .cryptography(error) }
  }
}
