internal import CSQLite
internal import System

/// Checks, creates and opens the file of the store.
struct StoreFile {
  static let name = "vault.db"
  static let temporaryName = "vault.db.new"
  private static let companions = ["-wal", "-shm", "-journal"]

  let directory: StateDirectory
  let schema: Schema

  /// Checks the files before SQLite opens them, and creates the store if it does not exist.
  ///
  /// The version is in the header of the database file even while a log exists, because schema
  /// changes use no log (see `migrate`). So the first hundred bytes identify a newer store, and
  /// SQLite, which would write to it, never opens it.
  func prepare() throws(StorageError) {
    var companion: String?
    for ending in Self.companions
    where try directory.root.openChecked(Self.name + ending) != nil { companion = ending }
    guard let file = try directory.root.openChecked(Self.name) else {
      // A log does not name its database: SQLite would replay it into a new one beside it.
      if let companion {
        throw .damaged("\(Self.name) is missing, but \(Self.name)\(companion) is there")
      }
      return try create()
    }
    let header = try DatabaseHeader(of: file)
    guard header.applicationID != Schema.unreleasedApplicationID else { throw .unreleasedFormat }
    guard header.applicationID == Schema.applicationID else {
      throw .damaged("\(Self.name) is not a store of this program")
    }
    guard header.version <= schema.version else {
      throw .newerSchema(found: header.version, known: schema.version)
    }
    guard header.version > 0 else { throw .damaged("\(Self.name) has no schema") }
  }

  /// Opens the existing store and runs the missing steps of its schema.
  func open() throws(StorageError) -> Database {
    let hadLog = try Store.hasLog(in: directory)
    let database = try Database(Self.name, in: directory)
    // Closing removes a log, but a refused store must stay unchanged.
    if hadLog { try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
    do throws(StorageError) {
      try harden(database)
    } catch {
      // The statements are ours, so only the file can be wrong. An unknown schema format is
      // SQLITE_ERROR (sqlite.org/fileformat2.html, section 1.3.10). An unreadable schema text is
      // SQLITE_NOMEM, like a real lack of memory: then no model can be made either.
      let isOfMemory = error == .database(SQLITE_NOMEM)
      guard error == .database(SQLITE_ERROR) || isOfMemory && (try? model(1)) != nil else {
        throw error
      }
      throw .damaged("\(Self.name) has a schema that cannot be read")
    }
    try demandSchema(database)
    try migrate(database)
    try demand("journal_mode = WAL", gives: "wal", database)
    // With a log, FULL syncs each commit. EXTRA adds something only for rollback journals.
    try database.run("PRAGMA synchronous = FULL")
    if hadLog { try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false) }
    return database
  }

  /// Makes the length of the log durable.
  ///
  /// Closing any descriptor of a file drops the process's locks on it (fcntl(2)). SQLite's locks
  /// are on the database, not on the log, so closing the log is safe.
  func synchronizeLog() throws(StorageError) {
    guard let log = try directory.root.openChecked(Self.name + "-wal") else { return }
    do throws(SystemError) { try log.synchronize() } catch { throw .uncertain("\(error)") }
  }

  /// Creates the store under a temporary name, so that its final name never leads to an incomplete
  /// store.
  private func create() throws(StorageError) {
    try calling { () throws(SystemError) in
      for ending in [""] + Self.companions {
        try directory.root.unlink(Self.temporaryName + ending)
      }
      _ = try directory.root.create(Self.temporaryName)
    }
    try build(try Database(Self.temporaryName, in: directory))
    try calling { () throws(SystemError) in
      try directory.root.rename(Self.temporaryName, to: Self.name)
      try directory.root.synchronize()
    }
  }

  /// Builds the whole schema in an empty database.
  ///
  /// The database is closed, and so complete, on return.
  private func build(_ database: consuming Database) throws(StorageError) {
    try harden(database)
    try migrate(database)
  }

  private func harden(_ database: Database) throws(StorageError) {
    // sqlite.org/security.html, "Untrusted SQLite Database Files". The schema has no trigger or
    // view.
    try database.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    try database.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    // No other process may have it open. In this mode SQLite needs no shared memory and detects
    // another user.
    try demand("locking_mode = EXCLUSIVE", gives: "exclusive", database)
    try demand("secure_delete = ON", gives: "1", database)
    // EXTRA: "the directory containing a rollback journal is synced after that journal is
    // unlinked", so that a crash does not undo a schema change.
    try database.run("PRAGMA synchronous = EXTRA")
    try database.run("PRAGMA cell_size_check = ON")
    try database.run("PRAGMA temp_store = MEMORY")
  }

  /// Runs the missing steps, each in its own transaction that raises the version.
  ///
  /// It uses a rollback journal instead of the log, so that the header of the file is always true.
  /// (A journal that a crash left can only lower the version, never raise it.)
  private func migrate(_ database: Database) throws(StorageError) {
    let done = try version(database)
    guard done < schema.version else { return }
    if done > 0 { try demand("journal_mode = DELETE", gives: "delete", database) }
    do {
      for (index, migration) in schema.migrations.enumerated().dropFirst(done) {
        try database.transaction {
          for statement in migration.statements { try database.run(statement) }
          try database.run("PRAGMA application_id = \(Schema.applicationID)")
          try database.run("PRAGMA user_version = \(index + 1)")
        }
      }
    } catch let error as StorageError {
      throw error
    } catch {
      throw .damaged(Self.name)
    }
  }

  /// Checks that every table and index is as the steps up to the store's version make it.
  ///
  /// Without its checks, or with an additional column, the store is not the one that this program
  /// wrote.
  ///
  /// The check comes first: on a store with a forged version a missing step would fail only after
  /// it had changed the journal mode.
  private func demandSchema(_ database: Database) throws(StorageError) {
    let done = try version(database)
    guard (1...schema.version).contains(done) else {
      throw .damaged("\(Self.name) has another schema than its header says")
    }
    guard try contents(database) == contents(model(done)) else {
      throw .damaged("\(Self.name) has tables that this program did not make")
    }
  }

  /// A database in memory with the first steps of the schema.
  private func model(_ steps: Int) throws(StorageError) -> Database {
    let model = try Database()
    let schema = Schema(migrations: Array(schema.migrations.prefix(steps)))
    try StoreFile(directory: directory, schema: schema).migrate(model)
    return model
  }

  private func contents(_ database: Database) throws(StorageError) -> [[String?]] {
    try database.query(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ) { columns throws(StorageError) in
      [
        try columns.text(0), try columns.text(1), try columns.text(2),
        try columns.optionalText(3),
      ]
    }
  }

  private func version(_ database: Database) throws(StorageError) -> Int {
    let version = try database.query("PRAGMA user_version") {
      columns throws(StorageError) in try columns.integer(0)
    }
    return Int(version.first ?? -1)
  }

  /// Sets a pragma that answers with its new value, and checks that it took effect.
  private func demand(
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
