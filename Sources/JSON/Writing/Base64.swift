/// Base64 (RFC 4648), only in canonical form.
///
/// Unused bits are zero, and padding is always or never present, so that no two texts encode the
/// same bytes.
package struct Base64: Sendable {
  /// The standard alphabet, with padding (section 4).
  package static let standard = Base64(
    letter62: UInt8(ascii: "+"),
    letter63: UInt8(ascii: "/"),
    isPadded: true
  )
  /// The alphabet of URLs and JSON Web Tokens, without padding (section 5; RFC 7515, section 2).
  package static let url = Base64(
    letter62: UInt8(ascii: "-"),
    letter63: UInt8(ascii: "_"),
    isPadded: false
  )

  private static let padding = UInt8(ascii: "=")

  private let letter62: UInt8
  private let letter63: UInt8
  private let isPadded: Bool

  // MARK: - Bytes that are not secret

  package func text(_ bytes: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: count(ofBytes: bytes.count)) { room in
      unsafe bytes.withUnsafeBytes { unsafe encode($0, into: UnsafeMutableRawBufferPointer(room)) }
    }
  }

  /// Decodes a text; `nil` if it is not canonical.
  package func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    let text = Array(text)
    var bytes = [UInt8](repeating: 0, count: mostBytes(ofText: text.count))
    let count = unsafe text.withUnsafeBytes { text in
      unsafe bytes.withUnsafeMutableBytes { room in unsafe decode(text, into: room) }
    }
    return count.map { Array(bytes.prefix($0)) }
  }

  // MARK: - In the caller's memory

  /// The length of the text for a number of bytes.
  package func count(ofBytes count: Int) -> Int {
    isPadded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
  }

  /// The most bytes that a text of this length can encode.
  package func mostBytes(ofText count: Int) -> Int { count / 4 * 3 + count % 4 }

  /// Encodes bytes into the memory `room`.
  ///
  /// - Returns: the number of written letters; 0 if the room is smaller than `count(ofBytes:)`.
  package func encode(
    _ bytes: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard room.count >= count(ofBytes: bytes.count) else { return 0 }
    var written = 0
    func write(_ letter: UInt8) {
      unsafe room[written] = letter
      written += 1
    }
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for index in 0..<bytes.count {
      bits = unsafe bits << 8 | UInt32(bytes[index])
      count += 8
      while count >= 6 {
        count -= 6
        write(letter(bits >> count))
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { write(letter(bits << (6 - count))) }
    while isPadded, written % 4 != 0 { write(Self.padding) }
    return written
  }

  /// Decodes a text into `room`, which must have `mostBytes(ofText:)` bytes.
  ///
  /// - Returns: the number of bytes; `nil` if the text is not canonical.
  package func decode(
    _ text: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard room.count >= mostBytes(ofText: text.count) else { return nil }
    var letters = text.count
    if isPadded {
      guard letters % 4 == 0 else { return nil }
      for _ in 0..<2 where letters > 0 {
        if unsafe text[letters - 1] == Self.padding { letters -= 1 }
      }
    }
    var written = 0
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for index in 0..<letters {
      guard let six = unsafe value(text[index]) else { return nil }
      bits = bits << 6 | six
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      unsafe room[written] = UInt8(truncatingIfNeeded: bits >> count)
      written += 1
      bits &= (1 << count) - 1
    }
    return count < 6 && bits == 0 ? written : nil
  }

  /// The letter of six bits.
  ///
  /// It uses no table, so that no memory address depends on a secret.
  private func letter(_ bits: UInt32) -> UInt8 {
    let bits = UInt8(truncatingIfNeeded: bits & 63)
    return switch bits {
    case 0..<26: bits + UInt8(ascii: "A")
    case 26..<52: bits - 26 + UInt8(ascii: "a")
    case 52..<62: bits - 52 + UInt8(ascii: "0")
    case 62: letter62
    default: letter63
    }
  }

  private func value(_ letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case letter62: 62
    case letter63: 63
    default: nil
    }
  }
}
