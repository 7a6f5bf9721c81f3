/// The box of NaCl, XSalsa20 with Poly1305, as oidc-agent's clients use it: `crypto_box_beforenm` and
/// `crypto_secretbox_easy` of libsodium.
enum SecretBox {
  /// Bytes of a key.
  static let keyCount = 32
  /// Bytes of a nonce.
  static let nonceCount = 24
  /// Bytes of a tag, which comes before the ciphertext.
  static let tagCount = 16

  /// The tag and the ciphertext.
  static func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    let (tagKey, ciphertext) = encrypted(text, key: key, nonce: nonce)
    return tag(of: ciphertext, key: tagKey) + ciphertext
  }

  /// The text; `nil` if the tag is wrong.
  static func open(_ box: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard box.count >= tagCount else { return nil }
    let ciphertext = Array(box.dropFirst(tagCount))
    let (tagKey, text) = encrypted(ciphertext, key: key, nonce: nonce)
    let difference = zip(tag(of: ciphertext, key: tagKey), box).reduce(UInt8(0)) {
      $0 | ($1.0 ^ $1.1)
    }
    return difference == 0 ? text : nil
  }

  /// The key of a secret that two sides share.
  static func key(ofShared secret: [UInt8]) -> [UInt8] {
    derivedKey(secret, [UInt8](repeating: 0, count: 16))
  }

  /// HSalsa20: it keeps the words that the constants and the input had.
  private static func derivedKey(_ key: [UInt8], _ input: [UInt8]) -> [UInt8] {
    let mixed = permuted(state(key, input))
    return bytesOf([0, 5, 10, 15, 6, 7, 8, 9].map { mixed[$0] })
  }

  /// The key of the tag, and the bytes combined with the rest of the stream.
  private static func encrypted(
    _ bytes: [UInt8],
    key: [UInt8],
    nonce: [UInt8]
  ) -> (tagKey: [UInt8], [UInt8]) {
    let subkey = derivedKey(key, Array(nonce[..<16]))
    var stream: [UInt8] = []
    var block: UInt64 = 0
    while stream.count < 32 + bytes.count {
      let counter = (0..<8).map { UInt8(truncatingIfNeeded: block >> ($0 * 8)) }
      let words = state(subkey, nonce[16...] + counter)
      stream += bytesOf(zip(words, permuted(words)).map { $0 &+ $1 })
      block += 1
    }
    return (Array(stream[..<32]), zip(bytes, stream.dropFirst(32)).map { $0 ^ $1 })
  }

  /// The words of Salsa20 with the constant "expand 32-byte k".
  private static func state(_ key: [UInt8], _ input: [UInt8]) -> [UInt32] {
    let (key, input) = (wordsOf(key), wordsOf(input))
    return [0x6170_7865] + key[..<4] + [0x3320_646e] + input + [0x7962_2d32] + key[4...]
      + [0x6b20_6574]
  }

  /// Twenty rounds.
  private static func permuted(_ words: [UInt32]) -> [UInt32] {
    var words = words
    for round in 0..<20 {
      // A column round, then a row round.
      let step = round % 2 == 0 ? 4 : 1
      for index in 0..<4 {
        let places = (0..<4).map { (place: Int) in
          step == 4 ? (5 * index + 4 * place) % 16 : 4 * index + (index + place) % 4
        }
        for (turn, shift) in [UInt32(7), 9, 13, 18].enumerated() {
          let sum = words[places[turn]] &+ words[places[(turn + 3) % 4]]
          words[places[(turn + 1) % 4]] ^= sum << shift | sum >> (32 - shift)
        }
      }
    }
    return words
  }

  /// Poly1305 (RFC 8439, section 2.5), with limbs of 26 bits.
  static func tag(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var factor = Array(key[..<16])
    for index in [3, 7, 11, 15] { factor[index] &= 15 }
    for index in [4, 8, 12] { factor[index] &= 252 }
    let r = limbs(factor + [0])
    var sum = [UInt64](repeating: 0, count: 5)
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let block = bytes[start..<min(start + 16, bytes.count)] + [1]
      let added = limbs(block + [UInt8](repeating: 0, count: 17 - block.count))
      sum = carried(product(zip(sum, added).map { $0 + $1 }, r))
    }
    sum = carried(sum)
    // The sum is below twice the modulus, which is subtracted if the sum with 5 has bit 130.
    var carry: UInt64 = 5
    let lower = sum.map { limb in
      let total = limb + carry
      carry = total >> 26
      return total & 0x3ff_ffff
    }
    let chosen = 0 &- carry
    sum = zip(sum, lower).map { $0 & ~chosen | $1 & chosen }
    var number = (0..<5).reduce(UInt128(0)) { $0 | UInt128(sum[$1]) << ($1 * 26) }
    number &+= (0..<16).reduce(UInt128(0)) { $0 | UInt128(key[16 + $1]) << ($1 * 8) }
    return (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func product(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var sums = [UInt64](repeating: 0, count: 5)
    for i in 0..<5 {
      for j in 0..<5 { sums[(i + j) % 5] += (i + j < 5 ? 1 : 5) * a[i] * b[j] }
    }
    return sums
  }

  private static func carried(_ sums: [UInt64]) -> [UInt64] {
    var sums = sums
    for index in [0, 1, 2, 3, 4, 0] {
      let carry = sums[index] >> 26
      sums[index] &= 0x3ff_ffff
      sums[(index + 1) % 5] += index == 4 ? 5 * carry : carry
    }
    return sums
  }

  /// The limbs of 17 bytes.
  private static func limbs(_ bytes: [UInt8]) -> [UInt64] {
    (0..<5).map { limb in
      (0..<26).reduce(UInt64(0)) { value, index in
        let bit = limb * 26 + index
        return value | UInt64(bytes[bit / 8] >> (bit % 8) & 1) << index
      }
    }
  }

  private static func wordsOf(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { start in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << ($1 * 8) }
    }
  }

  private static func bytesOf(_ words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }
}
