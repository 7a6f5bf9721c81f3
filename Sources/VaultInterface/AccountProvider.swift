public import JSON

/// Asks where an account signs in.
public struct AccountProviderCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountProviderReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.AccountProvider"

  /// The account; nil: the default.
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

/// Where an account signs in: as it is bound to its tokens, whatever files say today.
public struct AccountProviderReply: VarlinkRecord, Equatable {
  /// The account's name.
  public var account: String
  /// The provider.
  public var provider: VaultProvider

  /// Of these parts.
  public init(account: String, provider: VaultProvider) {
    self.account = account
    self.provider = provider
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "provider": provider]) }
  }
}

/// Brings another provider to an account that is signed in.
public struct ApplyProviderCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.ApplyProvider"

  /// The account.
  public var account: String
  /// Where its tokens go from now on.
  public var provider: VaultProvider
  /// A prompt whose check passed, by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String, provider: VaultProvider, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.provider = provider
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["account": account, "provider": provider, "prompt": prompt, "ask": ask])
    }
  }
}
