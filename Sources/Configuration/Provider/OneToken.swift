// Some backends give one token alone, which is sent to them for the next one; some providers of OAuth
// give an access token and nothing to refresh it with. A provider's file says so by one name for both
// fields. The token then lives as a refresh token does: sealed, and behind the gate.
extension Provider {
  /// Whether an answer has one token, that is access token and refresh token in one.
  public var hasOneToken: Bool { name(of: .accessToken) == name(of: .refreshToken) }

  /// Whether the provider gives a new token for the refresh token.
  ///
  /// RFC 6749, section 6, knows no refresh with an access token.
  public var canRefresh: Bool {
    guard hasOneToken else { return true }
    return oauth == nil && path(of: .refresh) != ProviderSettings.noPath
  }
}
