public import JSON
internal import OAuth
internal import Storage

/// What a provider tells of a person beside subject, e-mail address and name.
///
/// It is shown, and never relied upon: nothing in the vault is decided by it.
public struct PersonFacts: Sendable, Equatable {
  /// What the person may do there.
  public var role: String?
  /// Whether the provider has seen that the e-mail address is the person's.
  public var isEmailVerified: Bool?
  /// When the person became a user there, in seconds since 1970.
  public var createdAt: Int64?
  /// What else the provider tells.
  public var claims = JSONObject()

  /// The claims; `nil` if there are none.
  public var claimsIfAny: JSONObject? { claims.members.isEmpty ? nil : claims }

  /// Nothing.
  public static let none = PersonFacts()

  private enum Member {
    static let role = "role"
    static let isEmailVerified = "email_verified"
    static let createdAt = "created_at"
    static let claims = "claims"
  }

  /// The most bytes that the store keeps.
  private static let mostBytes = 8192

  private init() {}

  init(_ user: UserFacts) {
    role = user.role
    isEmailVerified = user.emailVerified
    createdAt = user.createdAt
    claims = user.claims
  }

  /// What the store keeps; what cannot be read is nothing, since nothing depends on it.
  init(stored text: String?) {
    guard let text, text.utf8.count <= Self.mostBytes,
      case .object(let object)? = try? JSONReader.read(Array(text.utf8))
    else { return }
    role = (try? object.optionalString(Member.role)) ?? nil
    isEmailVerified = (try? object.optionalBoolean(Member.isEmailVerified)) ?? nil
    createdAt = (try? object.optionalInteger(Member.createdAt)) ?? nil
    claims = ((try? object.optionalObject(Member.claims)) ?? nil) ?? JSONObject()
  }

  /// For the store; `nil` if there is nothing to keep.
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

  /// Takes in what a later answer says.
  ///
  /// An answer about tokens may say less than the profile did: what it does not say stays.
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
    // Both were bounded; together they may be too long, and then the newer ones count.
    let length = (try? JSONWriter.write(.object(merged)))?.count ?? .max
    claims = length <= Self.mostBytes / 2 ? merged : user.claims
  }
}

extension AccountRow {
  /// What the provider tells of the person beside subject, e-mail address and name.
  var person: PersonFacts {
    get { PersonFacts(stored: userFacts) }
    set { userFacts = newValue.stored }
  }
}
