import HelperInterface
import SecretMemory
import TestSupport
import Testing
import Varlink
import VaultInterface

/// The bytes of every message.
///
/// The types are generated. A round trip would not detect a generator that moves, renames or drops
/// a member.
@Suite
struct WireTests {
  @Test
  func everyMessageIsWrittenAsItWas() throws {
    let file = try InterfaceFile.read("Tests/VaultInterfaceTests/Wire/messages.txt")
    let lines = file.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == samples.count)
    for (line, sample) in zip(lines, samples) {
      let message = try sample.message(sample.parameters)
      let text = unsafe message.withUnsafeBytes { bytes in
        unsafe String(decoding: bytes.dropLast(), as: UTF8.self)
      }
      #expect("\(sample) \(text)" == String(decoding: line, as: UTF8.self))
    }
  }

  /// Without its mark in an interface file a secret would get into ordinary memory.
  @Test
  func theSecretMembersAreThese() {
    #expect(
      VarlinkInterface.vault.callSecrets
        == [
          "code", "password", "pin", "secret", "recovery", "refresh_token", "text", "query",
          "client_secret", "backup_key", "receipt",
        ]
    )
    #expect(VarlinkInterface.vault.replySecrets == ["code", "refresh_token", "client_secret"])
    #expect(
      VarlinkInterface.helper.callSecrets
        == [
          "authorization", "body", "credentials", "key", "key_pin", "next_authorization", "print",
          "secret", "text",
        ]
    )
    #expect(VarlinkInterface.helper.replySecrets == ["body", "print", "secret"])
  }
}
