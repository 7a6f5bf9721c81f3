internal import System

/// The rollback counter and its authentication code.
package struct RollbackCounter: Sendable, Equatable {
  /// The number of changes to sealed boxes that the store had made.
  package var count: UInt64
  /// The authentication code over the counter, 32 bytes.
  package var code: [UInt8]
}

/// The file of the rollback counter: a number outside the database that only rises.
///
/// A store restored from an older copy has a lower number. Only the holder of the key can check the
/// code. Format: magic `TLMARK02`, the counter (UInt64, little-endian), the code: 48 bytes.
package enum RollbackCounterFile {
  static let name = "rollback-counter"
  static let temporaryName = "rollback-counter.new"
  private static let magic = [UInt8]("TLMARK02".utf8)
  private static let codeCount = 32
  private static let count = 16 + codeCount

  /// The rollback counter; `nil` if there is none.
  ///
  /// - Throws: `damaged`, or `unsafeFile` if it is not a private file.
  package static func read(in directory: StateDirectory) throws(StorageError) -> RollbackCounter? {
    guard let file = try directory.root.openChecked(name) else { return nil }
    let bytes = try calling { () throws(SystemError) in
      try file.status().size <= Int64(count) ? file.readAll(limit: count) : []
    }
    guard bytes.count == count, bytes.starts(with: magic) else { throw .damaged(name) }
    return RollbackCounter(count: integer(bytes[8..<16]), code: Array(bytes[16...]))
  }

  /// Replaces the rollback counter durably.
  ///
  /// A file of this format is overwritten in place: a new file, its name and their directory would
  /// take three syncs instead of one. The 48 bytes are in one sector, which disks write completely
  /// or not at all. A file of another length or mode is replaced by a new one.
  package static func write(
    count: UInt64,
    code: [UInt8],
    in directory: StateDirectory
  ) throws(StorageError) {
    guard code.count == codeCount else { throw .damaged(name) }
    let bytes = magic + encoded(count) + code
    if let file = try? directory.root.openChecked(name, writing: true),
      try calling({ () throws(SystemError) in try file.status().size }) == Int64(Self.count)
    {
      return try calling { () throws(SystemError) in
        try file.write(bytes, at: 0)
        try file.synchronizeData()
      }
    }
    try directory.root.replace(name, with: bytes, by: temporaryName, durable: true)
  }

  private static func encoded(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
