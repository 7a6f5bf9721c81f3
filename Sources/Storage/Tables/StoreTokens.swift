// The tables of access tokens and intents.
extension Store {
  private static let accessTokenColumns = """
    account, scope_set, token, token_type, expires_at, stored_at, requested_lifetime, granted_scope
    """
  private static let intentColumns = """
    account, intent, purpose, generation, started_at, boot_id, boot_instant, attempts, \
    not_before, wait_seconds, uncertain, context
    """

  /// The access token of an account for a set of scopes, expired or not.
  package func accessToken(
    account: [UInt8],
    scopeSet: String = ""
  ) throws(StorageError) -> AccessTokenRow? {
    try database.query(
      """
      SELECT \(Self.accessTokenColumns) FROM access_tokens WHERE account = ? AND scope_set = ?
      """,
      [.blob(account), .text(scopeSet)],
      Self.accessToken
    ).first
  }

  package func accessTokens(account: [UInt8]) throws(StorageError) -> [AccessTokenRow] {
    try database.query(
      "SELECT \(Self.accessTokenColumns) FROM access_tokens WHERE account = ? ORDER BY scope_set",
      [.blob(account)],
      Self.accessToken
    )
  }

  /// The rows of all accounts with this token that expire within a range, the next one first.
  package func accessTokens(
    equalTo token: String,
    expiring range: ClosedRange<Int64>
  ) throws(StorageError) -> [AccessTokenRow] {
    try database.query(
      """
      SELECT \(Self.accessTokenColumns) FROM access_tokens
      WHERE token = ? AND expires_at BETWEEN ? AND ? ORDER BY expires_at, account
      """,
      [.text(token), .integer(range.lowerBound), .integer(range.upperBound)],
      Self.accessToken
    )
  }

  /// Stores an access token and replaces the one for the same account and scopes.
  package func put(_ row: AccessTokenRow) throws(StorageError) {
    noteChange(of: row.account)
    try database.run(
      """
      INSERT OR REPLACE INTO access_tokens (\(Self.accessTokenColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(row.account), .text(row.scopeSet), .text(row.token), .text(row.tokenType),
        .optional(row.expiresAt), .integer(row.storedAt), .optional(row.requestedLifetime),
        .optional(row.grantedScope),
      ]
    )
  }

  /// Removes the access token of an account for one set of scopes.
  package func deleteAccessToken(account: [UInt8], scopeSet: String) throws(StorageError) {
    noteChange(of: account)
    try database.run(
      "DELETE FROM access_tokens WHERE account = ? AND scope_set = ?",
      [.blob(account), .text(scopeSet)]
    )
  }

  /// Removes an account's access tokens for scope sets other than the default one, except the
  /// `count` newest.
  ///
  /// `newest` counts as the newest, whatever its stored time says.
  package func trimAccessTokens(
    account: [UInt8],
    keeping count: Int64,
    newest scopeSet: String = ""
  ) throws(StorageError) {
    noteChange(of: account)
    try database.run(
      """
      DELETE FROM access_tokens WHERE account = ?1 AND scope_set != '' AND scope_set NOT IN (
        SELECT scope_set FROM access_tokens WHERE account = ?1 AND scope_set != ''
        ORDER BY scope_set = ?3 DESC, stored_at DESC, rowid DESC LIMIT ?2)
      """,
      [.blob(account), .integer(count), .text(scopeSet)]
    )
  }

  package func deleteAccessTokens(account: [UInt8]) throws(StorageError) {
    noteChange(of: account)
    try database.run("DELETE FROM access_tokens WHERE account = ?", [.blob(account)])
  }

  package func intent(account: [UInt8]) throws(StorageError) -> IntentRow? {
    try database.query(
      "SELECT \(Self.intentColumns) FROM intents WHERE account = ?",
      [.blob(account)],
      Self.intent
    ).first
  }

  /// The intents of all accounts, by the accounts' ids.
  package func intents() throws(StorageError) -> [IntentRow] {
    try database.query(
      "SELECT \(Self.intentColumns) FROM intents ORDER BY account",
      [],
      Self.intent
    )
  }

  /// Stores an intent and replaces the account's previous one.
  package func put(_ row: IntentRow) throws(StorageError) {
    try database.run(
      """
      INSERT INTO intents (\(Self.intentColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account) DO UPDATE SET intent = excluded.intent, purpose = excluded.purpose,
      generation = excluded.generation, started_at = excluded.started_at,
      boot_id = excluded.boot_id, boot_instant = excluded.boot_instant,
      attempts = excluded.attempts, not_before = excluded.not_before,
      wait_seconds = excluded.wait_seconds, uncertain = excluded.uncertain,
      context = excluded.context
      """,
      [
        .blob(row.account), .blob(row.intent), .text(row.purpose.rawValue),
        .integer(row.generation), .integer(row.startedAt), .blob(row.bootID),
        .integer(row.bootInstant), .integer(row.attempts), .integer(row.notBefore),
        .integer(row.waitSeconds), .integer(row.uncertain ? 1 : 0), .blob(row.context),
      ]
    )
  }

  /// Deletes the intent of an account; false if there was none.
  @discardableResult
  package func deleteIntent(account: [UInt8]) throws(StorageError) -> Bool {
    try database.run("DELETE FROM intents WHERE account = ?", [.blob(account)]) > 0
  }

  private static func accessToken(
    _ columns: borrowing Columns
  ) throws(StorageError) -> AccessTokenRow {
    AccessTokenRow(
      account: try columns.blob(0, count: 16),
      scopeSet: try columns.text(1),
      token: try columns.text(2),
      tokenType: try columns.text(3),
      expiresAt: try columns.optionalInteger(4),
      storedAt: try columns.integer(5),
      requestedLifetime: try columns.optionalInteger(6),
      grantedScope: try columns.optionalText(7)
    )
  }

  private static func intent(_ columns: borrowing Columns) throws(StorageError) -> IntentRow {
    IntentRow(
      account: try columns.blob(0, count: 16),
      intent: try columns.blob(1, count: 32),
      purpose: try columns.choice(2),
      generation: try columns.integer(3),
      startedAt: try columns.integer(4),
      bootID: try columns.blob(5, count: 16),
      bootInstant: try columns.integer(6),
      attempts: try columns.integer(7),
      notBefore: try columns.integer(8),
      waitSeconds: try columns.integer(9),
      uncertain: try columns.boolean(10),
      context: try columns.blob(11)
    )
  }
}
