/// An account: one identity at one provider.
package struct AccountRow: Sendable, Equatable {
  /// The state of the account's grant.
  package enum State: String, Sendable, CaseIterable {
    /// No refresh token: never signed in, or signed out.
    case signedOut = "signed_out"
    /// A refresh token without any known problem.
    case signedIn = "signed_in"
    /// The grant is dead; the refresh token is kept but never sent again.
    case loginRequired = "login_required"
  }

  /// Sixteen random bytes that survive a change of name.
  package var id: [UInt8]
  /// The name that the user chose, unique for its owner.
  package var name: String
  /// The id of the user who owns the account.
  package var owner: UInt32
  package var provider: String
  /// The whole provider as it was at sign-in, in canonical form, without its client secret.
  package var providerSettings: [UInt8]
  /// The sealed box of the client secret; `nil` if the provider has none.
  package var sealedClientSecret: [UInt8]?
  /// SHA-256 of the provider's canonical form and of `exportable`.
  package var binding: [UInt8]
  /// The provider's identifier of this person.
  package var subject: String?
  /// The e-mail address from the provider.
  package var email: String?
  /// The person's name from the provider.
  package var displayName: String?
  /// The provider's other facts about the person: a JSON object of at most 8192 bytes.
  package var userFacts: String?
  /// The protection class: 0 none, 1 presence.
  package var protection: UInt8 = 0
  /// Whether the refresh token may be released.
  package var exportable = false
  /// Rises with each changed refresh token.
  package var generation: Int64 = 0
  package var sealedRefreshToken: [UInt8]?
  package var state = State.signedOut
  /// Why a sign-in is required, or why the last refresh failed.
  package var cause: String?
  /// When the account was made, in seconds since 1970.
  package var createdAt: Int64
  /// When a token was last requested, in seconds since 1970.
  package var usedAt: Int64?
  /// When the provider last issued tokens, in seconds since 1970.
  package var refreshedAt: Int64?
  /// The scopes granted at sign-in, sorted and separated by spaces; `nil` if unknown.
  package var loginScope: String?
  /// The scopes of `loginScope` that the last refresh did not grant; `nil` if it granted all.
  package var missingScope: String?
}

extension AccountRow {
  /// A new account: it is signed out and has generation 0.
  package init(
    id: [UInt8],
    name: String,
    owner: UInt32,
    provider: String,
    providerSettings: [UInt8],
    binding: [UInt8],
    createdAt: Int64
  ) {
    self.id = id
    self.name = name
    self.owner = owner
    self.provider = provider
    self.providerSettings = providerSettings
    self.binding = binding
    self.createdAt = createdAt
  }
}
