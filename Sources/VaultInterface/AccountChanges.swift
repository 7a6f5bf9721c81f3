public import JSON

/// Gives an account another name.
public struct RenameAccountCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.RenameAccount"

  /// The account.
  public var account: String
  /// Its name from now on.
  public var name: String
  /// The passed prompt, where the account is protected.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String, name: String, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.name = name
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    name = try object.required("name")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["account": account, "name": name, "prompt": prompt, "ask": ask])
    }
  }
}

/// Makes an account the one that is meant where none is named.
public struct SetDefaultAccountCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.SetDefaultAccount"

  /// The account.
  public var account: String
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "prompt": prompt, "ask": ask]) }
  }
}

/// Signs an account out and forgets it.
public struct RemoveAccountCall: AskingMethod, Equatable {
  /// What it brings: what became of the grant at the provider.
  public typealias Reply = LogoutReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.RemoveAccount"

  /// The account.
  public var account: String
  /// Whether the provider is not told.
  public var local: Bool
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String, local: Bool, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.local = local
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    local = try object.required("local")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["account": account, "local": local, "prompt": prompt, "ask": ask])
    }
  }
}
