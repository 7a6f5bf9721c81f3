public import JSON

/// An account, as the engine tells of it.
public struct VaultAccount: VarlinkRecord, WireValue, Equatable {
  /// Its name in this vault.
  public var name: String
  /// The name of its provider.
  public var provider: String
  /// The kind of its provider.
  public var kind: String
  /// Where its provider is.
  public var issuer: String
  /// What the provider calls this person: never used to find the account.
  public var subject: String?
  /// The e-mail address that the provider told.
  public var email: String?
  /// The name that the provider told.
  public var displayName: String?
  /// What the provider says that the person may do there.
  public var role: String?
  /// Whether the provider has seen that the e-mail address is the person's.
  public var emailVerified: Bool?
  /// When the person became a user there, in seconds since 1970.
  public var createdAt: Int?
  /// What else the provider told of the person.
  public var claims: JSONObject?
  /// Whether its refresh token is used only after a presence check.
  public var presenceProtection: Bool
  /// How it stands.
  public var state: AccountState
  /// Why a login is required, or why the last refresh failed.
  public var cause: String?
  /// When its access token ends, in seconds since 1970.
  public var accessTokenExpiresAt: Int?
  /// When the provider last gave tokens, in seconds since 1970.
  public var refreshedAt: Int?
  /// Whether it is the one that is meant where none is named.
  public var isDefault: Bool
  /// Whether its refresh token may be released; an older engine does not say.
  public var exportable: Bool?
  /// The scopes that its login was granted, apart by spaces; nil: not known.
  public var scope: String?
  /// Those of them that the last refresh did not bring.
  public var missingScope: String?
  /// Of a login that has just taken the place of another: whether that one's refresh token was revoked.
  public var replacedRevoked: Bool?
  /// Why it was not.
  public var replacedReason: String?

  /// Of these parts.
  public init(
    name: String,
    provider: String,
    kind: String,
    issuer: String,
    subject: String? = nil,
    email: String? = nil,
    displayName: String? = nil,
    role: String? = nil,
    emailVerified: Bool? = nil,
    createdAt: Int? = nil,
    claims: JSONObject? = nil,
    presenceProtection: Bool,
    state: AccountState,
    cause: String? = nil,
    accessTokenExpiresAt: Int? = nil,
    refreshedAt: Int? = nil,
    isDefault: Bool,
    exportable: Bool? = nil,
    scope: String? = nil,
    missingScope: String? = nil,
    replacedRevoked: Bool? = nil,
    replacedReason: String? = nil
  ) {
    self.name = name
    self.provider = provider
    self.kind = kind
    self.issuer = issuer
    self.subject = subject
    self.email = email
    self.displayName = displayName
    self.role = role
    self.emailVerified = emailVerified
    self.createdAt = createdAt
    self.claims = claims
    self.presenceProtection = presenceProtection
    self.state = state
    self.cause = cause
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshedAt = refreshedAt
    self.isDefault = isDefault
    self.exportable = exportable
    self.scope = scope
    self.missingScope = missingScope
    self.replacedRevoked = replacedRevoked
    self.replacedReason = replacedReason
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    kind = try object.required("kind")
    issuer = try object.required("issuer")
    subject = try object.optional("subject")
    email = try object.optional("email")
    displayName = try object.optional("display_name")
    role = try object.optional("role")
    emailVerified = try object.optional("email_verified")
    createdAt = try object.optional("created_at")
    claims = try object.optional("claims")
    presenceProtection = try object.required("presence_protection")
    state = try object.required("state")
    cause = try object.optional("cause")
    accessTokenExpiresAt = try object.optional("access_token_expires_at")
    refreshedAt = try object.optional("refreshed_at")
    isDefault = try object.required("is_default")
    exportable = try object.optional("exportable")
    scope = try object.optional("scope")
    missingScope = try object.optional("missing_scope")
    replacedRevoked = try object.optional("replaced_revoked")
    replacedReason = try object.optional("replaced_reason")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "kind": kind,
        "issuer": issuer,
        "subject": subject,
        "email": email,
        "display_name": displayName,
        "role": role,
        "email_verified": emailVerified,
        "created_at": createdAt,
        "claims": claims,
        "presence_protection": presenceProtection,
        "state": state,
        "cause": cause,
        "access_token_expires_at": accessTokenExpiresAt,
        "refreshed_at": refreshedAt,
        "is_default": isDefault,
        "exportable": exportable,
        "scope": scope,
        "missing_scope": missingScope,
        "replaced_revoked": replacedRevoked,
        "replaced_reason": replacedReason,
      ])
    }
  }
}

/// Asks for one account, or with `more` for each.
public struct GetAccountCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = GetAccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.GetAccount"

  /// The account; nil with `more`: all.
  public var account: String?

  /// Of these parts.
  public init(account: String? = nil) {
    self.account = account
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account]) }
  }
}

/// One account.
public struct GetAccountReply: VarlinkRecord, Equatable {
  /// The account, or nil where there is none at all.
  public var account: VaultAccount?

  /// Of these parts.
  public init(account: VaultAccount? = nil) {
    self.account = account
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account]) }
  }
}

/// What a call made of an account.
public struct AccountReply: VarlinkRecord, Equatable {
  /// The account as it is now.
  public var account: VaultAccount

  /// Of these parts.
  public init(account: VaultAccount) {
    self.account = account
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account]) }
  }
}
