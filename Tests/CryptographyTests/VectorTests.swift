import Cryptography
import Glibc
import JSON
import SecretMemory
import System
import Testing

/// The cases of C2SP/wycheproof for AES-GCM, and of RFC 5869 for HKDF, through this room's own
/// calls.
@Suite
struct VectorTests {
  private struct Case: Sendable {
    let number: Int64
    let key: [UInt8]
    let nonce: [UInt8]
    let tagBits: Int64
    let header: [UInt8]
    let plaintext: [UInt8]
    /// Ciphertext and tag.
    let sealed: [UInt8]
    let isValid: Bool

    /// Whether this room supports these sizes.
    var hasOurSizes: Bool { key.count == 32 && nonce.count == 12 && tagBits == 128 }
  }

  private static func cases() throws -> [Case] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let file = try Directory(path: "/\(folder)/Vectors")
      .openForReading("wycheproof-aes_gcm_test.json")
    guard case .object(let all) = try JSONReader.read(file.readAll(limit: 1 << 20)) else {
      return []
    }
    return try all.array("testGroups").flatMap { group in
      guard case .object(let group) = group else { throw JSONError.wrongType("testGroups") }
      let tagBits = try group.integer("tagSize")
      return try group.array("tests").map { test in
        guard case .object(let test) = test else { throw JSONError.wrongType("tests") }
        return Case(
          number: try test.integer("tcId"),
          key: bytes(hex: try test.string("key")),
          nonce: bytes(hex: try test.string("iv")),
          tagBits: tagBits,
          header: bytes(hex: try test.string("aad")),
          plaintext: bytes(hex: try test.string("msg")),
          sealed: bytes(hex: try test.string("ct") + test.string("tag")),
          isValid: try test.string("result") == "valid"
        )
      }
    }
  }

  @Test
  func everyPublishedCaseOfOurSizesIsSealedAndOpenedAsPublished() throws {
    let ours = try Self.cases().filter(\.hasOurSizes)
    #expect(ours.count == 66)
    #expect(ours.filter { !$0.isValid }.count > 20)
    for test in ours {
      let opened = open(test)
      if test.isValid {
        #expect(opened == .success(test.plaintext), "case \(test.number)")
        #expect(seal(test) == .success(test.sealed), "case \(test.number)")
      } else {
        #expect(opened == .failure(.damaged), "case \(test.number)")
      }
    }
  }

  @Test
  func everyPublishedCaseOfOtherSizesIsRefused() throws {
    let others = try Self.cases().filter { !$0.hasOurSizes }
    #expect(others.count == 250)
    for test in others {
      #expect(open(test) == .failure(.wrongLength), "case \(test.number)")
      #expect(seal(test) == .failure(.wrongLength), "case \(test.number)")
    }
  }

  @Test
  func aTagCutShortIsNoTag() throws {
    let test = try #require(try Self.cases().first { $0.hasOurSizes && $0.isValid })
    for cut in 1...16 {
      var output = [UInt8](repeating: 0, count: test.plaintext.count)
      let result = Self.result { () throws(CryptographyError) in
        try Self.open(Array(test.sealed.dropLast(cut)), test, into: &output)
      }
      #expect(result == .failure(.wrongLength))
    }
  }

  private func seal(_ test: Case) -> Result<[UInt8], CryptographyError> {
    Self.result { () throws(CryptographyError) in
      var output = [UInt8](repeating: 0, count: test.plaintext.count + AES256GCM.tagCount)
      var room = output.mutableSpan
      unsafe try room.withUnsafeMutableBytes { output throws(CryptographyError) in
        unsafe try Self.lend(test) { key, nonce, header throws(CryptographyError) in
          unsafe try test.plaintext.span.withUnsafeBytes { plaintext throws(CryptographyError) in
            unsafe try AES256GCM.seal(
              plaintext,
              key: key,
              nonce: nonce,
              authenticating: header,
              into: output
            )
          }
        }
      }
      return output
    }
  }

  private func open(_ test: Case) -> Result<[UInt8], CryptographyError> {
    Self.result { () throws(CryptographyError) in
      var output = [UInt8](repeating: 0, count: test.plaintext.count)
      try Self.open(test.sealed, test, into: &output)
      return output
    }
  }

  @discardableResult
  private static func open(
    _ sealed: [UInt8],
    _ test: Case,
    into output: inout [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    var room = output.mutableSpan
    unsafe try room.withUnsafeMutableBytes { output throws(CryptographyError) in
      unsafe try lend(test) { key, nonce, header throws(CryptographyError) in
        unsafe try sealed.span.withUnsafeBytes { sealed throws(CryptographyError) in
          unsafe try AES256GCM.open(
            sealed,
            key: key,
            nonce: nonce,
            authenticating: header,
            into: output
          )
        }
      }
    }
    return output
  }

  private static func lend(
    _ test: Case,
    _ body: (
      UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
    ) throws(CryptographyError) -> Void
  ) throws(CryptographyError) {
    unsafe try test.key.span.withUnsafeBytes { key throws(CryptographyError) in
      unsafe try test.nonce.span.withUnsafeBytes { nonce throws(CryptographyError) in
        unsafe try test.header.span.withUnsafeBytes { header throws(CryptographyError) in
          unsafe try body(key, nonce, header)
        }
      }
    }
  }

  private static func result(
    _ body: () throws(CryptographyError) -> [UInt8]
  ) -> Result<[UInt8], CryptographyError> {
    do throws(CryptographyError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// RFC 5869, appendices A.1 to A.3.
  @Test
  func keysAreDerivedAsPublished() throws {
    #expect(
      try hkdf(
        key: [UInt8](repeating: 0x0b, count: 22),
        salt: [UInt8](0x00...0x0c),
        info: [UInt8](0xf0...0xf9),
        count: 42
      )
        == bytes(
          hex: """
            3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf
            34007208d5b887185865
            """
        )
    )
    #expect(
      try hkdf(
        key: [UInt8](0x00...0x4f),
        salt: [UInt8](0x60...0xaf),
        info: [UInt8](0xb0...0xff),
        count: 82
      )
        == bytes(
          hex: """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
            59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
            cc30c58179ec3e87c14c01d5c1f3434f1d87
            """
        )
    )
    #expect(
      try hkdf(key: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [], count: 42)
        == bytes(
          hex: """
            8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d
            9d201395faa4b61a96c8
            """
        )
    )
  }

  @Test
  func whatHKDFCannotGiveIsRefused() throws {
    #expect(throws: CryptographyError.wrongLength) { try hkdf(key: [], count: 32) }
    #expect(throws: CryptographyError.wrongLength) { try hkdf(key: [1], count: 0) }
    #expect(throws: CryptographyError.wrongLength) { try hkdf(key: [1], count: 255 * 32 + 1) }
    #expect(try hkdf(key: [1], count: 255 * 32).count == 255 * 32)
    let longest = [UInt8](repeating: 1, count: HKDF.maximumInfoCount)
    #expect(try hkdf(key: [1], info: longest, count: 32).count == 32)
    #expect(throws: CryptographyError.wrongLength) {
      try hkdf(key: [1], info: longest + [1], count: 32)
    }
  }

  private func hkdf(
    key: [UInt8],
    salt: [UInt8] = [],
    info: [UInt8] = [],
    count: Int
  ) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    var room = output.mutableSpan
    unsafe try room.withUnsafeMutableBytes { output throws(CryptographyError) in
      unsafe try key.span.withUnsafeBytes { key throws(CryptographyError) in
        unsafe try HKDF.derive(key: key, salt: salt, info: info, into: output)
      }
    }
    return output
  }
}
