/// Who is signed in, as the provider told it.
///
/// It is for display, and decides at most what the app shows. The provider's own API has to guard
/// data that this person must not see: a program of the same user could tell the app anything.
public struct User: Sendable, Hashable {
  /// What the provider calls this person: stable, and no two persons share it.
  ///
  /// For OpenID providers the `sub` claim; `nil` if the provider tells none.
  public let id: String?
  /// The e-mail address; `isEmailVerified` tells whether it was confirmed.
  public let email: String?
  /// Whether the provider has seen that the address is the person's; `nil` if it does not say.
  ///
  /// The claim `email_verified`, or the member that `email_verified_field` names.
  public let isEmailVerified: Bool?
  /// The name to show.
  public let name: String?
  /// What the person may do, in the provider's own word; the member that `role_field` names.
  public let role: String?
  /// When the person became a user, in seconds since 1970; the member that `created_at_field` names, as
  /// RFC 3339, seconds or milliseconds.
  public let createdAt: Int64?
  /// Where the person signed in: the provider's issuer.
  public let issuer: String
  /// All else that the provider told: the other claims of OpenID, or the other members of a backend's
  /// user.
  ///
  /// At most 4 KiB of JSON, 64 members and four levels are kept; a text has at most 1024 bytes. What is
  /// larger is left out, and so is what looks like a secret by its name, such as `api_token`.
  public let claims: [String: ClaimValue]

  /// Of these parts, as a stub of a test needs it.
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
