internal import CSQLite
internal import System

/// The store: the vault's one SQLite database.
///
/// One owner uses it at a time; nothing in it waits for anyone. A change is durable when the
/// call, or the transaction around it, has returned.
public final class Store {
  static let name = "vault.db"
  static let temporaryName = "vault.db.new"
  private static let companions = ["-wal", "-shm", "-journal"]

  let database: Database
  /// Kept so that the descriptor, through which SQLite reaches its files, stays open.
  private let directory: StateDirectory
  /// Whether there was no store, so that this one was made.
  public let isNew: Bool

  /// Opens the store, made first if there is none.
  ///
  /// - Throws: `newerSchema` and `damaged` leave every byte as it was.
  public init(in directory: StateDirectory) throws(StorageError) {
    self.directory = directory
    isNew = try Self.prepare(in: directory)
    database = try Database(Self.name, in: directory.root)
    try Self.harden(database)
    try Self.migrate(database)
    try Self.demandPragma("journal_mode = WAL", gives: "wal", database)
    try Self.demandMigrated(database)
  }

  /// Runs `body` as one transaction (BEGIN IMMEDIATE): all of its changes are durable when this
  /// returns, and none is made if it throws.
  ///
  /// - Throws: what `body` throws, or `StorageError`. After `uncertain` the store answers
  ///   nothing more: make another `Store` and read what came of it.
  public func transaction<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
    try database.transaction(body)
  }

  /// Moves all changes into the database file and empties the log, in which old values would
  /// stand otherwise (sqlite.org/pragma.html, `wal_checkpoint(TRUNCATE)`).
  public func checkpoint() throws(StorageError) {
    let busy = try database.query("PRAGMA wal_checkpoint(TRUNCATE)") {
      columns throws(StorageError) in try columns.integer(0)
    }
    // "The first column is usually 0 but will be 1 if a RESTART or FULL or TRUNCATE checkpoint
    // was blocked from completing."
    guard busy == [0] else { throw .busy }
  }

  /// Reads the whole store and demands that it is consistent.
  ///
  /// - Throws: `damaged`.
  public func verify() throws(StorageError) {
    let found = try database.query("PRAGMA integrity_check(1)") {
      columns throws(StorageError) in try columns.text(0)
    }
    guard found == ["ok"] else { throw .damaged(Self.name) }
    let orphans = try database.query("PRAGMA foreign_key_check") {
      columns throws(StorageError) in try columns.text(0)
    }
    guard orphans.isEmpty else { throw .damaged(Self.name) }
  }

  // MARK: - Opening

  /// Judges the files before SQLite sees them, and makes the store if there is none.
  ///
  /// The version stands in the header of the database file even while there is a log, because
  /// schemas are changed without one (see `migrate`). So a newer store is told from its first
  /// hundred bytes, and SQLite, which would write to it, never opens it.
  private static func prepare(in directory: StateDirectory) throws(StorageError) -> Bool {
    for companion in companions {
      _ = try directory.root.openChecked(name + companion)
    }
    guard let file = try directory.root.openChecked(name) else {
      for companion in companions {
        // A log carries no name of its database: beside a fresh one it would be played into it.
        let left: Bool
        do throws(SystemError) {
          left = try directory.root.contains(name + companion)
        } catch {
          throw StorageError(error)
        }
        if left { throw .damaged("\(name) is missing, but \(name)\(companion) is there") }
      }
      try create(in: directory)
      return true
    }
    try judge(try Header(of: file))
    return false
  }

  private static func judge(_ header: Header) throws(StorageError) {
    guard header.applicationID == Schema.applicationID else {
      throw .damaged("\(name) is not a store of this program")
    }
    guard header.version <= Schema.version else {
      throw .newerSchema(found: header.version, known: Schema.version)
    }
    guard header.version > 0 else { throw .damaged("\(name) has no schema") }
  }

  /// Makes the store under another name, so that the name it is known by never leads to a part
  /// of one.
  private static func create(in directory: StateDirectory) throws(StorageError) {
    do throws(SystemError) {
      for companion in [""] + companions { try directory.root.unlink(temporaryName + companion) }
      _ = try directory.root.create(temporaryName)
    } catch {
      throw StorageError(error)
    }
    try build(try Database(temporaryName, in: directory.root))
    do throws(SystemError) {
      try directory.root.rename(temporaryName, to: name)
      try directory.root.synchronize()
    } catch {
      throw StorageError(error)
    }
  }

  /// Closed, and so finished, when this returns: nothing else holds the connection.
  private static func build(_ database: Database) throws(StorageError) {
    try harden(database)
    try migrate(database)
  }

  private static func harden(_ database: Database) throws(StorageError) {
    // sqlite.org/security.html: "run with untrusted database files" settings. A trigger or view
    // is never ours.
    try database.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    try database.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    try database.configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    // Nobody else may have it open: with this, SQLite needs no shared memory, and finds out.
    try demandPragma("locking_mode = EXCLUSIVE", gives: "exclusive", database)
    try demandPragma("secure_delete = ON", gives: "1", database)
    try database.run("PRAGMA synchronous = EXTRA")
    try database.run("PRAGMA cell_size_check = ON")
    try database.run("PRAGMA temp_store = MEMORY")
    _ = try database.query("PRAGMA mmap_size = 0") { _ throws(StorageError) in }
  }

  /// Takes the steps that are missing, each a transaction of its own that raises the version.
  ///
  /// With a rollback journal in place of the log: then the header of the file tells the truth.
  /// (A journal that a crash left can only take the version back, never forward.)
  private static func migrate(_ database: Database) throws(StorageError) {
    let version = try database.query("PRAGMA user_version") {
      columns throws(StorageError) in try columns.integer(0)
    }
    guard let done = version.first, done >= 0, done < Schema.version else { return }
    try demandPragma("journal_mode = DELETE", gives: "delete", database)
    do {
      for (index, migration) in Schema.migrations.enumerated().dropFirst(Int(done)) {
        try database.transaction {
          for statement in migration.statements { try database.run(statement) }
          try database.run("PRAGMA application_id = \(Schema.applicationID)")
          try database.run("PRAGMA user_version = \(index + 1)")
        }
      }
    } catch let error as StorageError {
      throw error
    } catch {
      throw .damaged(name)
    }
  }

  /// What a journal took back is judged again.
  private static func demandMigrated(_ database: Database) throws(StorageError) {
    let version = try database.query("PRAGMA user_version") {
      columns throws(StorageError) in try columns.integer(0)
    }
    guard version == [Int64(Schema.version)] else { throw .damaged("\(name) has no schema") }
    try database.run("PRAGMA synchronous = FULL")
  }

  private static func demandPragma(
    _ pragma: String,
    gives wanted: String,
    _ database: Database
  ) throws(StorageError) {
    let now = try database.query("PRAGMA " + pragma) { columns throws(StorageError) in
      try columns.anyText(0)
    }
    guard now == [wanted] else { throw .database(SQLITE_MISUSE) }
  }
}
