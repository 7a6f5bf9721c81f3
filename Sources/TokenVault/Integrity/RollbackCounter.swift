internal import AuditLog
internal import Cryptography
internal import Storage

// The rollback counter: the number of changes to sealed boxes. It is in the store and, under a key
// of the device secret, in a file beside the store. The file is updated after each such change of
// the store. So when the engine starts, the store's count equals the file's, or is one higher after
// a crash in between. A store that was restored from a copy has a lower count.
extension Vault {
  /// Runs one transaction that changes sealed data.
  ///
  /// It counts the change, and raises the rollback counter after the commit.
  ///
  /// - Parameters:
  ///   - journalsLater: see `change`.
  ///   - isSealed: whether a box changes; otherwise nothing is counted.
  ///   - emptiesLog: whether the write-ahead log is emptied afterwards, because it holds an old
  ///     box.
  ///   - body: the change.
  ///   - committed: is called after the commit, before any later step can fail.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, and failures of the store. If only the log cannot be emptied,
  ///   the failure says that the change is made.
  func changeSealed<Value>(
    journalsLater: Bool = false,
    isSealed: Bool = true,
    emptiesLog: Bool = false,
    _ body: () throws -> Value,
    committed: () -> Void = {}
  ) throws(VaultFailure) -> Value {
    let value = try change(journalsLater: journalsLater) {
      let value = try body()
      if isSealed { try countBoxChange() }
      return value
    }
    committed()
    // The change is committed. If the counter cannot be written now, the next change writes it
    // first.
    if isSealed { try? raiseCounter() }
    if emptiesLog { try emptyLog() }
    return value
  }

  /// Empties the write-ahead log after the commit of a change: it still holds an old box.
  ///
  /// - Throws: why it cannot be emptied. The change is still made.
  func emptyLog() throws(VaultFailure) {
    do throws(StorageError) { try store.checkpoint() } catch {
      if case .uncertain = error { throw failure(of: error) }
      throw .vaultUnsafe(
        "the change is made, but old data could not be removed from vault.db-wal: \(error)",
        hint: "remove the cause; the engine empties that file when it ends"
      )
    }
  }

  /// Raises the count of changes to sealed boxes, in the transaction that makes a change, after the
  /// change.
  func countBoxChange() throws(VaultFailure) {
    try demandCurrentStore()
    let (next, overflow) = try boxChanges().addingReportingOverflow(1)
    guard !overflow else { throw .vaultUnsafe("the rollback counter is used up", hint: nil) }
    storeState.noteCount()
    try setBoxChanges(next)
    try audited(try auditLog.bind(to: next, using: storeState.keys.audit))
  }

  func setBoxChanges(_ count: UInt64) throws(VaultFailure) {
    try stored(try store.setMeta(AuditLog.changesKey, to: littleEndian(count)))
    try sealBoxes(count, using: storeState.keys.counter)
  }

  /// Copies the count to the file outside the database, after the commit.
  ///
  /// If that fails, the next transaction begins with it: the store is never two changes ahead.
  func raiseCounter() throws(VaultFailure) {
    try demandCurrentStore()
    let count = try boxChanges()
    machineKeySlots?.note(count, of: identifier)
    if count != storeState.counter { try writeCounter(count) }
    storeState.noteCounterRaised()
  }

  /// Writes the file of the rollback counter again, whatever it held.
  func writeCounter(_ count: UInt64) throws(VaultFailure) {
    do {
      try Self.writeCounter(count, of: identifier, using: storeState.keys.counter, in: directory)
    } catch let error as StorageError {
      throw failure(of: error)
    } catch {
      throw .unexpected("the rollback counter cannot be written: \(error)")
    }
    storeState.noteCounter(count)
  }

  func boxChanges() throws(VaultFailure) -> UInt64 {
    try stored(try Self.boxChanges(in: store))
  }

  // MARK: - Before there is a vault

  static func boxChanges(in store: Store) throws(StorageError) -> UInt64 {
    integer(littleEndian: try (store.meta(AuditLog.changesKey) ?? []).prefix(8))
  }

  static func writeCounter(
    _ count: UInt64,
    of identifier: [UInt8],
    using key: borrowing SealingKey,
    in directory: StateDirectory
  ) throws {
    try RollbackCounterFile.write(
      count: count,
      code: try counterCode(count, of: identifier, using: key),
      in: directory
    )
  }

  /// The code that authenticates a count; it is valid only in this vault.
  static func counterCode(
    _ count: UInt64,
    of identifier: [UInt8],
    using key: borrowing SealingKey
  ) throws(CryptographyError) -> [UInt8] {
    try authenticate(Array("TLMARK02".utf8) + littleEndian(count) + identifier, using: key)
  }
}
