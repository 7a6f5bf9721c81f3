/// The ways of signing a token that are accepted: all by public keys, by the names of JWS
/// (RFC 7518, section 3.1, and RFC 8037, section 3.1).
///
/// `none` and the symmetric ones are not here, and so cannot be asked for.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes.
  case ps256 = "PS256"
  /// ECDSA over P-256 with SHA-256.
  case es256 = "ES256"
  /// Ed25519; the other curve that EdDSA has is not accepted.
  case edDSA = "EdDSA"
}
