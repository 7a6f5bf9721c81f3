import Cryptography
import JSON
import System
import Testing

/// The signatures of C2SP/wycheproof, good and forged, through this room's own calls.
@Suite
struct SignatureVectorTests {
  private static func groups(_ name: String) throws -> [JSONObject] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let file = try Directory(path: "/\(folder)/Vectors")
      .openForReading("wycheproof-\(name)_test.json")
    guard case .object(let all) = try JSONReader.read(file.readAll(limit: 1 << 20)) else {
      return []
    }
    return try all.array("testGroups").compactMap { group in
      if case .object(let group) = group { group } else { nil }
    }
  }

  /// Checks each signature, and returns how many were good and how many forged.
  private func judge(
    _ name: String,
    _ algorithm: SignatureAlgorithm,
    key: (JSONObject) throws -> SignatureKey
  ) throws -> (good: Int, forged: Int) {
    var good = 0
    var forged = 0
    for group in try Self.groups(name) {
      let key = try key(try group.object("publicKey"))
      for test in try group.array("tests") {
        guard case .object(let test) = test else { throw JSONError.wrongType("tests") }
        let result = try test.string("result")
        let isGood = key.verifies(
          bytes(hex: try test.string("sig")),
          of: bytes(hex: try test.string("msg")),
          algorithm
        )
        // One vector leaves out a NULL that some encoders omit. Refusing it is also right.
        guard result != "acceptable" else { continue }
        let number = try test.integer("tcId")
        #expect(isGood == (result == "valid"), "case \(number)")
        if isGood { good += 1 } else { forged += 1 }
      }
    }
    return (good, forged)
  }

  private func rsa(_ key: JSONObject) throws -> SignatureKey {
    try SignatureKey(
      rsaModulus: Array(bytes(hex: try key.string("modulus")).drop { $0 == 0 }),
      exponent: Array(bytes(hex: try key.string("publicExponent")).drop { $0 == 0 })
    )
  }

  private func point(_ key: JSONObject, on curve: SignatureKey.Curve) throws -> SignatureKey {
    let point = bytes(hex: try key.string("uncompressed")).dropFirst()
    let count = curve.coordinateCount
    return try SignatureKey(on: curve, x: Array(point.prefix(count)), y: Array(point.suffix(count)))
  }

  @Test
  func rs256() throws {
    let counts = try judge("rsa_signature_2048_sha256", .rs256, key: rsa)
    #expect(counts == (9, 249))
  }

  @Test
  func rs384() throws {
    #expect(try judge("rsa_signature_2048_sha384", .rs384, key: rsa) == (7, 250))
  }

  @Test
  func rs512() throws {
    #expect(try judge("rsa_signature_2048_sha512", .rs512, key: rsa) == (8, 250))
  }

  @Test
  func ps384() throws {
    #expect(try judge("rsa_pss_2048_sha384_mgf1_48", .ps384, key: rsa) == (95, 46))
  }

  @Test
  func ps512() throws {
    #expect(try judge("rsa_pss_4096_sha512_mgf1_64", .ps512, key: rsa) == (132, 47))
  }

  @Test
  func es384() throws {
    let counts = try judge("ecdsa_secp384r1_sha384_p1363", .es384) { try point($0, on: .p384) }
    #expect(counts == (193, 87))
  }

  @Test
  func es512() throws {
    let counts = try judge("ecdsa_secp521r1_sha512_p1363", .es512) { try point($0, on: .p521) }
    #expect(counts == (231, 87))
  }

  @Test
  func ps256() throws {
    let counts = try judge("rsa_pss_2048_sha256_mgf1_32", .ps256, key: rsa)
    #expect(counts == (63, 45))
  }

  @Test
  func es256() throws {
    let counts = try judge("ecdsa_secp256r1_sha256_p1363", .es256) { try point($0, on: .p256) }
    #expect(counts == (173, 89))
  }

  @Test
  func ed25519() throws {
    let counts = try judge("ed25519", .edDSA) { key in
      try SignatureKey(ed25519: bytes(hex: try key.string("pk")))
    }
    #expect(counts == (88, 63))
  }

  @Test
  func aSignatureOfOneAlgorithmIsNotOneOfAnother() throws {
    let group = try #require(Self.groups("rsa_signature_2048_sha256").first)
    let key = try rsa(try group.object("publicKey"))
    guard case .object(let test)? = try group.array("tests").first else {
      Issue.record("no case")
      return
    }
    let signature = bytes(hex: try test.string("sig"))
    let message = bytes(hex: try test.string("msg"))
    #expect(key.verifies(signature, of: message, .rs256))
    for other in SignatureAlgorithm.allCases where other != .rs256 {
      #expect(!key.verifies(signature, of: message, other))
    }
    #expect(key.kind.fits(.ps256) && !key.kind.fits(.es256) && !key.kind.fits(.edDSA))
  }
}

@Suite
struct SignatureKeyTests {
  private static let modulus = [UInt8](repeating: 0xC5, count: 256)

  private func refusal(_ make: () throws -> SignatureKey) -> CryptographyError? {
    do {
      _ = try make()
      return nil
    } catch {
      return error as? CryptographyError
    }
  }

  @Test(
    arguments: [
      (0, .malformed), (1, .wrongLength), (128, .wrongLength), (255, .wrongLength), (256, nil),
      (512, nil), (1024, nil), (1025, .wrongLength), (8192, .wrongLength),
    ] as [(Int, CryptographyError?)]
  )
  func anRSAKeyHas2048To8192Bits(_ count: Int, _ expected: CryptographyError?) {
    let modulus = [UInt8](repeating: 0xC5, count: count)
    let refusal = refusal { try SignatureKey(rsaModulus: modulus, exponent: [1, 0, 1]) }
    #expect(refusal == expected)
  }

