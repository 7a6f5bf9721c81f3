public import JSON

/// Signs out of all accounts, with `more`: one reply for each.
public struct LogoutAllCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = LogoutAllReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.LogoutAll"

  /// Whether the providers are not told.
  public var local: Bool
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(local: Bool, prompt: String? = nil, ask: Bool? = nil) {
    self.local = local
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    local = try object.required("local")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["local": local, "prompt": prompt, "ask": ask]) }
  }
}

/// What became of one account.
public struct LogoutAllReply: VarlinkRecord, Equatable {
  /// The account; nil: there is none at all.
  public var ended: EndedAccount?

  /// Of these parts.
  public init(ended: EndedAccount? = nil) {
    self.ended = ended
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    ended = try object.optional("ended")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["ended": ended]) }
  }
}

/// An account that was signed out, or was to be.
public struct EndedAccount: VarlinkRecord, WireValue, Equatable {
  /// Its name.
  public var account: String
  /// Its provider's name.
  public var provider: String
  /// Whether its tokens are erased here.
  public var erased: Bool
  /// What became of the refresh token.
  public var grant: GrantState
  /// Why the provider did not confirm, or why nothing was erased.
  public var reason: String?
  /// Whether there was no connection from here.
  public var offline: Bool?
  /// The error of this interface that kept it from being erased, such as `VaultUnsafe`.
  public var error: String?

  /// Of these parts.
  public init(
    account: String,
    provider: String,
    erased: Bool,
    grant: GrantState,
    reason: String? = nil,
    offline: Bool? = nil,
    error: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.erased = erased
    self.grant = grant
    self.reason = reason
    self.offline = offline
    self.error = error
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    erased = try object.required("erased")
    grant = try object.required("grant")
    reason = try object.optional("reason")
    offline = try object.optional("offline")
    error = try object.optional("error")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "erased": erased,
        "grant": grant,
        "reason": reason,
        "offline": offline,
        "error": error,
      ])
    }
  }
}
