/// X25519 (RFC 7748), for the key exchange of oidc-agent's clients.
enum Curve25519 {
  /// Bytes of a key.
  static let keyCount = FieldNumber.count

  /// The public key of a secret key.
  static func publicKey(of secret: [UInt8]) -> [UInt8] {
    multiply(secret, [9] + [UInt8](repeating: 0, count: keyCount - 1))
  }

  /// The secret that both sides share; `nil` for a public key of small order.
  static func sharedSecret(_ secret: [UInt8], _ other: [UInt8]) -> [UInt8]? {
    let shared = multiply(secret, other)
    return shared.allSatisfy { $0 == 0 } ? nil : shared
  }

  /// The function X25519 of section 5.
  private static func multiply(_ secret: [UInt8], _ point: [UInt8]) -> [UInt8] {
    var scalar = secret
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    let x1 = FieldNumber(point)
    var (x2, z2, x3, z3) = (FieldNumber.one, FieldNumber.zero, x1, FieldNumber.one)
    var swap: UInt64 = 0
    for bit in (0..<255).reversed() {
      let next = UInt64(scalar[bit / 8] >> (bit % 8) & 1)
      FieldNumber.exchange(&x2, &x3, if: swap ^ next)
      FieldNumber.exchange(&z2, &z3, if: swap ^ next)
      swap = next
      let (a, b, c, d) = (x2 + z2, x2 - z2, x3 + z3, x3 - z3)
      let (aa, bb, da, cb) = (a * a, b * b, d * a, c * b)
      let (e, sum, difference) = (aa - bb, da + cb, da - cb)
      x3 = sum * sum
      z3 = x1 * (difference * difference)
      x2 = aa * bb
      z2 = e * (aa + FieldNumber.a24 * e)
    }
    FieldNumber.exchange(&x2, &x3, if: swap)
    FieldNumber.exchange(&z2, &z3, if: swap)
    return (x2 * z2.inverse).bytes
  }
}
