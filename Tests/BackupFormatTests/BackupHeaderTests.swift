import Testing

@testable import BackupFormat

struct BackupHeaderTests {
  private static let salt = [UInt8](0..<16)
  private static let headers = [
    BackupHeader(.passphrase(.standard), salt: salt), BackupHeader(.recoveryCode, salt: salt),
  ]

  /// Fixed: a later version must read it.
  @Test
  func theBytesAreTheseForever() {
    let magic = Array("TLBACKUP".utf8)
    #expect(Self.headers[0].encoded == magic + [1, 1] + Self.salt + [3, 0, 0, 0, 0, 0, 4, 0])
    #expect(Self.headers[1].encoded == magic + [1, 2] + Self.salt + [0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test(arguments: headers)
  func aHeaderReadsAsItWasWritten(_ header: BackupHeader) throws {
    #expect(header.encoded.count == BackupHeader.count)
    #expect(try BackupHeader(parsing: header.encoded) == header)
    #expect(try BackupHeader(parsing: header.encoded + [1, 2]) == header)
  }

  @Test(arguments: headers)
  func eachShorterFileIsRefused(_ header: BackupHeader) {
    for count in 0..<BackupHeader.count {
      #expect(throws: BackupHeader.Flaw.noBackup) {
        try BackupHeader(parsing: header.encoded.prefix(count))
      }
    }
  }

  @Test(arguments: headers)
  func noChangedBitReadsAsTheSame(_ header: BackupHeader) {
    for index in 0..<BackupHeader.count * 8 {
      var bytes = header.encoded
      bytes[index / 8] ^= 1 << (index % 8)
      let changed = try? BackupHeader(parsing: bytes)
      #expect(changed != header)
      // Other bytes mean the same to no reader.
      if let changed { #expect(changed.encoded == bytes) }
    }
  }

  @Test
  func aForgedCostIsRefusedBeforeMemoryIsTaken() {
    let magic = Array("TLBACKUP".utf8) + [1, 1] + Self.salt
    for cost in [
      // 4 GiB, and just above the limit.
      [3, 0, 0, 0, 0, 0, 64, 0], [3, 0, 0, 0, 1, 0, 8, 0],
      [255, 255, 255, 255, 0, 0, 4, 0], [11, 0, 0, 0, 0, 0, 4, 0],
      [0, 0, 0, 0, 0, 0, 4, 0], [3, 0, 0, 0, 7, 0, 0, 0],
    ] as [[UInt8]] {
      #expect(throws: BackupHeader.Flaw.unknownLock) { try BackupHeader(parsing: magic + cost) }
    }
    // A cost together with a recovery code has no meaning.
    let code = Array("TLBACKUP".utf8) + [1, 2] + Self.salt
    #expect(throws: BackupHeader.Flaw.unknownLock) {
      try BackupHeader(parsing: code + [3, 0, 0, 0, 0, 0, 4, 0])
    }
  }

  @Test
  func aNewerVersionIsNamed() {
    var bytes = Self.headers[0].encoded
    bytes[8] = 2
    #expect(throws: BackupHeader.Flaw.unknownVersion(2)) { try BackupHeader(parsing: bytes) }
  }
}
