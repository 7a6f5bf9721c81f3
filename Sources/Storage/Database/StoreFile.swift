internal import CSQLite
internal import System

/// How the file of the store is judged, made, and opened.
struct StoreFile {
  static let name = "vault.db"
  static let temporaryName = "vault.db.new"
  private static let companions = ["-wal", "-shm", "-journal"]

  let directory: StateDirectory
  let schema: Schema

  /// Judges the files before SQLite sees them, and makes the store if there is none.
  ///
  /// The version stands in the header of the database file even while there is a log, because
  /// schemas are changed without one (see `migrate`). So a newer store is told from its first
  /// hundred bytes, and SQLite, which would write to it, never opens it.
  func prepare() throws(StorageError) {
    var companion: String?
    for ending in Self.companions
    where try directory.root.openChecked(Self.name + ending) != nil { companion = ending }
    guard let file = try directory.root.openChecked(Self.name) else {
      // A log carries no name of its database: beside a fresh one it would be played into it.
      if let companion {
        throw .damaged("\(Self.name) is missing, but \(Self.name)\(companion) is there")
      }
      return try create()
    }
    let header = try Header(of: file)
    guard header.applicationID != Schema.unreleasedApplicationID else { throw .unreleasedFormat }
    guard header.applicationID == Schema.applicationID else {
      throw .damaged("\(Self.name) is not a store of this program")
    }
    guard header.version <= schema.version else {
      throw .newerSchema(found: header.version, known: schema.version)
    }
    guard header.version > 0 else { throw .damaged("\(Self.name) has no schema") }
  }

  /// Opens the store, which exists, and takes the steps that its schema lacks.
  func open() throws(StorageError) -> Database {
    let hadLog = try Store.hasLog(in: directory)
    let database = try Database(Self.name, in: directory)
    // Closing removes a log, but a store that is refused here stays as it was found.
    if hadLog { try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
    do throws(StorageError) {
      try harden(database)
    } catch {
      // The statements are ours, so that only the file can be wrong: sqlite.org/fileformat2.html,
      // section 1.3.10, a schema format that SQLite does not know is SQLITE_ERROR. A text of the schema
      // that cannot be read is SQLITE_NOMEM, as a real lack of memory is: then no model can be made.
      let isOfMemory = error == .database(SQLITE_NOMEM)
      guard error == .database(SQLITE_ERROR) || isOfMemory && (try? model(1)) != nil else {
        throw error
      }
      throw .damaged("\(Self.name) has a schema that cannot be read")
    }
    try demandSchema(database)
    try migrate(database)
    try demand("journal_mode = WAL", gives: "wal", database)
    // In the log, FULL syncs each commit; what EXTRA adds is for rollback journals.
    try database.run("PRAGMA synchronous = FULL")
    if hadLog { try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false) }
    return database
  }

  /// Makes the length of the log durable.
  ///
  /// SQLite's locks, which closing any descriptor of a file takes away (fcntl(2)), lie on the
  /// database, not on the log.
  func synchronizeLog() throws(StorageError) {
    guard let log = try directory.root.openChecked(Self.name + "-wal") else { return }
    do throws(SystemError) { try log.synchronize() } catch { throw .uncertain("\(error)") }
  }

  /// Makes the store under another name, so that the name it is known by never leads to a part
  /// of one.
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

  /// The whole schema in an empty database, which is closed, and so finished, when this returns.
  private func build(_ database: consuming Database) throws(StorageError) {
    try harden(database)
    try migrate(database)
  }

  private func harden(_ database: Database) throws(StorageError) {
    // sqlite.org/security.html, "Untrusted SQLite Database Files". No trigger or view is ours.
    try database.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    try database.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    try database.configure(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    // Nobody else may have it open: with this, SQLite needs no shared memory, and finds out.
    try demand("locking_mode = EXCLUSIVE", gives: "exclusive", database)
    try demand("secure_delete = ON", gives: "1", database)
    // EXTRA: "the directory containing a rollback journal is synced after that journal is
    // unlinked", so that a change of the schema does not come undone.
    try database.run("PRAGMA synchronous = EXTRA")
    try database.run("PRAGMA cell_size_check = ON")
    try database.run("PRAGMA temp_store = MEMORY")
  }

  /// Takes the steps that are missing, each a transaction of its own that raises the version.
  ///
  /// With a rollback journal in place of the log: then the header of the file tells the truth.
  /// (A journal that a crash left can only take the version back, never forward.)
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

  /// Demands every table and index to be as the steps up to the store's version make it: without its
  /// checks, or with a column more, the store is not the one that this program wrote.
  ///
  /// A step that is missing would fail on a store whose version was changed, after its journal mode was
  /// changed for the step.
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

  /// Sets a pragma that answers with its new value, and demands that it took.
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
