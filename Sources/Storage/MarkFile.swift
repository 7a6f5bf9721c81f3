internal import System

/// The rollback mark: a counter outside the database that only rises.
///
/// A store that is put back from yesterday knows a lower number than the mark.
/// Format: magic `TLMARK01`, the counter, its complement (UInt64, little-endian): 24 bytes.
public enum MarkFile {
  static let name = "mark"
  static let temporaryName = "mark.new"
  private static let magic = [UInt8]("TLMARK01".utf8)
  private static let count = 24

  /// The mark; nil if none was ever made.
  ///
  /// - Throws: `damaged`, or `unsafeFile` if it is not a private file.
  public static func read(in directory: StateDirectory) throws(StorageError) -> UInt64? {
    guard let file = try directory.root.openChecked(name) else { return nil }
    let bytes = try calling { () throws(SystemError) in
      try file.status().size == Int64(count) ? file.readAll(limit: count) : []
    }
    guard bytes.count == count, bytes.starts(with: magic) else { throw .damaged(name) }
    let value = integer(bytes[8..<16])
    guard integer(bytes[16..<24]) == ~value else { throw .damaged(name) }
    return value
  }

  /// Raises the mark, durable when this returns; nothing happens if it is as high already.
  public static func raise(
    to value: UInt64,
    in directory: StateDirectory
  ) throws(StorageError) {
    if let old = try read(in: directory), old >= value { return }
    let bytes = magic + encoded(value) + encoded(~value)
    try directory.root.replace(name, with: bytes, by: temporaryName, durable: true)
  }

  private static func encoded(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
