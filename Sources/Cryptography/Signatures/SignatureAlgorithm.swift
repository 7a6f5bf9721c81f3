/// The accepted signature algorithms of tokens, by their JWS names: all with public keys (RFC 7518,
/// section 3.1, and RFC 8037, section 3.1).
///
/// `none` and the symmetric ones are not included, so a token cannot select them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  case rs384 = "RS384"
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  case rs512 = "RS512"
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes.
  case ps256 = "PS256"
  /// RSASSA-PSS with SHA-384, MGF1 with SHA-384, and a salt of 48 bytes.
  case ps384 = "PS384"
  /// RSASSA-PSS with SHA-512, MGF1 with SHA-512, and a salt of 64 bytes.
  case ps512 = "PS512"
  /// ECDSA over P-256 with SHA-256.
  case es256 = "ES256"
  /// ECDSA over P-384 with SHA-384.
  case es384 = "ES384"
  /// ECDSA over P-521 with SHA-512.
  case es512 = "ES512"
  /// Ed25519; the other curve of EdDSA is not accepted.
  case edDSA = "EdDSA"

  /// The digest for the algorithm; Ed25519 signs with SHA-512 (RFC 8032, section 5.1).
  package func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
    switch self {
    case .rs256, .ps256, .es256: try sha256(bytes)
    case .rs384, .ps384, .es384: try sha384(bytes)
    case .rs512, .ps512, .es512, .edDSA: try sha512(bytes)
    }
  }

  /// OpenSSL's name of the digest; `nil` for Ed25519, which hashes by itself.
  var digestName: String? {
    switch self {
    case .rs256, .ps256, .es256: "SHA256"
    case .rs384, .ps384, .es384: "SHA384"
    case .rs512, .ps512, .es512: "SHA512"
    case .edDSA: nil
    }
  }

  /// Whether the padding is that of RSASSA-PSS.
  var isPSS: Bool {
    switch self {
    case .ps256, .ps384, .ps512: true
    default: false
    }
  }

  /// The algorithm's only curve; `nil` for RSA and Ed25519.
  var curve: SignatureKey.Curve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    default: nil
    }
  }
}
