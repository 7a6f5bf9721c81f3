/// The account and the unlock window at one moment.
public struct VaultSnapshot: Sendable, Hashable {
  /// The account; `nil` if no account has this name.
  public var account: AccountSnapshot?
  /// Whether an unlock window covers the account.
  public var isUnlocked: Bool

  /// Makes a snapshot.
  public init(account: AccountSnapshot?, isUnlocked: Bool) {
    self.account = account
    self.isUnlocked = isUnlocked
  }
}

/// The state of an account at one moment.
public struct AccountSnapshot: Sendable, Hashable {
  /// The status of its sign-in.
  public enum Status: Sendable, Hashable {
    /// The account is signed in.
    case signedIn
    /// The account is signed out.
    case signedOut
    /// Only a new sign-in helps, for this reason.
    case loginRequired(reason: String?)
  }

  /// Its name in the vault.
  public var name: String
  /// The user of the account.
  public var user: User
  /// The status of the sign-in.
  public var status: Status
  /// Whether a presence check protects its refresh token.
  public var isProtected: Bool
  /// When its usual access token ends, in seconds since 1970; `nil` if that is unknown or there is
  /// no token.
  public var accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  public var refreshedAt: Int64?

  /// Makes a snapshot.
  public init(
    name: String,
    user: User,
    status: Status,
    isProtected: Bool,
    accessTokenExpiresAt: Int64? = nil,
    refreshedAt: Int64? = nil
  ) {
    self.name = name
    self.user = user
    self.status = status
    self.isProtected = isProtected
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshedAt = refreshedAt
  }
}
