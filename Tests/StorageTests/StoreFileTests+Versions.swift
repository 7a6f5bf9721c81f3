import System
import Testing

@testable import Storage

/// Stores of other versions and formats.
extension StoreFileTests {
  @Test
  func aNewerStoreIsNotTouched() throws {
    try fill()
    let known = Schema.current.version
    try shell("PRAGMA user_version = \(known + 1)")
    try refuses(.newerSchema(found: known + 1, known: known))
  }

  @Test
  func aNewerStoreWithALogIsNotTouched() throws {
    let newer = Schema(
      migrations: Schema.current.migrations + [
        .init(name: "more", statements: ["CREATE TABLE more (x INTEGER) STRICT"])
      ]
    )
    try fill()
    do {
      let store = try Store(in: directory, schema: newer)
      try store.setMeta("key", to: [1])
      // The state after a kill: the log exists, and the database does not have its pages.
      for name in ["vault.db", "vault.db-wal"] {
        try Files.put(
          try Files.contents(scratch.path + "/" + name),
          at: scratch.base + "/" + name
        )
      }
    }
    for name in ["vault.db", "vault.db-wal"] {
      try Files.rename(scratch.base + "/" + name, scratch.path + "/" + name)
    }
    #expect(try Files.contents(path + "-wal").count > 0)
    let known = Schema.current.version
    try refuses(.newerSchema(found: known + 1, known: known))
    let store = try Store(in: directory, schema: newer)
    #expect(try store.meta("key") == [1])
    #expect(try store.account(named: "a0", owner: 0) != nil)
  }

  @Test
  func aStepThatFailsLeavesTheOldSchema() throws {
    try fill()
    let broken = Schema(
      migrations: Schema.current.migrations + [
        .init(
          name: "broken",
          statements: ["CREATE TABLE more (x INTEGER) STRICT", "CREATE TABLE more (x TEXT)"]
        )
      ]
    )
    #expect(throws: StorageError.database(1)) { _ = try Store(in: directory, schema: broken) }
    #expect(try Store(in: directory).account(named: "a0", owner: 0) != nil)
  }

  /// Bytes 18 and 19 of the header.
  ///
  /// SQLite would open the first two for reading only.
  @Test(arguments: [[3, 3], [59, 0], [2, 1], [0, 0]])
  func aFileFormatThatIsNotWrittenIsRefused(_ versions: [UInt8]) throws {
    try fill()
    var bytes = try Files.contents(path)
    bytes.replaceSubrange(18..<20, with: versions)
    try Files.put(bytes, at: path)
    try refuses(.damaged("vault.db has a file format that this program does not write"))
  }

  @Test(arguments: 1...7)
  func aStoreFromBeforeTheFirstReleaseIsRefused(_ version: Int) throws {
    try fill()
    try shell("PRAGMA application_id = \(0x544c_6276); PRAGMA user_version = \(version)")
    try refuses(.unreleasedFormat)
  }

  /// A step that seems to be missing would be applied to tables that already have it.
  @Test
  func aVersionThatIsNotThatOfItsTablesIsRefused() throws {
    try fill()
    let newer = Schema(
      migrations: Schema.current.migrations + [
        .init(name: "more", statements: ["ALTER TABLE lockouts ADD COLUMN more INTEGER"])
      ]
    )
    do { _ = try Store(in: directory, schema: newer) }
    try shell("PRAGMA user_version = 1")
    let before = try image()
    #expect(throws: StorageError.damaged("vault.db has tables that this program did not make")) {
      _ = try Store(in: directory, schema: newer)
    }
    let same = try image() == before
    #expect(same)
  }
}
