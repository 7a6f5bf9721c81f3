import Cryptography
import SecretMemory
import Testing

@Suite
struct SealingKeyTests {
  private func derived(_ purpose: String, _ context: [UInt8] = []) throws -> [UInt8] {
    bytes(of: try Samples.key().derived(for: purpose, context: context).copyOfBytes())
  }

  @Test(arguments: [0, 1, 16, 31, 33, 64])
  func aKeyHasThirtyTwoBytes(count: Int) throws {
    #expect(throws: CryptographyError.wrongLength) {
      _ = try SealingKey(SecretBytes.random(count: count)).identifier
    }
  }

  @Test
  func aKeyOfZerosIsRefused() {
    #expect(throws: CryptographyError.malformed) {
      _ = try SealingKey(SecretBytes(copying: [UInt8](repeating: 0, count: 32))).identifier
    }
  }

  /// Made by another implementation (Python's hmac).
  @Test
  func derivedKeysAndIdentifiersStayTheSame() throws {
    #expect(try Samples.key().identifier == bytes(hex: "e57763d82601f414"))
    #expect(
      try derived("exchange", [1, 2, 3])
        == bytes(hex: "508dbb23054cdd6c45d70d4cc9dd9b205fc6db4111f5ea7a2269de7bf22b7496")
    )
    #expect(
      try authenticate([UInt8]("one record".utf8), using: Samples.key())
        == bytes(hex: "af45ccab28840e0403521d358ec560bb2da93d22e36c7602ea08ed27093cb9a1")
    )
  }

  @Test
  func namesThatLookAlikeGiveDifferentKeys() throws {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    let inputs: [(String, [UInt8])] = [
      ("ab", [UInt8]("c".utf8)), ("a", [UInt8]("bc".utf8)), ("abc", []), ("", [UInt8]("abc".utf8)),
      ("ab", [UInt8]("c\0".utf8)), ("ab\0", [UInt8]("c".utf8)), ("ab", [UInt8]("C".utf8)),
      (composed, []), (decomposed, []), ("x", [UInt8](composed.utf8)),
      ("x", [UInt8](decomposed.utf8)), ("", []), ("\0", []), ("", [0]), ("", [0, 0]),
    ]
    let keys = try inputs.map { try derived($0.0, $0.1) }
    #expect(Set(keys).count == inputs.count)
    for key in keys { #expect(key.count == 32) }
  }

  @Test
  func aDerivedKeyIsNeitherItsParentNorItsIdentifier() throws {
    let parent = try Samples.key()
    let child = try parent.derived(for: "audit chain")
    #expect(child.identifier != parent.identifier)
    #expect(bytes(of: try child.copyOfBytes()) != bytes(of: try parent.copyOfBytes()))
    #expect(bytes(of: try child.copyOfBytes()).prefix(8) != parent.identifier[...])
  }

  @Test
  func aContextThatIsTooLongIsRefused() throws {
    #expect(try derived("x", [UInt8](repeating: 1, count: 512)).count == 32)
    #expect(throws: CryptographyError.wrongLength) {
      try derived("x", [UInt8](repeating: 1, count: 513))
    }
    #expect(throws: CryptographyError.wrongLength) {
      try derived(String(repeating: "x", count: 1000))
    }
  }

  @Test
  func randomKeysDiffer() throws {
    let identifiers = try (0..<100).map { _ in try SealingKey.random().identifier }
    #expect(Set(identifiers).count == 100)
  }

  @Test
  func authenticationDependsOnEveryBitOfMessageAndKey() throws {
    let message = [UInt8](0..<100)
    let code = try authenticate(message, using: Samples.key())
    #expect(code.count == 32)
    #expect(try authenticate(message, using: Samples.key(first: 2)) != code)
    for offset in message.indices {
      for bit in 0..<8 {
        var flipped = message
        flipped[offset] ^= 1 << bit
        #expect(try authenticate(flipped, using: Samples.key()) != code)
      }
    }
  }

  /// FIPS 180-4's examples "abc" and the empty message.
  @Test
  func digestsAreThoseOfTheStandard() throws {
    #expect(
      try sha256([UInt8]("abc".utf8))
        == bytes(hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    )
    #expect(
      try sha256([])
        == bytes(hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    )
  }

  @Test
  func randomBytesHaveTheCountAskedFor() throws {
    for count in [0, 1, 16, 1000] { #expect(try randomBytes(count).count == count) }
    #expect(try randomBytes(16) != randomBytes(16))
    #expect(throws: CryptographyError.self) { try randomBytes(-1) }
    #expect(throws: CryptographyError.self) { try randomBytes(.max) }
  }
}
