/// Who is signed in, as the provider told it.
public struct User: Sendable, Hashable {
  /// What the provider calls this person: stable, and no two persons share it.
  ///
  /// For OpenID providers the `sub` claim; nil where the provider tells none.
  public let id: String?
  /// The e-mail address; not necessarily a verified one.
  public let email: String?
  /// The name to show.
  public let name: String?
  /// Where the person signed in: the provider's issuer.
  public let issuer: String

  /// Of these parts, as a stub of a test needs it.
  public init(id: String? = nil, email: String? = nil, name: String? = nil, issuer: String) {
    self.id = id
    self.email = email
    self.name = name
    self.issuer = issuer
  }
}
