// Some backends give only one token, which is sent back for the next one. Some OAuth providers give
// an access token without a refresh token. A provider's file says so by using one name for both
// fields. The token is then handled like a refresh token: sealed and behind the gate. So is a
// static secret, which does not come from a login.
extension Provider {
  /// How many seconds before the end of a static secret a person is reminded.
  public static let reminderOfEnd: Int64 = 14 * 24 * 3600

  /// The shortest lifetime of a static secret that a person replaces, in seconds.
  private static let shortestLifeToRemindOf: Int64 = 24 * 3600

  /// Decides whether a person replaces a static secret: a program such as git stores a new one each
  /// hour.
  ///
  /// - Parameters:
  ///   - end: when the secret expires, in seconds since 1970.
  ///   - storedAt: when it was stored; `nil` if that is not known.
  /// - Returns: whether a person does.
  package static func isReplacedByPerson(_ end: Int64, storedAt: Int64?) -> Bool {
    guard let storedAt else { return true }
    let life = end.subtractingReportingOverflow(storedAt)
    return life.overflow || life.partialValue >= shortestLifeToRemindOf
  }

  /// Decides whether a person is reminded now of the end of a static secret.
  ///
  /// - Parameters:
  ///   - end: when the secret expires, in seconds since 1970.
  ///   - storedAt: when it was stored; `nil` if that is not known.
  ///   - now: the time.
  /// - Returns: whether the person is reminded.
  package static func remindsOfEnd(_ end: Int64, storedAt: Int64?, now: Int64) -> Bool {
    let left = end.subtractingReportingOverflow(now)
    guard !left.overflow, (0...reminderOfEnd).contains(left.partialValue) else { return false }
    return isReplacedByPerson(end, storedAt: storedAt)
  }

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
