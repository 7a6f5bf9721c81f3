internal import COpenSSL

/// A public key that verifies signatures, made from the numbers of a JWK.
///
/// A key of another kind or size is never made. A key verifies only algorithms of its own kind, so
/// a token cannot choose another interpretation of it.
@safe
package final class SignatureKey: @unchecked Sendable {
  /// The accepted sizes of an RSA modulus in bits.
  ///
  /// A smaller modulus can be factored. With a larger one, a check is so slow that a provider could
  /// keep the engine busy with it.
  package static let modulusBits = 2048...8192
  /// The most bytes of a message.
  package static let maximumMessage = 1 << 20

  package enum Kind: Sendable, Equatable {
    /// RSA, for RS256, PS256 and their longer digests.
    case rsa
    /// A point of a curve, for the ECDSA of that curve.
    case ec(Curve)
    /// A point of Edwards25519, for EdDSA.
    case ed25519
  }

  /// A curve of ECDSA, by its name in a JWK (RFC 7518, section 6.2.1.1).
  package enum Curve: String, Sendable, CaseIterable {
    /// With SHA-256.
    case p256 = "P-256"
    /// With SHA-384.
    case p384 = "P-384"
    /// With SHA-512.
    case p521 = "P-521"

    /// The bytes of a coordinate, and of each of the two numbers of a signature.
    package var coordinateCount: Int {
      switch self {
      case .p256: 32
      case .p384: 48
      case .p521: 66
      }
    }
  }

  package let kind: Kind
  /// Owned; only read after creation, from any thread (openssl-threads(7)).
  private let key: OpaquePointer

  /// Makes a key.
  ///
  /// - Throws: `malformed` for a point that is not on its curve, and for numbers that OpenSSL
  ///   refuses.
  package init(_ numbers: PublicKeyNumbers) throws(CryptographyError) {
    guard let library = unsafe Library.shared.context else {
      throw Library.failure("OSSL_LIB_CTX_new")
    }
    let (first, second) = (numbers.first, numbers.second)
    let made =
      switch numbers.kind {
      case .rsa:
        unsafe copenssl_rsa_key(library, first, Int32(first.count), second, Int32(second.count))
      case .ec(let curve):
        // The uncompressed form (SEC 1, section 2.3.3).
        unsafe copenssl_ec_key(library, curve.rawValue, [4] + first + second, 1 + 2 * first.count)
      case .ed25519:
        unsafe copenssl_ed25519_key(library, first, first.count)
      }
    guard let key = unsafe made else { throw Self.malformed() }
    unsafe self.key = key
    kind = numbers.kind
  }

  deinit {
    unsafe EVP_PKEY_free(key)
  }

  /// Whether this key made a JWS signature for a message.
  ///
  /// False for everything else: another algorithm, a wrong length, or an unreadable signature.
  package func verifies(
    _ signature: [UInt8],
    of message: [UInt8],
    _ algorithm: SignatureAlgorithm
  ) -> Bool {
    var encoded = signature
    if kind.fits(algorithm), let curve = algorithm.curve {
      guard let der = Self.derSignature(signature, curve) else { return false }
      encoded = der
    }
    return verifies(encoded: encoded, of: message, algorithm)
  }

  /// Whether this key of a curve made a signature in DER (RFC 3279, section 2.2.3) for a message.
  ///
  /// It is false for a signature in BER that is not DER: a signature has one encoding.
  package func verifies(
    derSignature: [UInt8],
    of message: [UInt8],
    _ algorithm: SignatureAlgorithm
  ) -> Bool {
    guard let curve = algorithm.curve, let raw = Self.rawSignature(derSignature, curve),
      Self.derSignature(raw, curve) == derSignature
    else { return false }
    return verifies(encoded: derSignature, of: message, algorithm)
  }

  /// Whether this key made a signature, in OpenSSL's encoding.
  private func verifies(
    encoded signature: [UInt8],
    of message: [UInt8],
    _ algorithm: SignatureAlgorithm
  ) -> Bool {
    guard kind.fits(algorithm), message.count <= Self.maximumMessage,
      signature.count <= Self.modulusBits.upperBound / 8,
      let library = unsafe Library.shared.context
    else { return false }
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
    // A refused signature leaves its errors in the queue, where a later failure would report them.
    ERR_clear_error()
    return status == 1
  }

  private static func malformed() -> CryptographyError {
    ERR_clear_error()
    return .malformed
  }

  /// Converts a signature in DER to that of JWS, without checking that the encoding is canonical;
  /// `nil` if it does not have two numbers of the curve.
  private static func rawSignature(_ der: [UInt8], _ curve: Curve) -> [UInt8]? {
    guard der.count > 2, der[0] == 0x30 else { return nil }
    var rest = der[(der[1] == 0x81 ? 3 : 2)...]
    var raw: [UInt8] = []
    for _ in 0..<2 {
      guard rest.count > 2, rest.removeFirst() == 0x02 else { return nil }
      let count = Int(rest.removeFirst())
      guard count <= rest.count else { return nil }
      let digits = rest.prefix(count).drop { $0 == 0 }
      guard digits.count <= curve.coordinateCount else { return nil }
      raw += [UInt8](repeating: 0, count: curve.coordinateCount - digits.count) + digits
      rest = rest.dropFirst(count)
    }
    return rest.isEmpty ? raw : nil
  }

  /// Converts a JWS signature to DER.
  ///
  /// JWS has two numbers of the coordinate's length (RFC 7518, section 3.4). OpenSSL expects a
  /// sequence of two integers (RFC 3279, section 2.2.3).
  ///
  /// `nil` for other lengths, so that a signature has only one encoding. `nil` also for a number
  /// that is zero: no signature has one, and verifiers that divided by it have accepted forgeries.
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
    // X.690, section 8.1.3: a length from 128 on needs its own byte.
    let length: [UInt8] =
      content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
    return [0x30] + length + content
  }
}
