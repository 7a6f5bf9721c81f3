internal import CSQLite
internal import System

/// A connection to one SQLite database: runs statements, converts values, and turns result codes
/// into errors.
///
/// Its owner ensures that one thread at a time uses it.
@safe
package final class Database {
  /// The longest value or row, in bytes: more than the values of the longest row have together.
  private static let longest: Int32 = 2 << 20
  /// The result of registering our file system layer, once in this process.
  private static let layer: Int32 = csqlite_register_layer()

  private let handle: OpaquePointer
  /// Keep the directory open: SQLite reaches its files through the descriptor until it closes them.
  private let directory: StateDirectory?
  private var statements: [String: Statement] = [:]
  private var failed: StorageError?
  private(set) var isInTransaction = false

  /// Opens an existing file through the directory's descriptor.
  init(_ name: String, in directory: StateDirectory) throws(StorageError) {
    guard Self.layer == SQLITE_OK else { throw .database(Self.layer) }
    unsafe handle = try Self.open(
      "/proc/self/fd/\(directory.root.descriptor.number)/\(name)",
      layer: CSQLITE_LAYER
    )
    self.directory = directory
  }

  /// Makes an empty database in memory.
  init() throws(StorageError) {
    unsafe handle = try Self.open(":memory:", layer: nil)
    directory = nil
  }

  private static func open(_ path: String, layer: String?) throws(StorageError) -> OpaquePointer {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      path,
      &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      layer
    )
    guard let handle = unsafe opened else { throw .database(SQLITE_NOMEM) }
    guard code == SQLITE_OK else {
      let error = unsafe StorageError(code, of: handle)
      // sqlite.org/c3ref/open.html: "Whether or not an error occurs when it is opened, resources
      // associated with the database connection handle should be released".
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    // Refuse a length that a damaged file claims before SQLite allocates memory for it.
    _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest)
    return unsafe handle
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// Sets one of the SQLITE_DBCONFIG switches and checks that it took effect.
  func configure(_ setting: Int32, _ on: Bool) throws(StorageError) {
    var now: Int32 = -1
    let code = unsafe csqlite_configure(handle, setting, on ? 1 : 0, &now)
    guard code == SQLITE_OK, now == (on ? 1 : 0) else { throw .database(code) }
  }

  /// Runs one statement to its end and gives each row to `read`.
  package func query<Row>(
    _ sql: String,
    _ values: [Value] = [],
    _ read: (borrowing Columns) throws(StorageError) -> Row
  ) throws(StorageError) -> [Row] {
    if let failed { throw failed }
    // sqlite.org/lang_transaction.html: some errors roll the whole transaction back. The next
    // statement would be its own transaction and would keep half of a change.
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
        default: throw unsafe StorageError(code, of: handle)
        }
      }
    } catch {
      if case .uncertain = error { failed = error }
      throw error
    }
  }

  /// Runs one statement and returns the number of changed rows.
  @discardableResult
  package func run(_ sql: String, _ values: [Value] = []) throws(StorageError) -> Int {
    let before = unsafe sqlite3_total_changes64(handle)
    _ = try query(sql, values) { _ throws(StorageError) in }
    return Int(unsafe sqlite3_total_changes64(handle) - before)
  }

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT; on any error everything is rolled back.
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
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw unsafe StorageError(code, of: handle)
    }
    let statement = unsafe Statement(prepared)
    statements[sql] = statement
    return statement
  }
}

extension StorageError {
  // Macros that Swift does not import.
  private static let ioShortRead = SQLITE_IOERR | (2 << 8)
  private static let ioSync = SQLITE_IOERR | (4 << 8)
  private static let ioDirectorySync = SQLITE_IOERR | (5 << 8)
  private static let ioBrokenFileSystem = SQLITE_IOERR | (33 << 8)

  /// Whether a write to a file failed, or a file could not grow: SQLITE_IOERR_WRITE, _TRUNCATE,
  /// _SHMOPEN, _SHMSIZE and _SHMMAP.
  private static func isOfWriting(_ code: Int32) -> Bool {
    [3, 6, 18, 19, 21].contains { code == SQLITE_IOERR | ($0 << 8) }
  }

  /// The meaning of an extended result code of this connection (sqlite.org/rescode.html).
  fileprivate init(_ code: Int32, of handle: OpaquePointer) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    // Bound values were already checked for length, so the oversized value is in the file.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG: self = .damaged(StoreFile.name)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_CONSTRAINT: self = .constraint(code)
    case SQLITE_IOERR where code == Self.ioSync || code == Self.ioDirectorySync:
      // fsync(2): after an error the kernel drops the pages, and a second call reports success.
      // Only reading the file again shows the content of the disk.
      self = .uncertain("\(StoreFile.name): SQLite result \(code)")
    case SQLITE_IOERR where code == Self.ioShortRead || code == Self.ioBrokenFileSystem:
      self = .damaged(StoreFile.name)
    case SQLITE_IOERR where Self.isOfWriting(code) && ResourceLimit.fileSize.value != nil:
      self = .fileSizeLimit
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      // sqlite3_system_errno: the number "that caused the most recent I/O error". SQLite's own
      // cleanup may have replaced it.
      let cause = SystemError("open", code: unsafe sqlite3_system_errno(handle))
      if code & 0xff == SQLITE_CANTOPEN, cause.limit != nil {
        self = .system(cause)
      } else {
        self = cause.isFull ? .full : .database(code)
      }
    default: self = .database(code)
    }
  }
}
