internal import Configuration
package import PresenceTerms

/// A valid access token, as a caller gets it.
package struct AccessGrant: Sendable, Equatable {
  package let account: String
  /// It is not a secret of the vault, but it is never logged.
  package let accessToken: String
  /// Usually `Bearer`.
  package let tokenType: String
  /// Seconds since 1970; `nil` if the provider did not say.
  package let expiresAt: Int64?
  /// Whether the provider gave less time than requested.
  package internal(set) var isShorterThanRequested: Bool
  /// The scopes that the provider granted; `nil` if it did not say.
  package let scope: String?
  /// Scopes that were requested, or are the login's, and were not granted.
  ///
  /// `nil` if there are none, or if an earlier caller was told.
  package internal(set) var missingScope: String?
  /// How the sealed token was opened, if it is also the access token; `nil` for any other token.
  var opened: OpenedToken?
}

/// How the one token of a provider was opened.
struct OpenedToken: Sendable, Equatable {
  /// The account, and the generation of its box.
  let account: [UInt8]
  let generation: Int64
  /// How presence was shown.
  let method: String?
}

/// The facts about an account that need no key.
package struct AccountFacts: Sendable, Equatable {
  package let name: String
  /// The provider's name, kind and issuer, as they were at login.
  package let provider: String
  package internal(set) var kind = "unknown"
  package internal(set) var issuer = ""
  /// The provider's identifier of the person.
  package internal(set) var subject: String?
  /// The e-mail address and the name that the provider gives.
  package internal(set) var email: String?
  package internal(set) var displayName: String?
  /// Further facts from the provider about the person.
  package internal(set) var person = PersonFacts.none
  /// Whether a presence check guards the refresh token.
  package let isProtected: Bool
  /// Whether the refresh token may be released.
  package internal(set) var isExportable = false
  package let state: AccountState
  /// Why a login is required, or why the last refresh failed.
  package let cause: String?
  /// Seconds since 1970.
  package internal(set) var accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  package let refreshedAt: Int64?
  /// Whether calls that name no account mean this one.
  package let isDefault: Bool
  /// The scopes that its login was granted.
  package internal(set) var scope: String?
  /// Those of them that the last refresh did not bring.
  package internal(set) var missingScope: String?
  /// Of a login that has just replaced another: whether that one ended at the provider.
  package internal(set) var replaced: Revocation?

  /// Whether it keeps a static secret, which did not come from a login.
  var isStatic: Bool { kind == Provider.Kind.static.rawValue }
}

/// The status of the vault.
package struct VaultFacts: Sendable {
  /// Seconds until the unlock window closes; `nil` if it is closed.
  package let unlockedFor: Int64?
  /// The names of the accounts that it covers; empty for all.
  package let unlockedAccounts: [String]
  /// Enrolled fingers by name.
  package let fingers: [String]
  /// The names of the enrolled security keys.
  package let keys: [String]
  /// Whether only the password counts.
  package let isFingerprintLockedOut: Bool
  /// Whether the vault needs the machine key besides its device-secret file.
  package let isUnderMachineKey: Bool
  /// What the comparison with the TPM's counter has found; `nil` without an open machine key.
  package let counter: CounterComparison?
  /// Why the store is not used, and the remedy; `nil` if nothing is wrong.
  package let problem: (message: String, remedy: String?)?
}

/// One record of the audit log.
package struct AuditFacts: Sendable, Equatable {
  /// Its number in the chain, from 1.
  package let number: Int64
  /// Seconds since 1970.
  package let time: Int64
  package let event: String
  package let outcome: String
  /// The account's name at that time.
  package let account: String?
  /// How presence was shown.
  package let method: String?
  /// The caller, not verified.
  package let requester: String?
  /// Further text, such as why it was refused.
  package let detail: String?
}
