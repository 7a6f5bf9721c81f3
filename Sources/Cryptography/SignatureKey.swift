internal import COpenSSL

/// A public key that checks signatures; made from the numbers that a JWK holds.
///
/// A key of a kind or size that is not accepted is never made, and a key checks only the
/// algorithms of its own kind: a token cannot choose another reading of it.
@safe
public final class SignatureKey: @unchecked Sendable {
  /// The sizes of an RSA modulus in bits: below, it can be factored; above, a check costs so much
  /// that a provider could keep the engine busy with it.
  public static let modulusBits = 2048...8192
  /// The most bytes of a message.
  public static let maximumMessage = 1 << 20

  /// What a key is.
  public enum Kind: Sendable, Equatable {
    /// RSA, for RS256, PS256 and their longer digests.
    case rsa
    /// A point of a curve, for the ECDSA of that curve.
    case ec(Curve)
    /// A point of Edwards25519, for EdDSA.
    case ed25519
  }

  /// A curve of ECDSA, by its name in a JWK (RFC 7518, section 6.2.1.1).
  public enum Curve: String, Sendable, CaseIterable {
    /// With SHA-256.
    case p256 = "P-256"
    /// With SHA-384.
    case p384 = "P-384"
    /// With SHA-512.
    case p521 = "P-521"

    /// The bytes of a coordinate, and of each of the two numbers of a signature.
    public var coordinateCount: Int {
      switch self {
      case .p256: 32
      case .p384: 48
      case .p521: 66
      }
    }
  }

  /// What the key is.
  public let kind: Kind
  /// Owned; only read after it is made, from any thread (openssl-threads(7)).
  private let key: OpaquePointer

  /// An RSA key; both numbers are big-endian, without zeros in front (RFC 7518, section 6.3.1).
  ///
  /// - Throws: `wrongLength` for a modulus outside of `modulusBits`, `malformed` for what is no
  ///   RSA key.
  public init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
    guard let first = modulus.first, first != 0, modulus.count <= 1 << 16 else {
      throw .malformed
    }
    let bits = modulus.count * 8 - first.leadingZeroBitCount
    guard Self.modulusBits.contains(bits) else { throw .wrongLength }
    // With the exponent 1 anything is its own signature; an even one belongs to no key.
    guard (1...8).contains(exponent.count), exponent[0] != 0, exponent != [1],
      let exponentEnd = exponent.last, exponentEnd & 1 == 1, let end = modulus.last, end & 1 == 1
    else { throw .malformed }
    guard let library = unsafe Library.shared.context else {
      throw Library.failure("OSSL_LIB_CTX_new")
    }
    guard
      let key = unsafe copenssl_rsa_key(
        library,
        modulus,
        Int32(modulus.count),
        exponent,
        Int32(exponent.count)
      )
    else { throw Self.malformed() }
    unsafe self.key = key
    kind = .rsa
  }

  /// A key on a curve; both coordinates are big-endian, as long as the curve says (RFC 7518,
  /// section 6.2.1).
  ///
  /// - Throws: `wrongLength`, or `malformed` for a point that is not on the curve.
  public init(on curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptographyError) {
    guard x.count == curve.coordinateCount, y.count == curve.coordinateCount else {
      throw .wrongLength
    }
    guard let library = unsafe Library.shared.context else {
      throw Library.failure("OSSL_LIB_CTX_new")
    }
    // The uncompressed form (SEC 1, section 2.3.3).
    let point = [4] + x + y
    guard let key = unsafe copenssl_ec_key(library, curve.rawValue, point, point.count) else {
      throw Self.malformed()
    }
    unsafe self.key = key
    kind = .ec(curve)
  }

  /// A key on Edwards25519: its 32 bytes (RFC 8037, section 2).
  ///
  /// - Throws: `wrongLength` or `malformed`.
  public init(ed25519 bytes: [UInt8]) throws(CryptographyError) {
    guard bytes.count == 32 else { throw .wrongLength }
    guard let library = unsafe Library.shared.context else {
      throw Library.failure("OSSL_LIB_CTX_new")
    }
    guard let key = unsafe copenssl_ed25519_key(library, bytes, bytes.count) else {
      throw Self.malformed()
    }
    unsafe self.key = key
    kind = .ed25519
  }

  deinit {
    unsafe EVP_PKEY_free(key)
  }

  /// Whether the key is of the kind that an algorithm takes.
  public func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch algorithm {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: kind == .rsa
    case .es256, .es384, .es512: algorithm.curve.map { kind == .ec($0) } ?? false
    case .edDSA: kind == .ed25519
    }
  }

  /// Whether a signature, in the form that JWS gives it, is this key's for a message.
  ///
  /// False for everything else: another algorithm's, one of a wrong length, one that cannot be
  /// read.
  public func verifies(
    _ signature: [UInt8],
    of message: [UInt8],
    _ algorithm: SignatureAlgorithm
  ) -> Bool {
    guard fits(algorithm), message.count <= Self.maximumMessage,
      signature.count <= Self.modulusBits.upperBound / 8,
      let library = unsafe Library.shared.context
    else { return false }
    var signature = signature
    if let curve = algorithm.curve {
      guard let encoded = Self.derSignature(signature, curve) else { return false }
      signature = encoded
    }
    let status = unsafe copenssl_verify(
      library,
      key,
      algorithm.digestName,
      algorithm.isPSS ? 1 : 0,
      signature,
      signature.count,
      message,
      message.count
    )
    // A refused signature leaves its reasons in the queue, where a later failure would find them.
    ERR_clear_error()
    return status == 1
  }

  private static func malformed() -> CryptographyError {
    ERR_clear_error()
    return .malformed
  }

  /// The two numbers of a coordinate's length that JWS has (RFC 7518, section 3.4) as the sequence of two
  /// integers that OpenSSL takes (RFC 3279, section 2.2.3).
  ///
  /// Nil for other lengths, so that a signature has one spelling only, and for a number that is
  /// zero: no signature has one, and a verifier that divides by it was how others took forgeries.
  private static func derSignature(_ raw: [UInt8], _ curve: Curve) -> [UInt8]? {
    let count = curve.coordinateCount
    guard raw.count == 2 * count else { return nil }
    var content: [UInt8] = []
    for half in [raw[..<count], raw[count...]] {
      let digits = half.drop { $0 == 0 }
      guard let first = digits.first else { return nil }
      let sign: [UInt8] = first & 0x80 == 0 ? [] : [0]
      content += [0x02, UInt8(sign.count + digits.count)] + sign + digits
    }
    // X.690, section 8.1.3: a length from 128 on stands in a byte of its own.
    let length: [UInt8] =
      content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
    return [0x30] + length + content
  }
}
