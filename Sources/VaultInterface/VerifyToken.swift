public import JSON

/// Asks whether the provider still accepts an account's access token.
public struct VerifyTokenCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = VerifyTokenReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.VerifyToken"

  /// The account; nil: the default.
  public var account: String?
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person; nil: it does not say.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String? = nil, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "prompt": prompt, "ask": ask]) }
  }
}

/// What the provider said of it.
public struct VerifyTokenReply: VarlinkRecord, Equatable {
  /// The account as it is now.
  public var account: VaultAccount
  /// Whether the provider accepts the token; one that it refuses is not handed out again.
  public var accepted: Bool
  /// When it ends, in seconds since 1970, if that is known.
  public var expiresAt: Int?

  /// Of these parts.
  public init(account: VaultAccount, accepted: Bool, expiresAt: Int? = nil) {
    self.account = account
    self.accepted = accepted
    self.expiresAt = expiresAt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    accepted = try object.required("accepted")
    expiresAt = try object.optional("expires_at")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["account": account, "accepted": accepted, "expires_at": expiresAt])
    }
  }
}
