import System
import Testing

@testable import Storage

@Suite
struct StoreFileTests {
  private let scratch: Scratch
  private let directory: StateDirectory
  private var path: String { scratch.path + "/vault.db" }

  init() throws {
    scratch = try Scratch()
    directory = try scratch.open()
  }

  /// All names with their bytes, to detect a change.
  private func image() throws -> [String: [UInt8]] {
    var image: [String: [UInt8]] = [:]
    for name in try directory.root.names() where name != "slots" && name != "tokens" {
      image[name] = try Files.contents(scratch.path + "/" + name)
    }
    return image
  }

  private func fill(_ accounts: Int = 1) throws {
    let store = try Store(in: directory)
    for index in 0..<accounts {
      try store.insert(
        sampleAccount(id: [UInt8](repeating: UInt8(index), count: 16), name: "a\(index)")
      )
    }
  }

  /// Compares the files without putting their bytes into the report.
  private func refuses(_ error: StorageError) throws {
    let before = try image()
    #expect(throws: error) { _ = try Store(in: directory) }
    let same = try image() == before
    #expect(same)
  }

  /// Runs SQL as another program would, with SQLite's own shell.
  private func shell(_ sql: String) throws {
    #expect(try run("/usr/bin/sqlite3", [path, sql]) == .exited(0))
  }

  @Test
  func aStoreIsMadePrivateAndComplete() throws {
    let store = try Store(in: directory)
    try store.insert(sampleAccount())
    for name in ["vault.db", "vault.db-wal"] {
      #expect(try Files.mode(scratch.path + "/" + name) == 0o600)
    }
    // With an exclusive lock SQLite keeps the log's index in memory.
    let names = try directory.root.names().sorted()
    #expect(names == ["slots", "tokens", "vault.db", "vault.db-wal"])
  }

