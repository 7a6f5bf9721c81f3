import System
import Testing

@testable import Storage

@Suite
struct StoreFileTests {
  let scratch: Scratch
  let directory: StateDirectory
  var path: String { scratch.path + "/vault.db" }

  init() throws {
    scratch = try Scratch()
    directory = try scratch.open()
  }

  /// All names with their bytes, to detect a change.
  func image() throws -> [String: [UInt8]] {
    var image: [String: [UInt8]] = [:]
    for name in try directory.root.names() where name != "slots" && name != "tokens" {
      image[name] = try Files.contents(scratch.path + "/" + name)
    }
    return image
  }

  func fill(_ accounts: Int = 1) throws {
    let store = try Store(in: directory)
    for index in 0..<accounts {
      try store.insert(
        sampleAccount(id: [UInt8](repeating: UInt8(index), count: 16), name: "a\(index)")
      )
    }
  }

  /// Compares the files without putting their bytes into the report.
  func refuses(_ error: StorageError) throws {
    let before = try image()
    #expect(throws: error) { _ = try Store(in: directory) }
    let same = try image() == before
    #expect(same)
  }

  /// Runs SQL as another program would, with SQLite's own shell.
  func shell(_ sql: String) throws {
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
