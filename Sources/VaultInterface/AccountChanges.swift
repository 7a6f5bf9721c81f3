public import JSON

/// Gives an account another name.
public struct RenameAccountCall: VarlinkMethod, Equatable {
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

  /// Of these parts.
  public init(account: String, name: String, prompt: String? = nil) {
    self.account = account
    self.name = name
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    name = try object.required("name")
    prompt = try object.optional("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "name": name, "prompt": prompt]) }
  }
}

/// Makes an account the one that is meant where none is named.
public struct SetDefaultAccountCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.SetDefaultAccount"

  /// The account.
  public var account: String

  /// Of these parts.
  public init(account: String) {
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

/// Signs an account out and forgets it.
public struct RemoveAccountCall: VarlinkMethod, Equatable {
  /// What it brings: what became of the grant at the provider.
  public typealias Reply = LogoutReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.RemoveAccount"

  /// The account.
  public var account: String
  /// Whether the provider is not told.
  public var local: Bool

  /// Of these parts.
  public init(account: String, local: Bool) {
    self.account = account
    self.local = local
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    local = try object.required("local")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "local": local]) }
  }
}
