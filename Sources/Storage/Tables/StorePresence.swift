// The tables of enrolled prints, former prints and single values.
extension Store {
  private static let printColumns = "id, owner, finger, driver, device, sealed, enrolled_at"

  /// The enrolled fingers of a user, in the order of enrollment.
  package func prints(owner: UInt32) throws(StorageError) -> [PrintRow] {
    try database.query(
      "SELECT \(Self.printColumns) FROM prints WHERE owner = ? ORDER BY enrolled_at, finger",
      [.integer(Int64(owner))],
      Self.print
    )
  }

  /// The enrolled fingers of all users, by id.
  package func allPrints() throws(StorageError) -> [PrintRow] {
    try database.query("SELECT \(Self.printColumns) FROM prints ORDER BY id", [], Self.print)
  }

  /// Replaces the sealed box of a print.
  ///
  /// - Throws: `noSuchRow`.
  package func setSealedPrint(id: [UInt8], to box: [UInt8]) throws(StorageError) {
    let changed = try database.run(
      "UPDATE prints SET sealed = ? WHERE id = ?",
      [.blob(box), .blob(id)]
    )
    guard changed == 1 else { throw .noSuchRow }
  }

  /// Adds a print.
  ///
  /// - Throws: `constraint` if the user already has a print of this finger.
  package func insert(_ row: PrintRow) throws(StorageError) {
    try insert(row, into: "prints")
  }

  private func insert(_ row: PrintRow, into table: String) throws(StorageError) {
    try database.run(
      "INSERT INTO \(table) (\(Self.printColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(row.id), .integer(Int64(row.owner)), .text(row.finger), .text(row.driver),
        .text(row.device), .blob(row.sealed), .integer(row.enrolledAt),
      ]
    )
  }

  /// Removes a print; false if there was none.
  ///
  /// Call `checkpoint` afterwards: the log still holds the removed data.
  @discardableResult
  package func deletePrint(id: [UInt8]) throws(StorageError) -> Bool {
    try database.run("DELETE FROM prints WHERE id = ?", [.blob(id)]) > 0
  }

  // Former prints were deleted here, but a reader that stores its prints may still have them.

  /// The former prints of a user, oldest first.
  package func formerPrints(owner: UInt32) throws(StorageError) -> [PrintRow] {
    try database.query(
      "SELECT \(Self.printColumns) FROM former_prints WHERE owner = ? ORDER BY enrolled_at, id",
      [.integer(Int64(owner))],
      Self.print
    )
  }

  /// The former prints of all users, by id.
  package func allFormerPrints() throws(StorageError) -> [PrintRow] {
    try database.query("SELECT \(Self.printColumns) FROM former_prints ORDER BY id", [], Self.print)
  }

  /// Adds a former print and deletes the user's oldest ones beyond `most`.
  package func insertFormer(_ row: PrintRow, keeping most: Int) throws(StorageError) {
    try insert(row, into: "former_prints")
    try database.run(
      """
      DELETE FROM former_prints WHERE owner = ?1 AND id NOT IN
      (SELECT id FROM former_prints WHERE owner = ?1 ORDER BY enrolled_at DESC, id LIMIT ?2)
      """,
      [.integer(Int64(row.owner)), .integer(Int64(most))]
    )
  }

  /// Replaces the sealed box of a former print; without a box, removes the print.
  package func setSealedFormerPrint(id: [UInt8], to box: [UInt8]?) throws(StorageError) {
    if let box {
      try database.run("UPDATE former_prints SET sealed = ? WHERE id = ?", [.blob(box), .blob(id)])
    } else {
      try database.run("DELETE FROM former_prints WHERE id = ?", [.blob(id)])
    }
  }

  private static func print(_ columns: borrowing Columns) throws(StorageError) -> PrintRow {
    PrintRow(
      id: try columns.blob(0, count: 16),
      owner: try columns.small(1),
      finger: try columns.text(2),
      driver: try columns.text(3),
      device: try columns.text(4),
      sealed: try columns.blob(5),
      enrolledAt: try columns.integer(6)
    )
  }

  /// The value of a key; `nil` if there is none.
  package func meta(_ key: String) throws(StorageError) -> [UInt8]? {
    try database.query("SELECT value FROM meta WHERE key = ?", [.text(key)]) {
      columns throws(StorageError) in try columns.blob(0)
    }.first
  }

  /// Stores the value of a key; `nil` removes it.
  package func setMeta(_ key: String, to value: [UInt8]?) throws(StorageError) {
    if let value {
      try database.run(
        "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
        [.text(key), .blob(value)]
      )
    } else {
      try database.run("DELETE FROM meta WHERE key = ?", [.text(key)])
    }
  }
}
