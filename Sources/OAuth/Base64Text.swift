/// Base64 of bytes that are no secret (RFC 4648).
enum Base64Text {
  /// The URL-safe kind without padding (section 5; RFC 7515, section 2).
  static func url(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes, alphabet: urlAlphabet), as: UTF8.self)
  }

  /// The ordinary kind with padding (section 4).
  static func padded(_ bytes: [UInt8]) -> String {
    var text = encode(bytes, alphabet: standardAlphabet)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of URL-safe base64 without padding; nil for any other spelling of them.
  ///
  /// One spelling only: bits that stand for nothing must be zero, else one token could be written
  /// in several ways.
  static func decodeURL(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for letter in text {
      guard let value = value(of: letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
      bits &= (1 << UInt32(count)) - 1
    }
    return count < 6 && bits == 0 ? bytes : nil
  }

  private static let standardAlphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let urlAlphabet = Array(standardAlphabet.prefix(62)) + Array("-_".utf8)

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }

  private static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    return text
  }
}
