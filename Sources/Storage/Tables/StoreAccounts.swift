// The table of accounts.
extension Store {
  private static let accountColumns = """
    id, name, owner, provider, provider_settings, binding, subject, email, display_name, \
    protection, generation, sealed_refresh_token, state, cause, created_at, used_at, refreshed_at, \
    exportable, login_scope, missing_scope, sealed_client_secret, user_facts
    """

  /// All accounts of a user, by name.
  package func accounts(owner: UInt32) throws(StorageError) -> [AccountRow] {
    try database.query(
      "SELECT \(Self.accountColumns) FROM accounts WHERE owner = ? ORDER BY name",
      [.integer(Int64(owner))],
      Self.account
    )
  }

  /// The first accounts of a user, by name, without those whose provider settings have these bytes.
  ///
  /// The cost depends on the number of accounts that are left out, and on no other number.
  package func accounts(
    owner: UInt32,
    atMost count: Int,
    without settings: [UInt8]? = nil
  ) throws(StorageError) -> [AccountRow] {
    try database.query(
      """
      SELECT \(Self.accountColumns) FROM accounts
      WHERE owner = ? AND (?2 IS NULL OR instr(provider_settings, ?2) = 0) ORDER BY name LIMIT ?3
      """,
      [.integer(Int64(owner)), .optional(settings), .integer(Int64(count))],
      Self.account
    )
  }

  /// All accounts of all users, by id.
  package func allAccounts() throws(StorageError) -> [AccountRow] {
    try database.query("SELECT \(Self.accountColumns) FROM accounts ORDER BY id", [], Self.account)
  }

  package func account(named name: String, owner: UInt32) throws(StorageError) -> AccountRow? {
    try database.query(
      "SELECT \(Self.accountColumns) FROM accounts WHERE owner = ? AND name = ?",
      [.integer(Int64(owner)), .text(name)],
      Self.account
    ).first
  }

  package func account(id: [UInt8]) throws(StorageError) -> AccountRow? {
    try database.query(
      "SELECT \(Self.accountColumns) FROM accounts WHERE id = ?",
      [.blob(id)],
      Self.account
    ).first
  }

  /// Adds an account.
  ///
  /// - Throws: `constraint` if its id, or its name for this user, is taken.
  package func insert(_ row: AccountRow) throws(StorageError) {
    noteChange(of: row.id)
    try database.run(
      """
      INSERT INTO accounts (\(Self.accountColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      Self.values(row)
    )
  }

  /// Updates all columns of the account with this row's id.
  ///
  /// - Throws: `noSuchRow`.
  package func update(_ row: AccountRow) throws(StorageError) {
    noteChange(of: row.id)
    let changed = try database.run(
      """
      UPDATE accounts SET (\(Self.accountColumns))
      = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?
      """,
      Self.values(row) + [.blob(row.id)]
    )
    guard changed == 1 else { throw .noSuchRow }
  }

  /// Removes an account with its access tokens and its intent; false if there was none.
  ///
  /// Call `checkpoint` afterwards: the log still holds the removed data.
  @discardableResult
  package func deleteAccount(id: [UInt8]) throws(StorageError) -> Bool {
    noteChange(of: id)
    return try database.run("DELETE FROM accounts WHERE id = ?", [.blob(id)]) > 0
  }

  /// Whether anything is sealed under the device secret: a token or a print.
  package func hasSealedBoxes() throws(StorageError) -> Bool {
    try database.query(
      """
      SELECT EXISTS (SELECT 1 FROM accounts WHERE sealed_refresh_token IS NOT NULL)
      OR EXISTS (SELECT 1 FROM prints)
      OR EXISTS (SELECT 1 FROM security_keys)
      """
    ) { columns throws(StorageError) in try columns.boolean(0) } == [true]
  }

  private static func values(_ row: AccountRow) -> [Value] {
    [
      .blob(row.id), .text(row.name), .integer(Int64(row.owner)), .text(row.provider),
      .blob(row.providerSettings), .blob(row.binding), .optional(row.subject),
      .optional(row.email), .optional(row.displayName), .integer(Int64(row.protection)),
      .integer(row.generation), .optional(row.sealedRefreshToken), .text(row.state.rawValue),
      .optional(row.cause), .integer(row.createdAt), .optional(row.usedAt),
      .optional(row.refreshedAt), .integer(row.exportable ? 1 : 0), .optional(row.loginScope),
      .optional(row.missingScope), .optional(row.sealedClientSecret), .optional(row.userFacts),
    ]
  }

  private static func account(_ columns: borrowing Columns) throws(StorageError) -> AccountRow {
    AccountRow(
      id: try columns.blob(0, count: 16),
      name: try columns.text(1),
      owner: try columns.small(2),
      provider: try columns.text(3),
      providerSettings: try columns.blob(4),
      sealedClientSecret: try columns.optionalBlob(20),
      binding: try columns.blob(5, count: 32),
      subject: try columns.optionalText(6),
      email: try columns.optionalText(7),
      displayName: try columns.optionalText(8),
      userFacts: try columns.optionalText(21),
      protection: try columns.small(9),
      exportable: try columns.boolean(17),
      generation: try columns.integer(10),
      sealedRefreshToken: try columns.optionalBlob(11),
      state: try columns.choice(12),
      cause: try columns.optionalText(13),
      createdAt: try columns.integer(14),
      usedAt: try columns.optionalInteger(15),
      refreshedAt: try columns.optionalInteger(16),
      loginScope: try columns.optionalText(18),
      missingScope: try columns.optionalText(19)
    )
  }
}
