internal import System

/// The first hundred bytes of a database file (sqlite.org/fileformat2.html, section 1.3).
struct DatabaseHeader {
  /// Bytes 60 to 63: `user_version`, the number of the schema.
  let version: Int
  /// Bytes 68 to 71: `application_id`.
  let applicationID: Int32

  /// Reads the header without changing the file.
  ///
  /// - Throws: `damaged` if the file is not a database.
  init(of file: borrowing Descriptor) throws(StorageError) {
    let bytes = try calling { () throws(SystemError) in try file.read(atMost: 100, at: 0) }
    guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .damaged("\(StoreFile.name) is not a database")
    }
    // Bytes 18 and 19 are the write and read versions: 1 with a rollback journal, 2 with a log.
    // SQLite opens a file of a higher write version only for reading.
    guard bytes[18] == bytes[19], (1...2).contains(bytes[18]) else {
      throw .damaged("\(StoreFile.name) has a file format that this program does not write")
    }
    version = Int(Int32(bitPattern: Self.integer(bytes[60..<64])))
    applicationID = Int32(bitPattern: Self.integer(bytes[68..<72]))
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
