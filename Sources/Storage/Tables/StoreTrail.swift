// What keeping and checking the chain of records needs besides reading them.
extension Store {
  /// The codes of the records from this number on, in their order.
  ///
  /// Whatever bytes stand there: a code that was cut is for the caller to judge.
  public func auditCodes(
    from number: Int64,
    limit: Int
  ) throws(StorageError) -> [(number: Int64, mac: [UInt8])] {
    try database.query(
      "SELECT number, mac FROM audit WHERE number >= ? ORDER BY number LIMIT ?",
      [.integer(number), .integer(Int64(limit))]
    ) { columns throws(StorageError) in (try columns.integer(0), try columns.blob(1)) }
  }

  /// The first number of a record after this one; nil if there is none.
  public func auditNumber(after number: Int64) throws(StorageError) -> Int64? {
    try one("SELECT min(number) FROM audit WHERE number > ?", number)
  }

  /// The greatest number of a record up to and with this one; nil if there is none.
  public func auditNumber(through number: Int64) throws(StorageError) -> Int64? {
    try one("SELECT max(number) FROM audit WHERE number <= ?", number)
  }

  /// The first number of a record of this time or later; nil if there is none.
  public func auditNumber(since time: Int64) throws(StorageError) -> Int64? {
    try one("SELECT min(number) FROM audit WHERE time >= ?", time)
  }

  /// When a record says that it was written; nil if there is no such record.
  public func auditTime(of number: Int64) throws(StorageError) -> Int64? {
    try one("SELECT time FROM audit WHERE number = ?", number)
  }

  /// The first number after this one that no record has, where one is left.
  public func freeAuditNumber(after number: Int64) throws(StorageError) -> Int64? {
    guard number < .max, try auditCodes(from: number + 1, limit: 1).first?.number == number + 1
    else { return number < .max ? number + 1 : nil }
    return try one(
      """
      SELECT number + 1 FROM audit AS one WHERE number > ? AND number < 9223372036854775807
      AND NOT EXISTS (SELECT 1 FROM audit AS next WHERE next.number = one.number + 1)
      ORDER BY number LIMIT 1
      """,
      number
    )
  }

  /// Whether a record other than this one has a code.
  public func hasAuditCode(_ mac: [UInt8], besides number: Int64) throws(StorageError) -> Bool {
    try !database.query(
      "SELECT number FROM audit WHERE mac = ? AND number <> ? LIMIT 1",
      [.blob(mac), .integer(number)]
    ) { columns throws(StorageError) in try columns.integer(0) }.isEmpty
  }

  /// Puts another code in a record's place.
  public func setAuditCode(_ mac: [UInt8], of number: Int64) throws(StorageError) {
    let changed = try database.run(
      "UPDATE audit SET mac = ? WHERE number = ?",
      [.blob(mac), .integer(number)]
    )
    guard changed == 1 else { throw .noSuchRow }
  }

  /// The last number of a record that has to go, so that the newer ones have at most so many bytes;
  /// `nil` if all together have no more than `most`.
  ///
  /// What a record takes beside its texts (columns' headers, page, index) is reckoned as 96 bytes.
  public func auditNumber(
    beyondBytes most: Int64,
    keeping rest: Int64
  ) throws(StorageError) -> Int64? {
    let size = """
      96 + length(event) + length(outcome) + coalesce(length(account), 0)
      + coalesce(length(method), 0) + coalesce(length(CAST(requester AS BLOB)), 0)
      + coalesce(length(CAST(detail AS BLOB)), 0) + length(mac)
      """
    let total = try database.query("SELECT coalesce(sum(\(size)), 0) FROM audit") {
      columns throws(StorageError) in try columns.integer(0)
    }
    guard (total.first ?? 0) > most else { return nil }
    return try database.query(
      """
      SELECT max(number) FROM (
        SELECT number, sum(\(size)) OVER (ORDER BY number DESC) AS newer FROM audit
      ) WHERE newer > ?
      """,
      [.integer(rest)]
    ) { columns throws(StorageError) in try columns.optionalInteger(0) }.first ?? nil
  }

  private func one(_ sql: String, _ number: Int64) throws(StorageError) -> Int64? {
    try database.query(sql, [.integer(number)]) { columns throws(StorageError) in
      try columns.optionalInteger(0)
    }.first ?? nil
  }
}
