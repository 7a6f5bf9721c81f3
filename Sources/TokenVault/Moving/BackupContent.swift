internal import Configuration
internal import JSON
internal import PlainText
internal import SecretMemory
internal import Storage

/// The first record of a backup.
struct BackupManifest {
  /// The number of records behind it, one for each account.
  let accounts: Int
  /// The name of the account that the person chose as default.
  let chosen: String?

  private enum Member {
    static let accounts = "accounts"
    static let chosen = "default"
  }

  init(accounts: Int, chosen: String?) {
    self.accounts = accounts
    self.chosen = chosen
  }

  init(_ object: JSONObject) throws {
    accounts = Int(clamping: try object.integer(Member.accounts))
    chosen = try object.optionalString(Member.chosen)
  }

  var object: JSONObject {
    var object: JSONObject = [Member.accounts: .integer(Int64(accounts))]
    if let chosen { object[Member.chosen] = .string(chosen) }
    return object
  }
}

/// An account as a backup keeps it.
struct BackupRecord: Sendable {
  /// Names whose values stay in locked memory.
  static let secrets: Set<String> = [Member.clientSecret, Member.token]

  private enum Member {
    static let name = "name"
    static let provider = "provider"
    static let form = "settings"
    static let clientSecret = "client_secret"
    static let subject = "subject"
    static let email = "email"
    static let displayName = "display_name"
    static let userFacts = "person"
    static let isProtected = "protected"
    static let isExportable = "exportable"
    static let createdAt = "created_at"
    static let refreshedAt = "refreshed_at"
    static let loginScope = "scope"
    static let missingScope = "missing_scope"
    static let token = "refresh_token"
  }

  /// The most characters of a text.
  private static let mostText = 4096

  let name: String
  let provider: Provider
  let subject: String?
  let email: String?
  let displayName: String?
  let person: PersonFacts
  let isProtected: Bool
  let isExportable: Bool
  let createdAt: Int64
  let refreshedAt: Int64?
  let loginScope: String?
  let missingScope: String?
  /// `nil` if the account has to sign in again.
  let token: SharedSecret?

  init(_ row: AccountRow, _ provider: Provider, _ token: SharedSecret?) {
    name = row.name
    self.provider = provider
    subject = row.subject
    email = row.email
    displayName = row.displayName
    person = row.person
    isProtected = row.isProtected
    isExportable = row.exportable
    createdAt = row.createdAt
    refreshedAt = row.refreshedAt
    loginScope = row.loginScope
    missingScope = row.missingScope
    self.token = token
  }

  /// Reads a record, and makes the texts harmless that a person may see.
  init(_ object: JSONObject) throws {
    name = try AccountName(try object.string(Member.name)).text
    guard let form = Base64.standard.bytes(try object.string(Member.form).utf8) else {
      throw JSONError.wrongType(Member.form)
    }
    provider = try Provider(
      name: try ProviderName(try object.string(Member.provider)),
      canonicalForm: form,
      clientSecret: try object.optionalSecret(Member.clientSecret).map { try ClientSecret($0) }
    )
    subject = try Self.shown(object, Member.subject)
    email = try Self.shown(object, Member.email)
    displayName = try Self.shown(object, Member.displayName)
    person = PersonFacts(stored: try object.optionalString(Member.userFacts))
    isProtected = try object.boolean(Member.isProtected)
    isExportable = try object.boolean(Member.isExportable)
    createdAt = try object.integer(Member.createdAt)
    refreshedAt = try object.optionalInteger(Member.refreshedAt)
    loginScope = try Self.shown(object, Member.loginScope)
    missingScope = try Self.shown(object, Member.missingScope)
    token = try object.optionalSecret(Member.token)
  }

  var object: JSONObject {
    var object: JSONObject = [
      Member.name: .string(name), Member.provider: .string(provider.name.text),
      Member.form: .string(Base64.standard.text(provider.canonicalForm)),
      Member.isProtected: .boolean(isProtected), Member.isExportable: .boolean(isExportable),
      Member.createdAt: .integer(createdAt),
    ]
    object[Member.clientSecret] = provider.oauth?.clientSecret.map { .secret($0.secret) }
    object[Member.subject] = subject.map { .string($0) }
    object[Member.email] = email.map { .string($0) }
    object[Member.displayName] = displayName.map { .string($0) }
    object[Member.userFacts] = person.stored.map { .string($0) }
    object[Member.refreshedAt] = refreshedAt.map { .integer($0) }
    object[Member.loginScope] = loginScope.map { .string($0) }
    object[Member.missingScope] = missingScope.map { .string($0) }
    object[Member.token] = token.map { .secret($0) }
    return object
  }

  /// A text that is harmless for a display, as the texts of a provider are in the vault.
  private static func shown(_ object: JSONObject, _ member: String) throws -> String? {
    try object.optionalString(member).map { PlainText.line($0, limit: mostText) }
  }
}
