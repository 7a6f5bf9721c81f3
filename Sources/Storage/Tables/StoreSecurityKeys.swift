// The table of security keys.
extension Store {
  private static let keyColumns = "id, owner, name, sealed, enrolled_at"

  /// The security keys of a user, in the order of enrollment.
  package func securityKeys(owner: UInt32) throws(StorageError) -> [SecurityKeyRow] {
    try database.query(
      "SELECT \(Self.keyColumns) FROM security_keys WHERE owner = ? ORDER BY enrolled_at, name",
      [.integer(Int64(owner))],
      Self.securityKey
    )
  }

  /// The security keys of all users, by id.
  package func allSecurityKeys() throws(StorageError) -> [SecurityKeyRow] {
    try database.query(
      "SELECT \(Self.keyColumns) FROM security_keys ORDER BY id",
      [],
      Self.securityKey
    )
  }

  /// Adds a security key.
  ///
  /// - Throws: `constraint` if the user already has a key of this name.
  package func insert(_ row: SecurityKeyRow) throws(StorageError) {
    try database.run(
      "INSERT INTO security_keys (\(Self.keyColumns)) VALUES (?, ?, ?, ?, ?)",
      [
        .blob(row.id), .integer(Int64(row.owner)), .text(row.name), .blob(row.sealed),
        .integer(row.enrolledAt),
      ]
    )
  }

  /// Replaces the sealed box of a security key.
  ///
  /// - Throws: `noSuchRow`.
  package func setSealedSecurityKey(id: [UInt8], to box: [UInt8]) throws(StorageError) {
    let changed = try database.run(
      "UPDATE security_keys SET sealed = ? WHERE id = ?",
      [.blob(box), .blob(id)]
    )
    guard changed == 1 else { throw .noSuchRow }
  }

  /// Removes a security key; false if there was none.
  @discardableResult
  package func deleteSecurityKey(id: [UInt8]) throws(StorageError) -> Bool {
    try database.run("DELETE FROM security_keys WHERE id = ?", [.blob(id)]) > 0
  }

  private static func securityKey(
    _ columns: borrowing Columns
  ) throws(StorageError) -> SecurityKeyRow {
    SecurityKeyRow(
      id: try columns.blob(0, count: 16),
      owner: try columns.small(1),
      name: try columns.text(2),
      sealed: try columns.blob(3),
      enrolledAt: try columns.integer(4)
    )
  }
}
