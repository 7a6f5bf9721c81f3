/// The numbers of a public key of an accepted kind and size.
///
/// Making a key of them costs as much as half a signature, because the curve's equation is
/// computed. A provider's key set may hold a hundred, so only the key of a signature is made.
package struct PublicKeyNumbers: Sendable, Equatable {
  package let kind: SignatureKey.Kind
  /// The modulus, the coordinate x, or the bytes of Ed25519.
  let first: [UInt8]
  /// The exponent or the coordinate y; empty for Ed25519.
  let second: [UInt8]

  /// Makes the numbers of an RSA key; both numbers are big-endian, without leading zeros (RFC 7518,
  /// section 6.3.1).
  ///
  /// - Throws: `wrongLength` for a modulus outside `SignatureKey.modulusBits`, `malformed` if the
  ///   numbers are not an RSA key.
  package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
    guard let first = modulus.first, first != 0, modulus.count <= 1 << 16 else { throw .malformed }
    let bits = modulus.count * 8 - first.leadingZeroBitCount
    guard SignatureKey.modulusBits.contains(bits) else { throw .wrongLength }
    // With the exponent 1 any value is its own signature; an even exponent belongs to no key.
    guard (1...8).contains(exponent.count), exponent[0] != 0, exponent != [1],
      let exponentEnd = exponent.last, exponentEnd & 1 == 1, let end = modulus.last, end & 1 == 1
    else { throw .malformed }
    kind = .rsa
    self.first = modulus
    second = exponent
  }

  /// Makes the numbers of a point of a curve, from two big-endian coordinates (RFC 7518, section
  /// 6.2.1).
  ///
  /// Whether the point is on the curve is checked when a key is made of it.
  ///
  /// - Throws: `wrongLength`.
  package init(on curve: SignatureKey.Curve, x: [UInt8], y: [UInt8]) throws(CryptographyError) {
    guard x.count == curve.coordinateCount, y.count == curve.coordinateCount else {
      throw .wrongLength
    }
    kind = .ec(curve)
    first = x
    second = y
  }

  /// Makes the numbers of a point of Edwards25519, from its 32 bytes (RFC 8037, section 2).
  ///
  /// - Throws: `wrongLength`.
  package init(ed25519 bytes: [UInt8]) throws(CryptographyError) {
    guard bytes.count == 32 else { throw .wrongLength }
    kind = .ed25519
    first = bytes
    second = []
  }
}

extension SignatureKey.Kind {
  /// Whether a key of this kind verifies signatures of an algorithm.
  package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch algorithm {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: self == .rsa
    case .es256, .es384, .es512: algorithm.curve.map { self == .ec($0) } ?? false
    case .edDSA: self == .ed25519
    }
  }
}
