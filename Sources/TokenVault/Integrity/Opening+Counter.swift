internal import Cryptography
internal import Storage

// The rollback counter as a start of the engine finds it.
extension Opening {
  /// What the file of the rollback counter holds.
  struct Found {
    var counter: RollbackCounter?
    var isDamaged = false
    var isAuthentic = false
  }

  static func found(
    _ identifier: [UInt8],
    _ key: borrowing SealingKey,
    in directory: StateDirectory
  ) throws -> Found {
    var found = Found()
    do throws(StorageError) {
      found.counter = try RollbackCounterFile.read(in: directory)
    } catch {
      guard case .damaged = error else { throw error }
      found.isDamaged = true
    }
    if let counter = found.counter {
      found.isAuthentic =
        try counter.code == Vault.counterCode(counter.count, of: identifier, using: key)
    }
    return found
  }

  static func freshness(_ found: Found, _ count: UInt64) -> StoreFreshness {
    if found.isDamaged { return .counterDamaged }
    guard let counter = found.counter else { return count == 0 ? .current : .counterMissing }
    // Nothing has been counted yet, so the device secret may be a new one.
    if count == 0 && counter.count == 0 { return .current }
    guard found.isAuthentic else { return count == 0 ? .storeMissing : .counterDamaged }
    if count < counter.count { return .olderThanCounter }
    return count - counter.count <= 1 ? .current : .newerThanCounter
  }
}
