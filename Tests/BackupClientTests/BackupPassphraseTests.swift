import BackupClient
import SecretMemory
import Testing

/// The passphrase of a backup.
struct BackupPassphraseTests {
  @Test(arguments: [
    ("elevenbytes", true), ("twelve bytes", false),
    (String(repeating: "ä", count: 11), true), (String(repeating: "ä", count: 12), false),
    (String(repeating: "鍵", count: 11), true), (String(repeating: "🔑", count: 12), false),
  ])
  func itsCharactersAreCounted(_ text: String, isTooShort: Bool) throws {
    let passphrase = try SecretBytes(copying: Array(text.utf8))
    let found = BackupPassphrase.isTooShort(passphrase)
    #expect(found == isTooShort)
  }
}
