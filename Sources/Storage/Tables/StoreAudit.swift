// The table of audit records.
extension Store {
  private static let auditColumns = """
    number, time, owner, event, outcome, account_id, account, method, requester, detail, mac
    """

  /// The last record of the chain; `nil` if there is none.
  package func auditTail() throws(StorageError) -> AuditRow? {
    try database.query(
      "SELECT \(Self.auditColumns) FROM audit ORDER BY number DESC LIMIT 1",
      [],
      Self.audit
    ).first
  }

  /// The first kept record; `nil` if there is none.
  package func auditHead() throws(StorageError) -> AuditRow? {
    try database.query(
      "SELECT \(Self.auditColumns) FROM audit ORDER BY number LIMIT 1",
      [],
      Self.audit
    ).first
  }

  /// The number of kept records.
  package func auditCount() throws(StorageError) -> Int {
    Int(try number("SELECT count(*) FROM audit") ?? 0)
  }

  /// Adds a record to the chain.
  ///
  /// - Throws: `constraint` if its number is taken.
  package func append(_ row: AuditRow) throws(StorageError) {
    try database.run(
      "INSERT INTO audit (\(Self.auditColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(row.number), .integer(row.time), .integer(Int64(row.owner)), .text(row.event),
        .text(row.outcome), .optional(row.accountID), .optional(row.account),
        .optional(row.method), .optional(row.requester), .optional(row.detail), .blob(row.mac),
      ]
    )
  }

  /// One page of records, in their order.
  ///
  /// - Parameters:
  ///   - number: only records after this one: 0, then the last number of the previous page.
  ///   - since: only records of this time or later, in seconds since 1970.
  ///   - owner: only records about this user's vault.
  ///   - accountID: only records about this account.
  ///   - name: with `accountID`, also records with this account name whose account was removed.
  ///   - limit: the most records to return.
  /// - Returns: fewer than `limit` records if there are no more.
  /// - Throws: `StorageError`.
  package func audit(
    after number: Int64 = 0,
    since: Int64? = nil,
    owner: UInt32? = nil,
    accountID: [UInt8]? = nil,
    name: String? = nil,
    limit: Int = 256
  ) throws(StorageError) -> [AuditRow] {
    try database.query(
      """
      SELECT \(Self.auditColumns) FROM audit
      WHERE number > ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR owner = ?3)
      AND (?4 IS NULL OR account_id = ?4
        OR account = ?5 AND account_id NOT IN (SELECT id FROM accounts))
      ORDER BY number LIMIT ?6
      """,
      [
        .integer(number), .optional(since), .optional(owner.map(Int64.init)),
        .optional(accountID), .optional(name), .integer(Int64(limit)),
      ],
      Self.audit
    )
  }

  /// The account that the newest record with this name is about; `nil` if no record has the name.
  package func auditAccount(
    named name: String,
    owner: UInt32
  ) throws(StorageError) -> [UInt8]? {
    try database.query(
      """
      SELECT account_id FROM audit WHERE account = ? AND owner = ? AND account_id IS NOT NULL
      ORDER BY number DESC LIMIT 1
      """,
      [.text(name), .integer(Int64(owner))]
    ) { columns throws(StorageError) in try columns.blob(0, count: 16) }.first
  }

  /// Removes the records up to and including this number; returns how many there were.
  @discardableResult
  package func deleteAudit(through number: Int64) throws(StorageError) -> Int {
    try database.run("DELETE FROM audit WHERE number <= ?", [.integer(number)])
  }

  private static func audit(_ columns: borrowing Columns) throws(StorageError) -> AuditRow {
    AuditRow(
      number: try columns.integer(0),
      time: try columns.integer(1),
      owner: try columns.small(2),
      event: try columns.text(3),
      outcome: try columns.text(4),
      accountID: try columns.optionalBlob(5, count: 16),
      account: try columns.optionalText(6),
      method: try columns.optionalText(7),
      requester: try columns.optionalText(8),
      detail: try columns.optionalText(9),
      mac: try columns.blob(10, count: 32)
    )
  }
}
