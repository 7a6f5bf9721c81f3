/// The user who is signed in, as described by the provider.
///
/// Use it for display. At most it may decide what the app shows. Data that this user must not see
/// needs a check in the provider's own API, because a program of the same user could give the app
/// any value.
public struct User: Sendable, Hashable {
  /// The provider's identifier of the user.
  ///
  /// It is stable, and no two users share it.
  ///
  /// For OpenID providers it is the `sub` claim. It is `nil` if the provider gives none.
  public let id: String?
  /// The e-mail address.
  ///
  /// `isEmailVerified` says whether it was confirmed.
  public let email: String?
  /// Whether the provider has verified that the address belongs to the user; `nil` if it does not
  /// say.
  ///
  /// It is the claim `email_verified`, or the member that `email_verified_field` names.
  public let isEmailVerified: Bool?
  /// The name to show.
  public let name: String?
  /// The user's role, in the provider's own word: the member that `role_field` names.
  public let role: String?
  /// When the user was created, in seconds since 1970.
  ///
  /// The provider gives it in the member that `created_at_field` names, as RFC 3339, seconds or
  /// milliseconds.
  public let createdAt: Int64?
  /// The provider's issuer.
  public let issuer: String
  /// The other values that the provider gave: the other claims of OpenID, or the other members of a
  /// backend's user.
  ///
  /// At most 4 KiB of JSON, 64 members and four levels are kept. A text has at most 1024 bytes.
  /// Larger values are left out, and so are values that look like a secret by their name, such as
  /// `api_token`.
  public let claims: [String: ClaimValue]

  /// Makes a user, as the stub of a test needs it.
  public init(
    id: String? = nil,
    email: String? = nil,
    isEmailVerified: Bool? = nil,
    name: String? = nil,
    role: String? = nil,
    createdAt: Int64? = nil,
    issuer: String,
    claims: [String: ClaimValue] = [:]
  ) {
    self.id = id
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.name = name
    self.role = role
    self.createdAt = createdAt
    self.issuer = issuer
    self.claims = claims
  }
}
