/// A request for an access token.
public struct TokenRequest: Sendable, Hashable {
  /// How long the token must still be valid, in whole seconds.
  public var minimumLifetime: Duration
  /// The scopes; `nil` for the account's usual scopes.
  public var scopes: [String]?
  /// The recipient; `nil` for the account's usual recipient.
  public var audience: String?
  /// A token that a server refused, if the caller wants a newer one.
  public var rejected: String?
  /// Whether the app accepts that the token may cost the sign-in its other scopes.
  public var mayNarrowLogin: Bool

  /// Makes a request.
  public init(
    minimumLifetime: Duration = .seconds(10),
    scopes: [String]? = nil,
    audience: String? = nil,
    rejected: String? = nil,
    mayNarrowLogin: Bool = false
  ) {
    self.minimumLifetime = minimumLifetime
    self.scopes = scopes
    self.audience = audience
    self.rejected = rejected
    self.mayNarrowLogin = mayNarrowLogin
  }
}

extension TokenRequest: Redacted {
  /// The request without the refused token.
  public var description: String {
    "TokenRequest(\(minimumLifetime), scopes: \(scopes ?? []), audience: \(audience ?? "usual"))"
  }
}

/// A provider's answer about an access token.
public struct TokenVerification: Sendable, Hashable {
  /// Whether the provider accepts the token.
  public var isAccepted: Bool
  /// When the token ends, in seconds since 1970: by the provider, else by the vault.
  ///
  /// It is `nil` if neither knows, or if the token is refused.
  public var expiresAt: Int64?

  /// Makes an answer.
  public init(isAccepted: Bool, expiresAt: Int64? = nil) {
    self.isAccepted = isAccepted
    self.expiresAt = expiresAt
  }
}
