public import JSON

/// Asks for a valid access token.
public struct AccessTokenCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccessTokenReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.AccessToken"

  /// The account; nil: the default.
  public var account: String?
  /// For how many seconds it must be valid; nil: 10.
  public var minimumLifetime: Int?
  /// An access token that a server refused: a newer one is wanted.
  public var rejected: String?
  /// A prompt whose check passed.
  public var prompt: String?
  /// Scopes, apart by spaces; nil: the usual ones.
  public var scope: String?
  /// Whom the token is for; nil: the usual audience.
  public var audience: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?
  /// Whether the caller accepts, for this call alone, that a token for fewer scopes may narrow the
  /// login.
  public var narrow: Bool?
  /// Whether the person accepts it, with `narrow`: the vault keeps that until the next login.
  public var remember: Bool?

  /// Of these parts.
  public init(
    account: String? = nil,
    minimumLifetime: Int? = nil,
    rejected: String? = nil,
    prompt: String? = nil,
    scope: String? = nil,
    audience: String? = nil,
    ask: Bool? = nil,
    narrow: Bool? = nil,
    remember: Bool? = nil
  ) {
    self.account = account
    self.minimumLifetime = minimumLifetime
    self.rejected = rejected
    self.prompt = prompt
    self.scope = scope
    self.audience = audience
    self.ask = ask
    self.narrow = narrow
    self.remember = remember
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    minimumLifetime = try object.optional("minimum_lifetime")
    rejected = try object.optional("rejected")
    prompt = try object.optional("prompt")
    scope = try object.optional("scope")
    audience = try object.optional("audience")
    ask = try object.optional("ask")
    narrow = try object.optional("narrow")
    remember = try object.optional("remember")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "minimum_lifetime": minimumLifetime,
        "rejected": rejected,
        "prompt": prompt,
        "scope": scope,
        "audience": audience,
        "ask": ask,
        "narrow": narrow,
        "remember": remember,
      ])
    }
  }
}

/// A valid access token.
public struct AccessTokenReply: VarlinkRecord, Equatable {
  /// The account that it is of.
  public var account: String
  /// The token: never logged.
  public var accessToken: String
  /// Such as `Bearer`.
  public var tokenType: String
  /// When it ends, in seconds since 1970; nil: the provider did not say.
  public var expiresAt: Int?
  /// Whether even a new one does not live as long as was asked.
  public var shorterThanRequested: Bool
  /// The scopes that the provider granted, apart by spaces; nil: it did not say.
  public var scope: String?
  /// Scopes that were asked for, or are the login's, and were not granted: told once.
  public var missingScope: String?

  /// Of these parts.
  public init(
    account: String,
    accessToken: String,
    tokenType: String,
    expiresAt: Int? = nil,
    shorterThanRequested: Bool,
    scope: String? = nil,
    missingScope: String? = nil
  ) {
    self.account = account
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresAt = expiresAt
    self.shorterThanRequested = shorterThanRequested
    self.scope = scope
    self.missingScope = missingScope
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    accessToken = try object.required("access_token")
    tokenType = try object.required("token_type")
    expiresAt = try object.optional("expires_at")
    shorterThanRequested = try object.required("shorter_than_requested")
    scope = try object.optional("scope")
    missingScope = try object.optional("missing_scope")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "access_token": accessToken,
        "token_type": tokenType,
        "expires_at": expiresAt,
        "shorter_than_requested": shorterThanRequested,
        "scope": scope,
        "missing_scope": missingScope,
      ])
    }
  }
}
