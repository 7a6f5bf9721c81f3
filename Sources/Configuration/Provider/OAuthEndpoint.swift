/// An endpoint of an OAuth provider.
public enum OAuthEndpoint: String, Sendable, CaseIterable {
  /// The authorization endpoint, for signing in with the browser (RFC 6749, section 3.1).
  case authorization
  /// The token endpoint, for exchanging codes and refresh tokens (RFC 6749, section 3.2).
  case token
  /// The device authorization endpoint (RFC 8628, section 3.1).
  case deviceAuthorization = "device_authorization"
  /// The userinfo endpoint, with facts about the person (OpenID Connect Core 1.0, section 5.3).
  case userinfo
  /// The revocation endpoint (RFC 7009).
  case revocation
  /// The introspection endpoint, which says whether a token is active (RFC 7662).
  case introspection
  /// The keys that sign ID tokens (OpenID Connect Discovery 1.0, section 3).
  case jwks

  /// The key in a provider file, and the name of the member in the provider's metadata.
  public var key: String { self == .jwks ? "jwks_uri" : rawValue + "_endpoint" }
}
