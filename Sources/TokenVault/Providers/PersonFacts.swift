package import JSON
internal import OAuth
internal import Storage

/// The provider's facts about a person besides subject, e-mail address and name.
///
/// They are only shown: no decision of the vault depends on them.
package struct PersonFacts: Sendable, Equatable {
  /// The person's role there.
  package var role: String?
  /// Whether the provider has verified that the e-mail address is the person's.
  package var isEmailVerified: Bool?
  /// When the person became a user there, in seconds since 1970.
  package var createdAt: Int64?
  /// All other claims of the provider.
  package var claims = JSONObject()

  package var claimsIfAny: JSONObject? { claims.members.isEmpty ? nil : claims }

  package static let none = PersonFacts()

  private enum Member {
    static let role = "role"
    static let isEmailVerified = "email_verified"
    static let createdAt = "created_at"
    static let claims = "claims"
  }

  /// The limit of what the store keeps, in bytes.
  private static let mostBytes = 8192

  private init() {}

  init(_ user: UserFacts) {
    role = user.role
    isEmailVerified = user.emailVerified
    createdAt = user.createdAt
    claims = user.claims
  }

  /// Reads the stored text; text that cannot be read gives no facts, since nothing depends on them.
  init(stored text: String?) {
    guard let text, text.utf8.count <= Self.mostBytes,
      case .object(let object)? = try? JSONReader.read(Array(text.utf8))
    else { return }
    role = (try? object.optionalString(Member.role)) ?? nil
    isEmailVerified = (try? object.optionalBoolean(Member.isEmailVerified)) ?? nil
    createdAt = (try? object.optionalInteger(Member.createdAt)) ?? nil
    claims = ((try? object.optionalObject(Member.claims)) ?? nil) ?? JSONObject()
  }

  /// The text for the store; `nil` if there is nothing to keep, or if it is too long.
  var stored: String? {
    var object = JSONObject()
    if let role { object[Member.role] = .string(role) }
    if let isEmailVerified { object[Member.isEmailVerified] = .boolean(isEmailVerified) }
    if let createdAt { object[Member.createdAt] = .integer(createdAt) }
    if !claims.members.isEmpty { object[Member.claims] = .object(claims) }
    guard !object.members.isEmpty, let bytes = try? JSONWriter.write(.object(object)),
      bytes.count <= Self.mostBytes
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Takes in the facts of a later answer.
  ///
  /// An answer about tokens may have fewer facts than the profile: the others stay.
  mutating func learn(_ user: UserFacts, isWhole: Bool) {
    role = user.role ?? role
    isEmailVerified = user.emailVerified ?? isEmailVerified
    createdAt = user.createdAt ?? createdAt
    guard !isWhole else {
      claims = user.claims
      return
    }
    guard !user.claims.members.isEmpty else { return }
    var merged = claims
    for member in user.claims.members { merged[member.name] = member.value }
    // Each was bounded, but together they may be too long: then only the newer ones count.
    let length = (try? JSONWriter.write(.object(merged)))?.count ?? .max
    claims = length <= Self.mostBytes / 2 ? merged : user.claims
  }
}

extension AccountRow {
  /// The provider's facts about the person besides subject, e-mail address and name.
  var person: PersonFacts {
    get { PersonFacts(stored: userFacts) }
    set { userFacts = newValue.stored }
  }
}
