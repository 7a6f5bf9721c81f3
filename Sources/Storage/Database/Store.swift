internal import CSQLite
internal import System

/// The store: the vault's only SQLite database.
///
/// One owner uses it at a time, and no call blocks. A change is durable when the call, or the
/// transaction around it, has returned.
package final class Store {
  package let database: Database
  private let file: StoreFile
  private var changedAccounts: Set<[UInt8]> = []

  /// Opens the store, or creates it if it does not exist.
  ///
  /// - Throws: `newerSchema`, `unreleasedFormat` and `damaged` leave every byte unchanged.
  package convenience init(in directory: StateDirectory) throws(StorageError) {
    try self.init(in: directory, schema: .current)
  }

  /// Opens the store like a program that knows this schema.
  init(in directory: StateDirectory, schema: Schema) throws(StorageError) {
    file = StoreFile(directory: directory, schema: schema)
    try file.prepare()
    database = try file.open()
  }

  /// Runs `body` as one transaction (BEGIN IMMEDIATE): all of its changes are durable when this
  /// returns, and none is made if it throws.
  ///
  /// - Throws: the error of `body`, or `StorageError`. After `uncertain` the store answers no more
  ///   calls: make another `Store` and read the result.
  package func transaction<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
    try database.transaction(body)
  }

  /// The accounts whose row or access tokens have changed since the last call.
  package func takeChangedAccounts() -> Set<[UInt8]> {
    defer { changedAccounts = [] }
    return changedAccounts
  }

  /// Records a change of an account's row or access tokens, committed or not.
  func noteChange(of account: [UInt8]) { changedAccounts.insert(account) }

  /// Moves all changes into the database file and empties the log.
  ///
  /// The log would otherwise keep old values (sqlite.org/pragma.html, `wal_checkpoint(TRUNCATE)`).
  package func checkpoint() throws(StorageError) {
    let busy = try number("PRAGMA wal_checkpoint(TRUNCATE)")
    // "The first column is usually 0 but will be 1 if a RESTART or FULL or TRUNCATE checkpoint
    // was blocked from completing."
    guard busy == 0 else { throw .busy }
    // SQLite does not sync the truncation, so a power failure could restore the old values.
    try file.synchronizeLog()
  }

  /// The number of bytes in use: the pages that hold data.
  ///
  /// SQLite reuses free pages first, so deleted data makes room at once. The log is not counted: it
  /// keeps its greatest length and holds only copies of the pages by then.
  package func size() throws(StorageError) -> Int64 {
    func pragma(_ name: String) throws(StorageError) -> Int64 { try number("PRAGMA " + name) ?? 0 }
    let pages = try pragma("page_count") - pragma("freelist_count")
    return try pages * pragma("page_size")
  }

  /// The number in the first column of the first row; `nil` if there is none.
  func number(_ sql: String, _ values: [Value] = []) throws(StorageError) -> Int64? {
    try database.query(sql, values) { columns throws(StorageError) in
      try columns.optionalInteger(0)
    }.first ?? nil
  }

  /// Whether a log is beside the file, as after a killed process.
  package static func hasLog(in directory: StateDirectory) throws(StorageError) -> Bool {
    do throws(SystemError) {
      return try directory.root.contains(StoreFile.name + "-wal")
    } catch {
      throw StorageError(error)
    }
  }

  /// Whether closing leaves the log beside the file, as after a mere examination of the store.
  ///
  /// Otherwise closing moves all changes into the file (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE).
  package func leaveLogOnClose(_ on: Bool) throws(StorageError) {
    try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on)
  }

  /// Reads the whole store and checks that it is consistent.
  ///
  /// - Throws: `damaged`.
  package func verify() throws(StorageError) {
    let found = try database.query("PRAGMA integrity_check(1)") {
      columns throws(StorageError) in try columns.text(0)
    }
    guard found == ["ok"] else { throw .damaged(StoreFile.name) }
    let orphans = try database.query("PRAGMA foreign_key_check") {
      columns throws(StorageError) in try columns.text(0)
    }
    guard orphans.isEmpty else { throw .damaged(StoreFile.name) }
  }
}
