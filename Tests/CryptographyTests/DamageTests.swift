import Cryptography
import SecretMemory
import Testing

@Suite
struct DamageTests {
  /// The offsets of a box's parts, as `SealedBox` documents them.
  private enum Part {
    static let header = 149
    static let lengths = [5, 7, 24, 29, 46, 48, 57, 90, 99, 132]
    static let named: [(Range<Int>, CryptographyError)] = [
      (0..<4, .malformed), (8..<24, .otherVault), (25..<29, .otherOwner),
      (30..<46, .otherAccount), (58..<90, .otherBinding), (91..<99, .wrongKey),
      (100..<132, .damaged), (133..<145, .damaged), (145..<149, .wrongLength),
    ]
  }

  @Test
  func everyBitFlippedIsTheNamedRefusal() throws {
    let secret = String(repeating: "t", count: 150)
    let box = try Samples.box(secret).bytes
    let key = try Samples.key()
    let context = try Samples.context()
    for offset in box.indices {
      for bit in 0..<8 {
        var flipped = box
        flipped[offset] ^= 1 << bit
        let refused = refusal(of: flipped, context: context, key: key)
        #expect(refused == expected(offset, flipped), "byte \(offset), bit \(bit)")
      }
    }
  }

  private func expected(_ offset: Int, _ flipped: [UInt8]) -> CryptographyError {
    switch offset {
    case 4: return .unknownVersion(flipped[4])
    case 6: return BoxKind(rawValue: flipped[6]) == nil ? .malformed : .otherKind
    case 47: return ProtectionClass(rawValue: flipped[47]) == nil ? .malformed : .otherProtection
    case 49..<57:
      return .otherGeneration(flipped[49..<57].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    case Part.header...: return .damaged
    default:
      if Part.lengths.contains(offset) { return .malformed }
      return Part.named.first { $0.0.contains(offset) }?.1 ?? .unknownVersion(0)
    }
  }

  @Test
  func everyPrefixIsTooShort() throws {
    let box = try Samples.box().bytes
    for count in box.indices {
      #expect(try refusal(of: Array(box.prefix(count))) == .wrongLength)
    }
  }

  @Test
  func everyByteInsertedOrLeftOutIsRefused() throws {
    let box = try Samples.box().bytes
    let key = try Samples.key()
    let context = try Samples.context()
    for offset in 0...box.count {
      for byte: UInt8 in [0, 1, 0xff, offset < box.count ? box[offset] : 7] {
        var longer = box
        longer.insert(byte, at: offset)
        #expect(refusal(of: longer, context: context, key: key) != nil)
      }
      guard offset < box.count else { continue }
      var shorter = box
      shorter.remove(at: offset)
      #expect(refusal(of: shorter, context: context, key: key) != nil)
    }
  }

  @Test
  func twoBoxesInOneAreRefused() throws {
    let box = try Samples.box().bytes
    #expect(try refusal(of: box + box) == .wrongLength)
    #expect(try refusal(of: try Samples.box("another").bytes + box) == .wrongLength)
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func onlyTheKnownVersionIsRead(version: UInt8) throws {
    var box = try Samples.box().bytes
    box[4] = version
    #expect(try refusal(of: box) == (version == 1 ? nil : .unknownVersion(version)))
    var context = try Samples.context().encoded
    context[0] = version
    if version == 1 {
      #expect(try BoxContext(encoded: context) == Samples.context())
    } else {
      #expect(throws: CryptographyError.unknownVersion(version)) {
        try BoxContext(encoded: context)
      }
    }
  }

  @Test
  func aLengthThatPromisesMoreThanThereIsReservesNothing() throws {
    var box = try Samples.box().bytes
    box.replaceSubrange(145..<149, with: [0xff, 0xff, 0xff, 0xff])
    #expect(try refusal(of: box) == .wrongLength)
    let huge = box + [UInt8](repeating: 0, count: SealedBox.maximumCount)
    #expect(try refusal(of: huge) == .wrongLength)
  }

  @Test
  func rubbishIsRefusedWithoutATrap() throws {
    let key = try Samples.key()
    let context = try Samples.context()
    let box = try Samples.box().bytes
    for round in 0..<2000 {
      let random = try randomBytes(round % 400)
      #expect(refusal(of: random, context: context, key: key) != nil)
      // The start of a real box, and rubbish after it.
      let mixed = box.prefix(round % box.count) + random
      #expect(refusal(of: Array(mixed), context: context, key: key) != nil)
    }
  }

  @Test
  func aContextHasOneEncoding() throws {
    for context in try Samples.contexts() {
      let encoded = context.encoded
      #expect(encoded.count == BoxContext.encodedCount)
      #expect(try BoxContext(encoded: encoded) == context)
      for offset in encoded.indices {
        for bit in 0..<8 {
          var flipped = encoded
          flipped[offset] ^= 1 << bit
          guard let other = try? BoxContext(encoded: flipped) else { continue }
          #expect(other != context && other.encoded == flipped)
        }
      }
      for count in 1..<encoded.count {
        #expect(throws: CryptographyError.wrongLength) {
          try BoxContext(encoded: Array(encoded.prefix(count)))
        }
      }
      #expect(throws: CryptographyError.wrongLength) { try BoxContext(encoded: []) }
      #expect(throws: CryptographyError.wrongLength) { try BoxContext(encoded: encoded + [0]) }
    }
  }

  @Test
  func identifiersOfAnotherLengthMakeNoContext() throws {
    for count in [0, 15, 17, 32] {
      let wrong = [UInt8](repeating: 1, count: count)
      #expect(throws: CryptographyError.wrongLength) { try Samples.context(vault: wrong) }
      #expect(throws: CryptographyError.wrongLength) { try Samples.context(account: wrong) }
    }
    for count in [0, 16, 31, 33] {
      let wrong = [UInt8](repeating: 1, count: count)
      #expect(throws: CryptographyError.wrongLength) { try Samples.context(binding: wrong) }
    }
  }
}
