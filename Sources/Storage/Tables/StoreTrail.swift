// Queries for audit retention and verification.
extension Store {
  /// The authentication codes of the records from this number on, in order.
  ///
  /// The bytes are returned as stored: the caller must judge a truncated code.
  package func auditCodes(
    from number: Int64,
    limit: Int
  ) throws(StorageError) -> [(number: Int64, mac: [UInt8])] {
    try database.query(
      "SELECT number, mac FROM audit WHERE number >= ? ORDER BY number LIMIT ?",
      [.integer(number), .integer(Int64(limit))]
    ) { columns throws(StorageError) in (try columns.integer(0), try columns.blob(1)) }
  }

  /// The first record number after this one; `nil` if there is none.
  package func auditNumber(after number: Int64) throws(StorageError) -> Int64? {
    try self.number("SELECT min(number) FROM audit WHERE number > ?", [.integer(number)])
  }

  /// The greatest record number up to and including this one; `nil` if there is none.
  package func auditNumber(through number: Int64) throws(StorageError) -> Int64? {
    try self.number("SELECT max(number) FROM audit WHERE number <= ?", [.integer(number)])
  }

  /// The first number of a record with this time or a later one; `nil` if there is none.
  package func auditNumber(since time: Int64) throws(StorageError) -> Int64? {
    try self.number("SELECT min(number) FROM audit WHERE time >= ?", [.integer(time)])
  }

  /// The time of a record; `nil` if there is no such record.
  package func auditTime(of number: Int64) throws(StorageError) -> Int64? {
    try self.number("SELECT time FROM audit WHERE number = ?", [.integer(number)])
  }

  /// The first unused record number after this one; `nil` if none is left.
  package func freeAuditNumber(after number: Int64) throws(StorageError) -> Int64? {
    guard number < .max, try auditCodes(from: number + 1, limit: 1).first?.number == number + 1
    else { return number < .max ? number + 1 : nil }
    return try self.number(
      """
      SELECT number + 1 FROM audit AS one WHERE number > ? AND number < 9223372036854775807
      AND NOT EXISTS (SELECT 1 FROM audit AS next WHERE next.number = one.number + 1)
      ORDER BY number LIMIT 1
      """,
      [.integer(number)]
    )
  }

  /// Whether a record other than this one has this code.
  package func hasAuditCode(_ mac: [UInt8], besides number: Int64) throws(StorageError) -> Bool {
    try self.number(
      "SELECT number FROM audit WHERE mac = ? AND number <> ? LIMIT 1",
      [.blob(mac), .integer(number)]
    ) != nil
  }

  package func setAuditCode(_ mac: [UInt8], of number: Int64) throws(StorageError) {
    let changed = try database.run(
      "UPDATE audit SET mac = ? WHERE number = ?",
      [.blob(mac), .integer(number)]
    )
    guard changed == 1 else { throw .noSuchRow }
  }

  /// The last record number to delete so that the newer records have at most `rest` bytes; `nil` if
  /// all records together have at most `most`.
  ///
  /// A record's overhead besides its texts (column headers, page, index) is counted as 96 bytes.
  package func auditNumber(
    beyondBytes most: Int64,
    keeping rest: Int64
  ) throws(StorageError) -> Int64? {
    let size = """
      96 + length(event) + length(outcome) + coalesce(length(account), 0)
      + coalesce(length(method), 0) + coalesce(length(CAST(requester AS BLOB)), 0)
      + coalesce(length(CAST(detail AS BLOB)), 0) + length(mac)
      """
    let total = try number("SELECT coalesce(sum(\(size)), 0) FROM audit") ?? 0
    guard total > most else { return nil }
    return try number(
      """
      SELECT max(number) FROM (
        SELECT number, sum(\(size)) OVER (ORDER BY number DESC) AS newer FROM audit
      ) WHERE newer > ?
      """,
      [.integer(rest)]
    )
  }
}
