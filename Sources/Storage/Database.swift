internal import CSQLite
internal import System

/// A connection to one SQLite database: statements, values, and result codes made into errors.
///
/// It is used by one thread at a time, which its owner sees to.
@safe
final class Database {
  /// The result of registering our file system layer, once in this process.
  private static let layer: Int32 = csqlite_register_layer()

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private var failed: StorageError?
  private(set) var isInTransaction = false

  /// Opens the file of this name in a directory, through the directory's descriptor, which must
  /// live as long as this object.
  init(_ name: String, in directory: borrowing Directory) throws(StorageError) {
    guard Self.layer == SQLITE_OK else { throw .database(Self.layer) }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      "/proc/self/fd/\(directory.descriptor.number)/\(name)",
      &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW,
      CSQLITE_LAYER
    )
    guard let handle = unsafe opened else { throw .database(SQLITE_NOMEM) }
    guard code == SQLITE_OK else {
      // sqlite.org/c3ref/open.html: "Whether or not an error occurs when it is opened, resources
      // associated with the database connection handle should be released".
      unsafe sqlite3_close_v2(handle)
      throw .database(code)
    }
    unsafe self.handle = handle
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// Sets one of the SQLITE_DBCONFIG switches, and demands that it took.
  func configure(_ setting: Int32, _ on: Bool) throws(StorageError) {
    var now: Int32 = -1
    let code = unsafe csqlite_configure(handle, setting, on ? 1 : 0, &now)
    guard code == SQLITE_OK, now == (on ? 1 : 0) else { throw .database(code) }
  }

  /// Runs one statement to its end and gives each row to `read`.
  func query<Row>(
    _ sql: String,
    _ values: [Value] = [],
    _ read: (borrowing Columns) throws(StorageError) -> Row
  ) throws(StorageError) -> [Row] {
    if let failed { throw failed }
    // sqlite.org/lang_transaction.html: some errors roll the whole transaction back. A statement
    // after that would be a transaction of its own, and half of a change would be kept.
    if isInTransaction, unsafe sqlite3_get_autocommit(handle) != 0 { throw .rolledBack }
    let statement = try prepared(sql)
    defer { statement.reset() }
    do throws(StorageError) {
      try statement.bind(values)
      var rows: [Row] = []
      while true {
        let code = statement.step()
        switch code {
        case SQLITE_ROW: rows.append(try read(statement.columns))
        case SQLITE_DONE: return rows
        default: throw error(code)
        }
      }
    } catch {
      if case .uncertain = error { failed = error }
      throw error
    }
  }

  /// Runs one statement; returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [Value] = []) throws(StorageError) -> Int {
    let before = unsafe sqlite3_total_changes64(handle)
    _ = try query(sql, values) { _ throws(StorageError) in }
    return Int(unsafe sqlite3_total_changes64(handle) - before)
  }

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT; on any error all of it is undone.
  func transaction<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
    guard !isInTransaction else { throw StorageError.nested }
    try run("BEGIN IMMEDIATE")
    isInTransaction = true
    do {
      let value = try body()
      try run("COMMIT")
      isInTransaction = false
      return value
    } catch {
      isInTransaction = false
      if unsafe sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
      throw error
    }
  }

  private func prepared(_ sql: String) throws(StorageError) -> Statement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &prepared,
      nil
    )
    guard code == SQLITE_OK, let handle = unsafe prepared else { throw error(code) }
    let statement = unsafe Statement(handle)
    statements[sql] = statement
    return statement
  }

  /// What an extended result code means (sqlite.org/rescode.html).
  private func error(_ code: Int32) -> StorageError {
    switch code & 0xff {
    case SQLITE_FULL: return .full
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged("vault.db")
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_CONSTRAINT: return .constraint(code)
    case SQLITE_IOERR:
      // fsync(2): after an error the pages are dropped, and a second call reports success. What
      // is on the disk is known only to who reads it anew.
      if code == ResultCode.ioFsync || code == ResultCode.ioDirectoryFsync {
        return .uncertain(code)
      }
      // "the operating system error code that caused the most recent I/O error".
      return SystemError.isFull(unsafe sqlite3_system_errno(handle)) ? .full : .database(code)
    default: return .database(code)
    }
  }
}

/// Extended result codes, which are macros that Swift does not import.
enum ResultCode {
  static let ioFsync = SQLITE_IOERR | (4 << 8)
  static let ioDirectoryFsync = SQLITE_IOERR | (5 << 8)
}
