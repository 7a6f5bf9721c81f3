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
  /// Shows the service that these accounts were taken; `nil` if it asks for nothing.
  let receipt: [UInt8]?

  private enum Member {
    static let accounts = "accounts"
    static let chosen = "default"
    static let receipt = "receipt"
  }

  init(accounts: Int, chosen: String?, receipt: [UInt8]? = nil) {
    self.accounts = accounts
    self.chosen = chosen
    self.receipt = receipt
  }

  init(_ object: JSONObject) throws {
    accounts = Int(clamping: try object.integer(Member.accounts))
    chosen = try object.optionalString(Member.chosen)
    receipt = try object.optionalString(Member.receipt).flatMap { Base64.standard.bytes($0.utf8) }
  }

  var object: JSONObject {
    var object: JSONObject = [Member.accounts: .integer(Int64(accounts))]
    if let chosen { object[Member.chosen] = .string(chosen) }
    if let receipt { object[Member.receipt] = .string(Base64.standard.text(receipt)) }
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
    static let sealedTokenLife = "sealed_token"
  }

  /// The most bytes of a shown text: a reply holds several texts.
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
  /// The life of the token if the account is used by opening it; `nil` in a backup.
  let life: SealedTokenLife?

  init(
    _ row: AccountRow,
    _ provider: Provider,
    _ token: SharedSecret?,
    life: SealedTokenLife? = nil
  ) {
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
    self.life = life
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
    person = try Self.person(object)
    isProtected = try object.boolean(Member.isProtected)
    isExportable = try object.boolean(Member.isExportable)
    createdAt = try object.time(Member.createdAt)
    refreshedAt = try object.optionalTime(Member.refreshedAt)
    loginScope = try Self.shown(object, Member.loginScope)
    missingScope = try Self.shown(object, Member.missingScope)
    token = try object.optionalSecret(Member.token)
    if let token { try Self.demandUsable(token, at: provider) }
    let hasOneToken = provider.hasOneToken
    life = try object.optionalObject(Member.sealedTokenLife)
      .flatMap { hasOneToken ? try SealedTokenLife($0) : nil }
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
    object[Member.sealedTokenLife] = life.map { .object($0.object) }
    return object
  }

  /// Refuses a token for callers that neither a sign-in nor `store` would have kept.
  private static func demandUsable(_ token: SharedSecret, at provider: Provider) throws {
    guard provider.hasOneToken else { return }
    guard provider.kind != .static else {
      return try StaticSecret(secret: token).demandUsableSecret()
    }
    // A space or a line end would end the token in a header.
    let isBearerToken = token.bytes.withBytes { bytes in
      bytes.count > 0 && bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
    }
    guard isBearerToken else { throw JSONError.wrongType(Member.token) }
  }

  /// A text that is harmless for a display, as the texts of a provider are in the vault.
  private static func shown(_ object: JSONObject, _ member: String) throws -> String? {
    try object.optionalString(member)?.shown(most: mostText)
  }

  /// The facts about the person, without claims that a reply could not hold.
  private static func person(_ object: JSONObject) throws -> PersonFacts {
    var person = PersonFacts(stored: try object.optionalString(Member.userFacts))
    if !StaticSecret.areUsable(person.claims) { person.claims = JSONObject() }
    person.role = person.role?.shown(most: mostText)
    return person
  }
}

/// The life of a static secret, or of the one token of a provider.
///
/// It is kept in place of an access token, as `OneToken.swift` says.
struct SealedTokenLife: Sendable {
  private enum Member {
    static let type = "type"
    static let expiresAt = "expires_at"
    static let storedAt = "stored_at"
    static let scope = "scope"
  }

  private let type: String
  private let expiresAt: Int64?
  private let storedAt: Int64
  private let scope: String?

  /// The life of a token; `nil` if it is an access token.
  init?(_ token: AccessTokenRow) {
    guard token.isSealed else { return nil }
    type = token.tokenType
    expiresAt = token.expiresAt
    storedAt = token.storedAt
    scope = token.grantedScope
  }

  init(_ object: JSONObject) throws {
    type = try object.string(Member.type).shown(most: 256)
    expiresAt = try object.optionalTime(Member.expiresAt)
    storedAt = try object.time(Member.storedAt)
    scope = try object.optionalString(Member.scope)?.shown(most: 4096)
  }

  var object: JSONObject {
    var object: JSONObject = [
      Member.type: .string(type), Member.storedAt: .integer(storedAt),
    ]
    object[Member.expiresAt] = expiresAt.map { .integer($0) }
    object[Member.scope] = scope.map { .string($0) }
    return object
  }

  func row(of account: [UInt8]) -> AccessTokenRow {
    AccessTokenRow(
      account: account,
      token: AccessTokenRow.sealed,
      tokenType: type,
      expiresAt: expiresAt,
      storedAt: storedAt,
      grantedScope: scope
    )
  }
}

extension JSONObject {
  /// Seconds since 1970, up to the end of the year 9999.
  ///
  /// A program that knows the secret of a backup can write any number into it. The difference of
  /// two numbers without bounds could overflow, which ends the engine of all users.
  fileprivate func time(_ name: String) throws(JSONError) -> Int64 {
    guard let time = try optionalTime(name) else { throw .wrongType(name) }
    return time
  }

  /// The same for a member that may be missing.
  fileprivate func optionalTime(_ name: String) throws(JSONError) -> Int64? {
    guard let time = try optionalInteger(name) else { return nil }
    guard (0...StaticSecret.lastEnd).contains(time) else { throw .wrongType(name) }
    return time
  }
}

extension String {
  /// The text as it is shown, with at most so many bytes.
  fileprivate func shown(most: Int) -> String {
    var shown = PlainText.line(self, limit: most)
    while shown.utf8.count > most { shown.removeLast() }
    return shown
  }
}
