internal import Storage

/// The result of verifying the audit log.
package struct AuditVerdict: Equatable, Sendable {
  /// The number of records, and their first and last number.
  package var records = 0
  package var first: Int64 = 0
  package var last: Int64 = 0
  /// The first position that was changed; `nil` if the log is intact.
  package var found: AuditBreak?
}

/// Verifies the audit log page by page, to bound the memory and the wait of other calls.
///
/// Between two pages the log may grow, and pruning may shorten it; the keys stay the same.
package struct AuditVerification {
  private static let page = 256

  private let auditLog: AuditLog
  /// The number of the next record, and the code that it continues.
  private var expected: Int64 = 1
  private var previous = AuditChain.start
  /// The progress of the search for the right record; `nil` unless the one at `expected` is wrong.
  private var searched: Int64?

  /// Begins at the first record.
  package init(of auditLog: AuditLog) {
    self.auditLog = auditLog
  }

  /// Verifies one page; returns the verdict once there is one.
  package mutating func step(using keys: borrowing AuditKeys) throws(AuditFailure) -> AuditVerdict?
  {
    if searched != nil { return try search(using: keys) }
    let checkpoint: AuditCheckpoint
    switch try auditLog.checkpoint(using: keys) {
    case .missing: checkpoint = .start
    case .authentic(let value): checkpoint = value
    case .forged: return try verdict(AuditBreak(number: try firstNumber(), flaw: .checkpoint), keys)
    }
    if checkpoint.number >= expected {
      expected = checkpoint.number + 1
      previous = checkpoint.code
    }
    let first = try firstNumber()
    if first <= checkpoint.number {
      return try verdict(AuditBreak(number: first, flaw: .added), keys)
    }
    let rows = try readable(after: expected - 1)
    for row in rows {
      guard row.number == expected, row.owner == auditLog.owner,
        try auditLog.code(of: row, number: expected, previous: previous, using: keys) == row.mac
      else {
        searched = 0
        return nil
      }
      expected += 1
      previous = row.mac
    }
    if rows.count == Self.page { return nil }
    let next = try auditLog.stored(try auditLog.store.auditNumber(after: expected - 1))
    // A record that cannot be read ends the page early.
    if next != nil {
      searched = 0
      return nil
    }
    return try verdict(try judgeHead(checkpoint, using: keys), keys)
  }

  /// Compares the head with the end of an intact chain.
  private func judgeHead(
    _ checkpoint: AuditCheckpoint,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditBreak? {
    guard let head = try auditLog.head(using: keys).value else {
      return AuditBreak(number: expected, flaw: .head)
    }
    if head.last >= expected { return AuditBreak(number: expected, flaw: .truncated) }
    if head.last < expected - 1 { return AuditBreak(number: head.last + 1, flaw: .head) }
    if head.code != previous { return AuditBreak(number: max(1, head.last), flaw: .head) }
    if head.first != checkpoint.number + 1 {
      return AuditBreak(number: head.first, flaw: .checkpoint)
    }
    if try head.boxChanges != auditLog.boxChanges() {
      return AuditBreak(number: expected, flaw: .truncated)
    }
    return nil
  }

  /// The verdict with this break, or with an earlier one that the head has kept.
  private func verdict(
    _ found: AuditBreak?,
    _ keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditVerdict {
    var found = found
    if let known = try auditLog.head(using: keys).value?.broken {
      // For the same position, the head's break describes the state before further records came. It
      // does not say whether an added record is the copy of another.
      let isSame = known.number == found?.number && found?.flaw != .duplicated
      if isSame || known.number < found?.number ?? .max { found = known }
    }
    return AuditVerdict(
      records: try auditLog.stored(try auditLog.store.auditCount()),
      first: try auditLog.stored(try auditLog.store.auditNumber(after: 0)) ?? 0,
      last: try auditLog.stored(try auditLog.store.auditNumber(through: .max)) ?? 0,
      found: found
    )
  }

  // MARK: - What is wrong with a record

  /// Searches one page for the record that belongs at `expected`.
  private mutating func search(
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditVerdict? {
    if let pruned = try auditLog.checkpoint(using: keys).value, pruned.number >= expected {
      searched = nil
      return nil
    }
    let wrong = try record(at: expected)
    let from = searched ?? 0
    if from == 0 {
      if let wrong, try isCopy(wrong) { return try told(.duplicated, keys) }
      if wrong == nil, try isUnreadable(expected) { return try told(.altered, keys) }
      if let head = try auditLog.head(using: keys).value, expected > head.last {
        return try toldMore(wrong, keys)
      }
    }
    var rows = try readable(after: from)
    let isWhole = rows.count == Self.page
    for row in rows where row.number != expected {
      guard try isAuthentic(row, at: expected, after: previous, using: keys) else { continue }
      return try told(try placing(wrong, row, using: keys), keys)
    }
    if isWhole, let last = rows.popLast() {
      searched = last.number
      return nil
    }
    // There may be more records after one that cannot be read.
    let end = rows.last?.number ?? from
    let unreadable = try auditLog.stored(try auditLog.store.auditNumber(after: end))
    if let unreadable {
      searched = unreadable
      return nil
    }
    guard let wrong else { return try told(.dropped, keys) }
    // If the next record is authentic one number further, a record was dropped and the others
    // renumbered.
    if let next = try record(at: expected + 1),
      try isAuthentic(next, at: expected + 2, after: wrong.mac, using: keys)
    {
      return try told(.dropped, keys)
    }
    return try told(.altered, keys)
  }

  private func told(
    _ flaw: AuditFlaw,
    _ keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditVerdict {
    try verdict(AuditBreak(number: expected, flaw: flaw), keys)
  }

  /// The verdict on records after the last one: it names the number of the surplus record.
  private func toldMore(
    _ wrong: AuditRow?,
    _ keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditVerdict {
    guard wrong == nil else { return try told(.added, keys) }
    let next = try auditLog.readable(after: expected, limit: 1).first
    let isCopy = try next.map { row throws(AuditFailure) in try self.isCopy(row) } ?? false
    let number = try auditLog.stored(try auditLog.store.auditNumber(after: expected) ?? expected)
    return try verdict(AuditBreak(number: number, flaw: isCopy ? .duplicated : .added), keys)
  }

  /// The right record was found elsewhere: two were swapped, or one was inserted between.
  private func placing(
    _ wrong: AuditRow?,
    _ right: AuditRow,
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> AuditFlaw {
    guard let wrong, right.number == expected + 1 else { return .reordered }
    return try isAuthentic(wrong, at: right.number, after: right.mac, using: keys)
      ? .reordered : .added
  }

  private func isAuthentic(
    _ row: AuditRow,
    at number: Int64,
    after previous: [UInt8],
    using keys: borrowing AuditKeys
  ) throws(AuditFailure) -> Bool {
    try auditLog.code(of: row, number: number, previous: previous, using: keys) == row.mac
  }

  private func isCopy(_ row: AuditRow) throws(AuditFailure) -> Bool {
    try auditLog.stored(try auditLog.store.hasAuditCode(row.mac, besides: row.number))
  }

  private func isUnreadable(_ number: Int64) throws(AuditFailure) -> Bool {
    try auditLog.stored(try auditLog.store.auditNumber(after: number - 1) == number)
  }

  // MARK: - Reading

  private func firstNumber() throws(AuditFailure) -> Int64 {
    try auditLog.stored(try auditLog.store.auditNumber(after: .min) ?? expected)
  }

  private func record(at number: Int64) throws(AuditFailure) -> AuditRow? {
    try auditLog.readable(after: number - 1, limit: 1).first.flatMap {
      $0.number == number ? $0 : nil
    }
  }

  private func readable(after number: Int64) throws(AuditFailure) -> [AuditRow] {
    try auditLog.readable(after: number, limit: Self.page)
  }
}

extension AuditLog {
  /// A page of records, up to the first that cannot be read because it holds values that the engine
  /// never writes.
  func readable(after number: Int64, limit: Int) throws(AuditFailure) -> [AuditRow] {
    do throws(StorageError) {
      return try store.audit(after: number, limit: limit)
    } catch {
      guard case .damaged = error else { throw .storage(error) }
    }
    var rows: [AuditRow] = []
    while rows.count < limit {
      do throws(StorageError) {
        guard let row = try store.audit(after: rows.last?.number ?? number, limit: 1).first else {
          break
        }
        rows.append(row)
      } catch {
        guard case .damaged = error else { throw .storage(error) }
        break
      }
    }
    return rows
  }

  /// Verifies the whole chain at once, inside a transaction or before any other call is served.
  package func verifyChain(using keys: borrowing AuditKeys) throws(AuditFailure) -> AuditVerdict {
    var verification = AuditVerification(of: self)
    while true {
      if let verdict = try verification.step(using: keys) { return verdict }
    }
  }
}
