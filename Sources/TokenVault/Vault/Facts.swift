package import PresenceTerms

/// A valid access token, as a caller gets it.
package struct AccessGrant: Sendable, Equatable {
  /// The account's name.
  package let account: String
  /// The token.
  ///
  /// It is no secret of the vault, but it is never logged.
  package let accessToken: String
  /// Mostly `Bearer`.
  package let tokenType: String
  /// Seconds since 1970; nil if the provider did not say.
  package let expiresAt: Int64?
  /// The provider gave less time than was asked for.
  package internal(set) var isShorterThanRequested: Bool
  /// The scopes that the provider granted; nil if it did not say.
  package let scope: String?
  /// Scopes that were asked for, or are the login's, and were not granted; `nil` if there are
  /// none, or where somebody was told before.
  package internal(set) var missingScope: String?
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

/// What can be told about an account without opening anything.
package struct AccountFacts: Sendable, Equatable {
  /// The name that the user picked.
  package let name: String
  /// The provider's name, kind and issuer, as they were at login.
  package let provider: String
  /// The kind of provider.
  package let kind: String
  /// Where it is.
  package let issuer: String
  /// What the provider calls this person.
  package let subject: String?
  /// The e-mail address that the provider tells.
  package let email: String?
  /// The name that the provider tells.
  package let displayName: String?
  /// What else the provider tells of the person.
  package let person: PersonFacts
  /// Whether a presence check guards the refresh token.
  package let isProtected: Bool
  /// Whether the refresh token may be released.
  package let isExportable: Bool
  /// Where it stands.
  package let state: AccountState
  /// Why a login is required, or why the last refresh failed.
  package let cause: String?
  /// Seconds since 1970.
  package let accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  package let refreshedAt: Int64?
  /// Whether it is meant where no account is named.
  package let isDefault: Bool
  /// The scopes that its login was granted.
  package let scope: String?
  /// Those of them that the last refresh did not bring.
  package let missingScope: String?
  /// Of a login that has just taken the place of another: whether that one ended at the provider.
  package internal(set) var replaced: Revocation?
}

/// What the vault says about itself.
package struct VaultFacts: Sendable {
  /// Seconds until the unlock window closes; nil if it is closed.
  package let unlockedFor: Int64?
  /// The names of the accounts that it covers; empty for all.
  package let unlockedAccounts: [String]
  /// Enrolled fingers by name.
  package let fingers: [String]
  /// Whether only the password counts.
  package let isFingerprintLockedOut: Bool
  /// Why the store is not used, and what to do; `nil` if nothing is wrong.
  package let problem: (message: String, remedy: String?)?
}

/// One line of the audit log.
package struct AuditFacts: Sendable, Equatable {
  /// Its place in the chain, from 1.
  package let number: Int64
  /// Seconds since 1970.
  package let time: Int64
  /// What happened.
  package let event: String
  /// How it went.
  package let outcome: String
  /// The account's name at that time.
  package let account: String?
  /// How presence was shown.
  package let method: String?
  /// Who asked, unverified.
  package let requester: String?
  /// More, such as why it was refused.
  package let detail: String?
}
