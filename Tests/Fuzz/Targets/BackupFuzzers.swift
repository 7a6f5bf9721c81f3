internal import BackupFormat

extension Fuzzer {
  /// The header of a backup, of which a person may get a forged one.
  static let backupHeaders = Fuzzer("backup-headers", maximum: 2 * BackupHeader.count) { input in
    let bytes = input.bytes()
    let header = try BackupHeader(parsing: bytes)
    demand(header.encoded == Array(bytes.prefix(BackupHeader.count)), "a header has two encodings")
  }
}
