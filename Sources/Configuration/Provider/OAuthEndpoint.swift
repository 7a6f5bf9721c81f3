/// What an OAuth provider is asked for, each at a URL of its own.
public enum OAuthEndpoint: String, Sendable, CaseIterable {
  /// Where a person signs in with the browser (RFC 6749, section 3.1).
  case authorization
  /// Where codes and refresh tokens become tokens (RFC 6749, section 3.2).
  case token
  /// Where a device code is asked for (RFC 8628, section 3.1).
  case deviceAuthorization = "device_authorization"
  /// Who is signed in (OpenID Connect Core 1.0, section 5.3).
  case userinfo
  /// Where tokens are revoked (RFC 7009).
  case revocation
  /// The keys that sign ID tokens (OpenID Connect Discovery 1.0, section 3).
  case jwks

  /// The key in a provider file, and the name of the metadata that discovery reads.
  public var key: String { self == .jwks ? "jwks_uri" : rawValue + "_endpoint" }
}
