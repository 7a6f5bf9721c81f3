internal import PlainText
internal import Synchronization
internal import VaultInterface

/// A part of the audit log, oldest first.
struct ActivityPart: Sendable {
  let records: [VaultAuditRecord]
  let marks: [ActivityMarks]
}

/// The records of the audit log that were read.
///
/// A thread of its own reads them, another one looks through them, and the main thread shows some.
final class ActivityRecords: Sendable {
  /// Where a record is.
  struct Location: Sendable {
    let isOlder: Bool
    let part: Int32
    let index: Int32
  }

  /// What a look through the records has found, oldest first.
  struct Found: Sendable {
    var older: [Location] = []
    var newer: [Location] = []
    /// How many newer parts there were.
    var parts = 0
  }

  private struct Content {
    /// The parts that were read first, and those that came behind them.
    var newer: [ActivityPart] = []
    /// The parts from before.
    var older: [ActivityPart] = []
    /// The accounts by their names.
    var accounts: [ByteText: Int32] = [:]
  }

  private let content = Mutex(Content())

  /// Adds records behind the others, or behind the older ones; tells the names of accounts that are
  /// new here.
  func append(_ records: [VaultAuditRecord], isOlder: Bool) -> [String] {
    content.withLock { content in
      var new: [String] = []
      let marks = records.map { record in
        let account = record.account.map { name in
          let name = ByteText(name)
          if let known = content.accounts[name] { return known }
          let number = Int32(content.accounts.count)
          content.accounts[name] = number
          new.append(name.text)
          return number
        }
        return ActivityMarks(
          time: record.time,
          kind: ActivityFilter.Kind(of: record.event),
          outcome: ActivityFilter.Outcome(of: record.outcome),
          account: account
        )
      }
      let part = ActivityPart(records: records, marks: marks)
      if isOlder { content.older.append(part) } else { content.newer.append(part) }
      return new
    }
  }

  /// The record at a location; `nil` after the records were dropped.
  func record(at location: Location) -> VaultAuditRecord? {
    content.withLock { content in
      let parts = location.isOlder ? content.older : content.newer
      guard parts.indices.contains(Int(location.part)) else { return nil }
      return parts[Int(location.part)].records[Int(location.index)]
    }
  }

  /// The number of an account; `nil` if no record names it.
  func number(of account: String) -> Int32? {
    content.withLock { $0.accounts[ByteText(account)] }
  }

  /// Looks for the records that pass: the newer ones from a part on, and the older ones too or not.
  func found(by sieve: ActivitySieve, from first: Int, withOlder: Bool) -> Found {
    let (newer, older) = content.withLock { ($0.newer, withOlder ? $0.older : []) }
    var found = Found(parts: newer.count)
    for (number, part) in older.enumerated() {
      for (index, marks) in part.marks.enumerated() where sieve.passes(marks) {
        found.older.append(
          Location(isOlder: true, part: Int32(number), index: Int32(index))
        )
      }
    }
    for (number, part) in newer.enumerated().dropFirst(first) {
      for (index, marks) in part.marks.enumerated() where sieve.passes(marks) {
        found.newer.append(
          Location(isOlder: false, part: Int32(number), index: Int32(index))
        )
      }
    }
    return found
  }

  /// Drops all records; that takes a moment.
  func drop() {
    let dropped = content.withLock { content in
      defer { content = Content() }
      return content
    }
    // They end here, without the lock.
    _ = consume dropped
  }
}