  @Test
  func theSettingsThatThePromiseNamesAreOn() throws {
    let store = try Store(in: directory)
    let settings = [
      "journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "foreign_keys": "1",
      "trusted_schema": "0", "cell_size_check": "1", "locking_mode": "exclusive",
      "application_id": "\(0x544c_7674)", "user_version": "\(Schema.current.version)",
      "busy_timeout": "0",
    ]
    for (name, value) in settings {
      let found = try store.database.query("PRAGMA \(name)") { columns throws(StorageError) in
        try columns.anyText(0)
      }
      #expect(found == [value], "\(name)")
    }
    // SQLITE_DBCONFIG_DEFENSIVE: "the sqlite_schema table cannot be written".
    try store.database.run("PRAGMA writable_schema = ON")
    #expect(throws: StorageError.self) {
      try store.database.run("DELETE FROM sqlite_schema")
    }
  }

  @Test(arguments: [1, 2, 99, 4096, 100_000])
  func garbageIsReportedAndKept(_ count: Int) throws {
    try Files.put((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 + 7) }, at: path)
    try refuses(.damaged("vault.db is not a database"))
  }

  @Test
  func anEmptyFileIsNotTakenForANewStore() throws {
    try Files.put([], at: path)
    try refuses(.damaged("vault.db is not a database"))
  }

  @Test
  func aDatabaseOfAnotherProgramIsKept() throws {
    try shell("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try Files.chmod(path, 0o600)
    try refuses(.damaged("vault.db is not a store of this program"))
  }

  /// SQLite reports this as a wrong statement (SQLITE_ERROR), and not as a damaged file.
  @Test
  func aSchemaFormatThatSQLiteDoesNotKnowIsReportedAndKept() throws {
    try fill()
    // sqlite.org/fileformat2.html, section 1.3.10.
    try Files.patch([0, 0, 0, 9], at: 44, of: path)
    try refuses(.damaged("vault.db has a schema that cannot be read"))
  }

  @Test
  func garbageBehindAGoodHeaderIsReported() throws {
    try fill(40)
    let size = try Files.contents(path).count
    for page in stride(from: 4096, to: size, by: 4096) {
      try Files.patch([UInt8](repeating: 0xa5, count: 4096), at: page, of: path)
    }
    #expect(throws: StorageError.damaged("vault.db")) {
      let store = try Store(in: directory)
      _ = try store.allAccounts()
    }
  }

  @Test
  func everyDamagedPageIsNoticedByTheCheck() throws {
    try fill(40)
    let whole = try Files.contents(path)
    for page in stride(from: 0, to: whole.count, by: 4096) {
      var changed = whole
      for offset in page..<(page + 4096) { changed[offset] ^= 0xff }
      try Files.put(changed, at: path)
      #expect(throws: StorageError.self, "page \(page / 4096)") {
        try Store(in: directory).verify()
      }
      for ending in ["-wal", "-journal"] { _ = try? Files.unlink(path + ending) }
    }
    try Files.put(whole, at: path)
    try Store(in: directory).verify()
  }

  @Test
  func aCutFileIsReported() throws {
    try fill(40)
    let whole = try Files.contents(path)
    for count in stride(from: 1024, to: whole.count, by: 3 * 1024) {
      try Files.put(Array(whole.prefix(count)), at: path)
      #expect(throws: StorageError.self, "\(count) bytes") {
        let store = try Store(in: directory)
        try store.verify()
        _ = try store.allAccounts()
      }
      for ending in ["-wal", "-journal"] { _ = try? Files.unlink(path + ending) }
    }
  }

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

  @Test
  func aLogWithoutItsDatabaseIsNotPlayedIntoAFreshOne() throws {
    try Files.put([1, 2, 3], at: path + "-wal")
    try refuses(.damaged("vault.db is missing, but vault.db-wal is there"))
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER UPDATE ON accounts BEGIN DELETE FROM audit; END",
    "CREATE VIEW v AS SELECT * FROM accounts",
    "CREATE TABLE t (x)",
    "DROP INDEX audit_by_time",
    "ALTER TABLE lockouts ADD COLUMN x INTEGER",
  ])
  func tablesThatAreNotOursAreRefused(_ sql: String) throws {
    try fill()
    try shell(sql)
    #expect(throws: StorageError.damaged("vault.db has tables that this program did not make")) {
      _ = try Store(in: directory)
    }
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

  @Test
  func aProgramThatHasItOpenIsBusy() throws {
    try fill()
    let other = try Database("vault.db", in: directory)
    try other.run("BEGIN EXCLUSIVE")
    #expect(throws: StorageError.busy) { _ = try Store(in: directory) }
    try other.run("ROLLBACK")
  }

  @Test
  func aCutCreationIsDoneAgain() throws {
    try Files.put([UInt8](repeating: 1, count: 5_000), at: path + ".new")
    try Files.put([2], at: path + ".new-journal")
    _ = try Store(in: directory)
    #expect(!Files.exists(path + ".new") && !Files.exists(path + ".new-journal"))
  }

  @Test
  func whatWasReplacedOrRemovedIsNotLeftInTheFiles() throws {
    let old = Array("OLD-SEALED-TOKEN-".utf8) + [UInt8](repeating: 0x5a, count: 3_000)
    let token = "OLD-ACCESS-TOKEN-0123456789"
    let store = try Store(in: directory)
    var row = sampleAccount()
    row.sealedRefreshToken = old
    try store.insert(row)
    try store.put(
      AccessTokenRow(account: accountID, token: token, expiresAt: nil, storedAt: 1)
    )
    func found(_ marker: String) throws -> Int {
      try ["vault.db", "vault.db-wal"].filter {
        String(decoding: try Files.contents(scratch.path + "/" + $0), as: UTF8.self)
          .contains(marker)
      }.count
    }
    // Control: the search finds an existing text.
    #expect(try found("OLD-SEALED-TOKEN-") > 0)
    #expect(try found("OLD-ACCESS-TOKEN-") > 0)
    try store.transaction {
      row.sealedRefreshToken = [1]
      try store.update(row)
      try store.deleteAccessTokens(account: accountID)
    }
    // The log still contains it, which is why there is a checkpoint.
    #expect(try found("OLD-SEALED-TOKEN-") > 0)
    try store.checkpoint()
    #expect(try found("OLD-SEALED-TOKEN-") == 0)
    #expect(try found("OLD-ACCESS-TOKEN-") == 0)
    let log = try Files.contents(path + "-wal")
    #expect(log.isEmpty)
  }
}
