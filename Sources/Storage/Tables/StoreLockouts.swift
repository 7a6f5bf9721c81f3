// The tables of failed fingers, wrong passwords and confirmed fingers.
extension Store {
  /// The failed finger checks of a user; `nil` if there are none.
  package func lockout(owner: UInt32) throws(StorageError) -> LockoutRow? {
    try database.query(
      "SELECT owner, failures, password_only FROM lockouts WHERE owner = ?",
      [.integer(Int64(owner))]
    ) { columns throws(StorageError) in
      LockoutRow(
        owner: try columns.small(0),
        failures: try columns.integer(1),
        passwordOnly: try columns.boolean(2)
      )
    }.first
  }

  /// Stores a user's failures and replaces the previous row.
  package func put(_ row: LockoutRow) throws(StorageError) {
    try database.run(
      "INSERT OR REPLACE INTO lockouts (owner, failures, password_only) VALUES (?, ?, ?)",
      [
        .integer(Int64(row.owner)), .integer(row.failures), .integer(row.passwordOnly ? 1 : 0),
      ]
    )
  }

  /// Deletes a user's failures.
  package func deleteLockout(owner: UInt32) throws(StorageError) {
    try database.run("DELETE FROM lockouts WHERE owner = ?", [.integer(Int64(owner))])
  }

  /// The wait before a user's next password; `nil` if no password was wrong.
  package func passwordWait(owner: UInt32) throws(StorageError) -> PasswordWaitRow? {
    try database.query(
      """
      SELECT owner, failures, boot_id, not_before, wait_seconds FROM password_waits
      WHERE owner = ?
      """,
      [.integer(Int64(owner))]
    ) { columns throws(StorageError) in
      PasswordWaitRow(
        owner: try columns.small(0),
        failures: try columns.integer(1),
        bootID: try columns.blob(2, count: 16),
        notBefore: try columns.integer(3),
        waitSeconds: try columns.integer(4)
      )
    }.first
  }

  /// Stores a user's wait and replaces the previous row.
  package func put(_ row: PasswordWaitRow) throws(StorageError) {
    try database.run(
      """
      INSERT OR REPLACE INTO password_waits
      (owner, failures, boot_id, not_before, wait_seconds) VALUES (?, ?, ?, ?, ?)
      """,
      [
        .integer(Int64(row.owner)), .integer(row.failures), .blob(row.bootID),
        .integer(row.notBefore), .integer(row.waitSeconds),
      ]
    )
  }

  /// Deletes a user's wrong passwords.
  package func deletePasswordWait(owner: UInt32) throws(StorageError) {
    try database.run("DELETE FROM password_waits WHERE owner = ?", [.integer(Int64(owner))])
  }

  /// The fingers of a user that the system password has confirmed; `nil` if there never were any.
  package func enrolledSet(owner: UInt32) throws(StorageError) -> EnrolledSetRow? {
    try database.query(
      "SELECT owner, code, source, fingers, confirmed_at FROM enrolled_sets WHERE owner = ?",
      [.integer(Int64(owner))]
    ) { columns throws(StorageError) in
      EnrolledSetRow(
        owner: try columns.small(0),
        code: try columns.blob(1, count: 32),
        source: try columns.text(2),
        fingers: try columns.text(3),
        confirmedAt: try columns.integer(4)
      )
    }.first
  }

  /// Stores a user's confirmed fingers and replaces the previous row.
  package func put(_ row: EnrolledSetRow) throws(StorageError) {
    try database.run(
      """
      INSERT OR REPLACE INTO enrolled_sets
      (owner, code, source, fingers, confirmed_at) VALUES (?, ?, ?, ?, ?)
      """,
      [
        .integer(Int64(row.owner)), .blob(row.code), .text(row.source), .text(row.fingers),
        .integer(row.confirmedAt),
      ]
    )
  }

  /// Deletes a user's confirmed fingers.
  package func deleteEnrolledSet(owner: UInt32) throws(StorageError) {
    try database.run("DELETE FROM enrolled_sets WHERE owner = ?", [.integer(Int64(owner))])
  }
}
