/// A valid access token, as a caller gets it.
public struct AccessGrant: Sendable, Equatable {
  /// The account's name.
  public let account: String
  /// The token.
  ///
  /// It is no secret of the vault, but it is never logged.
  public let accessToken: String
  /// Mostly `Bearer`.
  public let tokenType: String
  /// Seconds since 1970; nil if the provider did not say.
  public let expiresAt: Int64?
  /// The provider gave less time than was asked for.
  public internal(set) var isShorterThanRequested: Bool
  /// The scopes that the provider granted; nil if it did not say.
  public let scope: String?
  /// Scopes that were asked for, or are the login's, and were not granted; `nil` if there are
  /// none, or where somebody was told before.
  public internal(set) var missingScope: String?
  /// What let the sealed token out that is the access token, too; nil for any other.
  var opened: OpenedToken?
}

/// How the one token of a provider came out of its box.
struct OpenedToken: Sendable, Equatable {
  /// The account, and the generation of its box.
  let account: [UInt8]
  let generation: Int64
  /// How presence was shown.
  let method: String?
}

/// Where an account stands, as `status` shows it.
public enum AccountState: String, Sendable, Equatable {
  /// A valid access token can be had at once, or after a refresh that asks nobody.
  case ready
  /// The next access token takes a presence check.
  case locked
  case refreshing
  case uncertain
  case loginRequired = "login_required"
  case signedOut = "signed_out"
}

/// What can be told about an account without opening anything.
public struct AccountFacts: Sendable, Equatable {
  /// The name that the user picked.
  public let name: String
  /// The provider's name, kind and issuer, as they were at login.
  public let provider: String
  /// The kind of provider.
  public let kind: String
  /// Where it is.
  public let issuer: String
  /// What the provider calls this person.
  public let subject: String?
  /// The e-mail address that the provider tells.
  public let email: String?
  /// The name that the provider tells.
  public let displayName: String?
  /// What else the provider tells of the person.
  public let person: PersonFacts
  /// Whether a presence check guards the refresh token.
  public let isProtected: Bool
  /// Whether the refresh token may be released.
  public let isExportable: Bool
  /// Where it stands.
  public let state: AccountState
  /// Why a login is required, or why the last refresh failed.
  public let cause: String?
  /// Seconds since 1970.
  public let accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  public let refreshedAt: Int64?
  /// Whether it is meant where no account is named.
  public let isDefault: Bool
  /// The scopes that its login was granted.
  public let scope: String?
  /// Those of them that the last refresh did not bring.
  public let missingScope: String?
  /// Of a login that has just taken the place of another: whether that one ended at the provider.
  public internal(set) var replaced: Revocation?
}

/// What the vault says about itself.
public struct VaultFacts: Sendable {
  /// Seconds until the unlock window closes; nil if it is closed.
  public let unlockedFor: Int64?
  /// The names of the accounts that it covers; empty for all.
  public let unlockedAccounts: [String]
  /// Enrolled fingers by name.
  public let fingers: [String]
  /// Whether only the password counts.
  public let isFingerprintLockedOut: Bool
  /// Why the store is not used, and what to do; `nil` if nothing is wrong.
  public let problem: (message: String, remedy: String?)?
}

/// One line of the audit log.
public struct AuditFacts: Sendable, Equatable {
  /// Its place in the chain, from 1.
  public let number: Int64
  /// Seconds since 1970.
  public let time: Int64
  /// What happened.
  public let event: String
  /// How it went.
  public let outcome: String
  /// The account's name at that time.
  public let account: String?
  /// How presence was shown.
  public let method: String?
  /// Who asked, unverified.
  public let requester: String?
  /// More, such as why it was refused.
  public let detail: String?
}
