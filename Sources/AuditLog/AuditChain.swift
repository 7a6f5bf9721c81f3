internal import Cryptography
internal import Storage

/// The chain of the audit log: each record is authenticated together with the previous one.
///
/// So a record that was altered, dropped or reordered is noticed.
enum AuditChain {
  /// The code in place of a record before the first one.
  static let start = [UInt8](repeating: 0, count: 32)

  /// The code that a record must have at this number.
  ///
  /// The owner is not a part of it: the key belongs to one vault, and so to one owner.
  static func code(
    of row: AuditRow,
    number: Int64,
    previous: [UInt8],
    using key: borrowing SealingKey
  ) throws(CryptographyError) -> [UInt8] {
    try authenticate(message(of: row, number: number, previous: previous), using: key)
  }

  /// The bytes that are authenticated: the previous code, then every member, length-prefixed.
  private static func message(of row: AuditRow, number: Int64, previous: [UInt8]) -> [UInt8] {
    var bytes = previous
    func append(_ part: [UInt8]) { bytes += lengthPrefixed(part) }
    func append(_ value: Int64) { append(littleEndian(value)) }
    func append(_ text: String?) {
      // A missing member and an empty one are different records.
      append(text == nil ? [0] : [1])
      append([UInt8]((text ?? "").utf8))
    }
    append(number)
    append(row.time)
    append(row.event)
    append(row.outcome)
    append(row.accountID ?? [])
    append(row.account)
    append(row.method)
    append(row.requester)
    append(row.detail)
    return bytes
  }
}
