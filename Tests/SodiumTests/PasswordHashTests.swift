import SecretMemory
import Testing

@testable import Sodium

struct PasswordHashTests {
  private func key(
    _ passphrase: String = "correct horse battery staple",
    salt: UInt8 = 7,
    passes: UInt32 = 1,
    kibibytes: UInt32 = 8
  ) throws -> [UInt8] {
    let key = try PasswordHash.key(
      from: SecretBytes(copying: Array(passphrase.utf8)),
      salt: [UInt8](repeating: salt, count: PasswordHash.saltCount),
      passes: passes,
      kibibytes: kibibytes
    )
    return key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test
  func theKeyIsThatOfLibsodium1018() throws {
    let hexadecimal = try key().map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    let expected = "6d9d4cd2bf048c1f142287a80b105d85f868b75b4e15f51ba23c513f1ffb4cb1"
    #expect(hexadecimal.joined() == expected)
  }

  @Test
  func eachInputChangesTheKey() throws {
    let keys = [
      try key(), try key("correct horse battery stapler"), try key(salt: 8), try key(passes: 2),
      try key(kibibytes: 16),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(try key() == keys[0])
  }

  @Test
  func aCostThatLibsodiumDoesNotTakeIsRefused() throws {
    #expect(throws: PasswordHash.Failure.wrongLength) { try key(passes: 0) }
    #expect(throws: PasswordHash.Failure.wrongLength) { try key(kibibytes: 7) }
    #expect(throws: PasswordHash.Failure.wrongLength) {
      _ = try PasswordHash.key(
        from: SecretBytes(copying: [1]),
        salt: [1, 2, 3],
        passes: 1,
        kibibytes: 8
      )
    }
  }
}
