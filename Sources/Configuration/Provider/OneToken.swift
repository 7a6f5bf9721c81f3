// Some backends give only one token, which is sent back for the next one. Some OAuth providers give
// an access token without a refresh token. A provider's file says so by using one name for both
// fields. The token is then handled like a refresh token: sealed and behind the gate. So is a static
// secret, which does not come from a login.
extension Provider {
  /// How many seconds before the end of a static secret a person is reminded.
  public static let reminderOfEnd: Int64 = 14 * 24 * 3600

  /// The name of the provider of the Secret Service's items.
  ///
  /// The programs that use these items store them. No person does.
  package static let secretServiceName = "secret-service"

  /// Whether access token and refresh token are one token.
  public var hasOneToken: Bool {
    kind == .static || name(of: .accessToken) == name(of: .refreshToken)
  }

  /// Whether the provider exchanges the refresh token for a new token.
  ///
  /// RFC 6749, section 6, defines no refresh with an access token.
  public var canRefresh: Bool {
    guard hasOneToken else { return true }
    return kind == .passwordBackend && path(of: .refresh) != ProviderSettings.noPath
  }
}
