internal import Storage

/// A store whose tables take any value in any column.
///
/// STRICT and the checks of the schema bind programs that write with SQLite, but not a program that
/// writes the file itself.
final class LooseRows {
  // libFuzzer calls on one thread.
  nonisolated(unsafe) static let shared = made { try LooseRows() }

  let store: Store
  private let columns: [(table: String, column: String)]

  private init() throws {
    store = try Store(in: ScratchVault().directory)
    try StoreSamples.fill(store)
    let database = store.database
    let tables = try database.query("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      row throws(StorageError) in try row.text(0)
    }
    try database.run("PRAGMA foreign_keys = OFF")
    var columns: [(table: String, column: String)] = []
    for table in tables {
      let names = try database.query("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
        row throws(StorageError) in try row.text(0)
      }
      let list = names.joined(separator: ", ")
      try database.run("CREATE TABLE loose (\(list))")
      try database.run("INSERT INTO loose SELECT \(list) FROM \(table)")
      try database.run("DROP TABLE \(table)")
      try database.run("ALTER TABLE loose RENAME TO \(table)")
      columns += names.map { (table, $0) }
    }
    self.columns = columns
  }

  /// Changes one column of all rows of a table.
  func change(_ input: inout Input) throws {
    let place = input.choice(columns)
    let type = input.byte() % 5
    let value: Value =
      switch type {
      case 0: .null
      case 1, 4: .integer(input.integer())
      default: .blob(input.bytes(Int(input.byte())))
      }
    // A text cast from a blob is not checked for UTF-8.
    let expression = "CASE ?1 WHEN 2 THEN CAST(?2 AS TEXT) WHEN 4 THEN CAST(?2 AS REAL) ELSE ?2 END"
    try store.database.run(
      "UPDATE \(place.table) SET \(place.column) = \(expression)",
      [.integer(Int64(type)), value]
    )
  }
}