  @Test
  func bitsAreCountedNotBytes() {
    // 256 bytes, of which the first has 7 bits: 2047.
    let short = [0x7F] + Self.modulus.dropFirst()
    #expect(refusal { try SignatureKey(rsaModulus: short, exponent: [3]) } == .wrongLength)
  }

  @Test(
    arguments: [
      [], [0], [1], [2], [0, 1], [0, 3], [1, 0, 0], [0xFF, 0xFF, 0xFF, 0xFE],
      [1, 0, 0, 0, 0, 0, 0, 0, 1],
    ] as [[UInt8]]
  )
  func anExponentThatSignsNothingIsRefused(_ exponent: [UInt8]) {
    let refusal = refusal { try SignatureKey(rsaModulus: Self.modulus, exponent: exponent) }
    #expect(refusal == .malformed)
  }

  @Test
  func aModulusThatIsEvenOrPaddedIsRefused() {
    let even = Self.modulus.dropLast() + [0xC4]
    #expect(refusal { try SignatureKey(rsaModulus: Array(even), exponent: [3]) } == .malformed)
    let padded = [0] + Self.modulus
    #expect(refusal { try SignatureKey(rsaModulus: padded, exponent: [3]) } == .malformed)
  }

  @Test
  func aPointThatIsNotOnTheCurveMakesNoKey() throws {
    // The base point of P-256 (FIPS 186-4, D.1.2.3).
    let x = bytes(hex: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    let y = bytes(hex: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    #expect(refusal { try SignatureKey(on: .p256, x: x, y: y) } == nil)
    for index in [0, 15, 31] {
      var wrong = y
      wrong[index] ^= 1
      #expect(refusal { try SignatureKey(on: .p256, x: x, y: wrong) } == .malformed)
    }
    let zero = [UInt8](repeating: 0, count: 32)
    #expect(refusal { try SignatureKey(on: .p256, x: zero, y: zero) } == .malformed)
    let most = [UInt8](repeating: 0xFF, count: 32)
    #expect(refusal { try SignatureKey(on: .p256, x: most, y: y) } == .malformed)
    for (x, y) in [(x, Array(y.dropLast())), ([0] + x, y), ([], []), (x, y + y)] {
      #expect(refusal { try SignatureKey(on: .p256, x: x, y: y) } == .wrongLength)
    }
  }

  @Test(arguments: [(SignatureKey.Curve.p384, 48), (.p521, 66)])
  func aCurveTakesOnlyItsOwnPoints(_ curve: SignatureKey.Curve, _ count: Int) {
    for length in [0, 32, 48, 65, 66, 67] where length != count {
      let number = [UInt8](repeating: 1, count: length)
      #expect(refusal { try SignatureKey(on: curve, x: number, y: number) } == .wrongLength)
    }
    for byte in [0, 1, 0xFF] as [UInt8] {
      let number = [UInt8](repeating: byte, count: count)
      #expect(refusal { try SignatureKey(on: curve, x: number, y: number) } == .malformed)
    }
  }

  @Test
  func anEd25519KeyHas32Bytes() {
    for count in [0, 31, 33, 57, 64] {
      let bytes = [UInt8](repeating: 9, count: count)
      #expect(refusal { try SignatureKey(ed25519: bytes) } == .wrongLength)
    }
  }

  @Test
  func lengthsThatNoSignatureHasAreRefusedAndNothingElseBreaks() throws {
    let keys = [
      (try SignatureKey(rsaModulus: Self.modulus, exponent: [1, 0, 1]), SignatureAlgorithm.rs256),
      (try SignatureKey(rsaModulus: Self.modulus, exponent: [1, 0, 1]), .ps256),
      (
        try SignatureKey(
          on: .p256,
          x: bytes(hex: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
          y: bytes(hex: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
        ), .es256
      ),
      (try SignatureKey(ed25519: [UInt8](repeating: 9, count: 32)), .edDSA),
    ]
    for (key, algorithm) in keys {
      for count in [0, 1, 2, 32, 63, 64, 65, 70, 72, 128, 255, 256, 257, 1024, 1025, 100_000] {
        for byte in [0, 1, 0x30, 0x7F, 0xFF] as [UInt8] {
          let signature = [UInt8](repeating: byte, count: count)
          #expect(!key.verifies(signature, of: [1, 2, 3], algorithm))
        }
      }
      let long = [UInt8](repeating: 0, count: SignatureKey.maximumMessage + 1)
      #expect(!key.verifies([UInt8](repeating: 1, count: 64), of: long, algorithm))
    }
    // A refused signature leaves no error behind that a later call would report.
    #expect(try sha256([]).count == 32)
    #expect(try sha512([]).prefix(4) == [0xCF, 0x83, 0xE1, 0x35])
  }
}

extension SignatureKey {
  fileprivate convenience init(
    rsaModulus: [UInt8],
    exponent: [UInt8]
  ) throws(CryptographyError) {
    try self.init(PublicKeyNumbers(rsaModulus: rsaModulus, exponent: exponent))
  }

  fileprivate convenience init(on curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptographyError) {
    try self.init(PublicKeyNumbers(on: curve, x: x, y: y))
  }

  fileprivate convenience init(ed25519: [UInt8]) throws(CryptographyError) {
    try self.init(PublicKeyNumbers(ed25519: ed25519))
  }
}
