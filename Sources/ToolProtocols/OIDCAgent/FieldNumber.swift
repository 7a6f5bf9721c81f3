/// A number modulo 2^255 - 19, in five limbs of 51 bits.
struct FieldNumber {
  /// Bytes of its encoding.
  static let count = 32
  static let one = FieldNumber(limbs: [1, 0, 0, 0, 0])
  static let zero = FieldNumber(limbs: [0, 0, 0, 0, 0])
  /// The constant of the curve (RFC 7748, section 5).
  static let a24 = FieldNumber(limbs: [121_665, 0, 0, 0, 0])
  private static let mask: UInt64 = 1 << 51 - 1

  private var limbs: [UInt64]

  private init(limbs: [UInt64]) { self.limbs = limbs }

  /// Reads 32 bytes, little endian; the highest bit is ignored.
  init(_ bytes: [UInt8]) {
    limbs = (0..<5).map { limb in
      (0..<51).reduce(UInt64(0)) { value, index in
        let bit = limb * 51 + index
        return value | UInt64(bytes[bit / 8] >> (bit % 8) & 1) << index
      }
    }
  }

  /// Brings each limb near 51 bits.
  private init(carrying sums: [UInt128]) {
    var sums = sums
    for index in [0, 1, 2, 3, 4, 0] {
      let carry = sums[index] >> 51
      sums[index] &= UInt128(Self.mask)
      sums[(index + 1) % 5] += index == 4 ? 19 * carry : carry
    }
    limbs = sums.map { UInt64($0) }
  }

  static func + (a: Self, b: Self) -> Self {
    Self(carrying: zip(a.limbs, b.limbs).map { UInt128($0 + $1) })
  }

  /// Twice the modulus is added, so that no limb is negative.
  static func - (a: Self, b: Self) -> Self {
    let twice = [mask - 18, mask, mask, mask, mask].map { $0 << 1 }
    return Self(carrying: (0..<5).map { UInt128(a.limbs[$0] + twice[$0] - b.limbs[$0]) })
  }

  static func * (a: Self, b: Self) -> Self {
    var sums = [UInt128](repeating: 0, count: 5)
    for i in 0..<5 {
      for j in 0..<5 {
        let product = UInt128(a.limbs[i]) * UInt128(b.limbs[j])
        sums[(i + j) % 5] += i + j < 5 ? product : 19 * product
      }
    }
    return Self(carrying: sums)
  }

  /// The power with the exponent 2^255 - 21.
  var inverse: Self {
    var result = self
    for bit in (0..<254).reversed() {
      result = result * result
      if bit != 2, bit != 4 { result = result * self }
    }
    return result
  }

  /// The 32 bytes, little endian.
  var bytes: [UInt8] {
    var number = Self(carrying: limbs.map { UInt128($0) }).limbs
    // The number is below twice the modulus, which is subtracted if the sum with 19 has bit 255.
    var carry: UInt64 = 19
    for limb in number { carry = (limb + carry) >> 51 }
    carry *= 19
    for index in number.indices {
      let sum = number[index] + carry
      (number[index], carry) = (sum & Self.mask, sum >> 51)
    }
    return (0..<Self.count).map { byte in
      (0..<8).reduce(UInt8(0)) { value, index in
        let bit = byte * 8 + index
        guard bit < 255 else { return value }
        return value | UInt8(number[bit / 51] >> (bit % 51) & 1) << index
      }
    }
  }

  /// Exchanges two numbers if `condition` is 1, in the same time as if it is 0.
  static func exchange(_ a: inout Self, _ b: inout Self, if condition: UInt64) {
    for index in 0..<5 {
      let difference = (a.limbs[index] ^ b.limbs[index]) & (0 &- condition)
      a.limbs[index] ^= difference
      b.limbs[index] ^= difference
    }
  }
}
