internal import Cryptography
package import SecretMemory

/// The secret of a recovery slot, as a person keeps it: 160 bits in Crockford's base32.
///
/// Text: eight groups of four characters and one of two check characters, separated by `-`. The
/// check is the first ten bits of HKDF-SHA256 of the other 160, so a mistyped code is refused
/// before any slot is tried.
package final class RecoveryCode: Sendable {
  /// Why a text is not a recovery code.
  package enum Flaw: Error, Sendable, Equatable {
    /// Too few or too many characters.
    case wrongLength(Int)
    /// The character at this place, from 1, is not used in codes.
    case unknownCharacter(Int)
    /// A character is wrong, or two are swapped.
    case wrongCheck
    /// There was no locked memory, or no random bytes.
    case failed(MachineKeyError)
  }

  /// The characters of a code, without its dashes.
  package static let characterCount = 34
  /// The bytes of a code's text.
  package static let textCount = 42
  /// The maximum length of a typed text, in bytes.
  package static let mostTyped = 256
  /// Crockford's base32: no I, L, O or U.
  private static let alphabet = [UInt8]("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let byteCount = 20

  private let bytes: SecretBytes

  private init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }

  /// Makes a new code.
  package static func random() throws(Flaw) -> RecoveryCode {
    try Self.made { () throws(SecretMemoryError) in try SecretBytes.random(count: byteCount) }
  }

  /// Reads a typed code.
  ///
  /// Case, spaces and dashes do not matter; O counts as 0, and I and L as 1.
  package static func typed(_ text: borrowing SecretBytes) throws(Flaw) -> RecoveryCode {
    guard text.count <= mostTyped else { throw .wrongLength(text.count) }
    let values = try unsafe Self.memory(capacity: mostTyped) { room throws(Flaw) in
      try text.withBytes { characters throws(Flaw) in
        var count = 0
        for index in characters.indices {
          let character = characters[index]
          if character == UInt8(ascii: " ") || character == UInt8(ascii: "-") { continue }
          guard let value = Self.value(of: character) else { throw .unknownCharacter(count + 1) }
          unsafe room[count] = value
          count += 1
        }
        return count
      }
    }
    guard values.count == characterCount else { throw .wrongLength(values.count) }
    let bytes = try values.withBytes { values throws(Flaw) in
      try unsafe Self.memory(capacity: byteCount) { room throws(Flaw) in
        for index in 0..<byteCount { unsafe room[index] = Self.byte(index, of: values) }
        return byteCount
      }
    }
    let code = RecoveryCode(bytes)
    let check = try code.check()
    let isRight = values.withBytes { values in
      values[32] == check.0 && values[33] == check.1
    }
    guard isRight else { throw .wrongCheck }
    return code
  }

  /// The code in groups, only for showing it.
  package func text() throws(Flaw) -> SharedSecret {
    let (first, second) = try check()
    return SharedSecret(
      try bytes.withBytes { bytes throws(Flaw) in
        try unsafe Self.memory(capacity: Self.textCount) { room throws(Flaw) in
          var count = 0
          func append(_ character: UInt8) {
            unsafe room[count] = character
            count += 1
          }
          for index in 0..<32 {
            if index > 0, index % 4 == 0 { append(UInt8(ascii: "-")) }
            append(Self.alphabet[Int(Self.quintet(index, of: bytes))])
          }
          append(UInt8(ascii: "-"))
          append(Self.alphabet[Int(first)])
          append(Self.alphabet[Int(second)])
          return count
        }
      }
    )
  }

  /// The secret of a slot that this code opens.
  package func secret() throws(Flaw) -> SharedSecret {
    SharedSecret(try derived("thumblatch recovery code", MachineKeySlot.secretCount))
  }

  /// The secret of a backup with this salt that this code opens.
  package func backupSecret(salt: [UInt8]) throws(Flaw) -> SharedSecret {
    SharedSecret(try derived("thumblatch backup by recovery code", 32, salt: salt))
  }

  package static func == (left: RecoveryCode, right: RecoveryCode) -> Bool {
    SecretBytes.constantTimeEqual(left.bytes, right.bytes)
  }

  // MARK: - Characters

  private func check() throws(Flaw) -> (UInt8, UInt8) {
    try derived("thumblatch recovery check", 2).withBytes { bytes in
      (bytes[0] >> 3, (bytes[0] & 7) << 2 | bytes[1] >> 6)
    }
  }

  private func derived(
    _ info: String,
    _ count: Int,
    salt: [UInt8] = []
  ) throws(Flaw) -> SecretBytes {
    do throws(CryptographyError) {
      return try HKDF.derive(from: bytes, salt: salt, info: [UInt8](info.utf8), count: count)
    } catch {
      throw .failed(.cryptography(error))
    }
  }

  /// Five bits of the code, the first ones first.
  private static func quintet(_ index: Int, of bytes: borrowing Span<UInt8>) -> UInt8 {
    let bit = index * 5
    let high = UInt16(bytes[bit / 8]) << 8
    let low = bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0
    return UInt8(((high | low) >> (11 - UInt16(bit % 8))) & 31)
  }

  /// Eight bits of the characters' values.
  private static func byte(_ index: Int, of values: borrowing Span<UInt8>) -> UInt8 {
    (0..<8).reduce(0) { byte, offset in
      let bit = index * 8 + offset
      return byte << 1 | values[bit / 5] >> (4 - UInt8(bit % 5)) & 1
    }
  }

  private static func value(of character: UInt8) -> UInt8? {
    let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
    let capital = isSmall ? character - 32 : character
    switch capital {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return alphabet.firstIndex(of: capital).map { UInt8($0) }
    }
  }

  // MARK: - Memory

  private static func made(
    _ make: () throws(SecretMemoryError) -> SecretBytes
  ) throws(Flaw) -> RecoveryCode {
    do throws(SecretMemoryError) {
      return RecoveryCode(try make())
    } catch {
      throw .failed(.cryptography(.memory(error)))
    }
  }

  /// A secret that `body` fills; it returns the number of bytes.
  private static func memory(
    capacity: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(Flaw) -> Int
  ) throws(Flaw) -> SecretBytes {
    do {
      return unsafe try SecretBytes(capacity: capacity) { room in unsafe try body(room) }
    } catch let flaw as Flaw {
      throw flaw
    } catch let error as SecretMemoryError {
      throw .failed(.cryptography(.memory(error)))
    } catch {
      throw .failed(.malformed)
    }
  }
}
