import BackupClient
import BackupFormat
import SecretMemory
import TestSupport
import Testing

struct BackupFileTests {
  private let scratch: ScratchDirectory
  private var path: String { scratch.path + "/backup" }

  init() throws { scratch = try ScratchDirectory() }

  @Test
  func aFileIsReplacedOnlyOnDemand() throws {
    try BackupFile(new: path, replacing: false).write([1, 2])
    do {
      _ = try BackupFile(new: path, replacing: false)
      Issue.record("the file was not seen")
    } catch .exists {}
    try BackupFile(new: path, replacing: true).write([3])
    #expect(try BackupFile.read(path) == [3])
  }

  @Test
  func aFileThatComesLaterStays() throws {
    let late = try BackupFile(new: path, replacing: false)
    try BackupFile(new: path, replacing: false).write([1])
    do {
      try late.write([2])
      Issue.record("the file was replaced")
    } catch .exists {}
    #expect(try BackupFile.read(path) == [1])
  }

  @Test
  func whatIsNoFileIsRefused() throws {
    for path in ["", scratch.path + "/", scratch.path + "/..", scratch.path] {
      do {
        _ = try BackupFile(new: path, replacing: true)
        Issue.record("\(path) was taken")
      } catch .noFileName, .notRegular {}
    }
  }

  /// Not even root can make a file in /proc.
  @Test
  func aPlaceThatTakesNoFileIsRefusedAtOnce() throws {
    do {
      _ = try BackupFile(new: "/proc/backup", replacing: false)
      Issue.record("the place was taken")
    } catch .unwritten {}
  }

  private func key(_ header: BackupHeader) throws -> [UInt8] {
    let passphrase = SharedSecret(try SecretBytes(copying: [UInt8]("correct horse battery".utf8)))
    return try BackupPassphrase.key(of: passphrase.bytes, header).bytes.withBytes { bytes in
      bytes.indices.map { bytes[$0] }
    }
  }

  @Test
  func theKeyBelongsToTheSalt() throws {
    let cost = try #require(BackupHeader.Cost(checking: 1, kibibytes: 8))
    let headers = [0, 1].map { _ in BackupPassphrase.newHeader(.passphrase(cost)) }
    #expect(try key(headers[0]) == key(headers[0]))
    #expect(try key(headers[0]) != key(headers[1]))
    #expect(throws: (any Error).self) { try key(BackupPassphrase.newHeader(.recoveryCode)) }
  }
}
