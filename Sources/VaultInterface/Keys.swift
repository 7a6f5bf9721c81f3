public import JSON
public import SecretMemory

/// Makes a new device secret, and brings everything under it.
public struct RekeyCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = RekeyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Rekey"

  /// A prompt whose check passed, by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(prompt: String? = nil, ask: Bool? = nil) {
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt, "ask": ask]) }
  }
}

/// What is under the new device secret.
public struct RekeyReply: VarlinkRecord, Equatable {
  /// How many refresh tokens.
  public var accounts: Int
  /// How many prints.
  public var prints: Int
  /// How many records of the trail.
  public var records: Int

  /// Of these parts.
  public init(accounts: Int, prints: Int, records: Int) {
    self.accounts = accounts
    self.prints = prints
    self.records = records
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    prints = try object.required("prints")
    records = try object.required("records")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["accounts": accounts, "prints": prints, "records": records])
    }
  }
}

/// Accepts a store that was put back, or whose mark is lost.
public struct RecoverCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = RecoverReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Recover"

  /// A prompt whose check passed, by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(prompt: String? = nil, ask: Bool? = nil) {
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt, "ask": ask]) }
  }
}

/// What the acceptance of a store means for its accounts.
public struct RecoverReply: VarlinkRecord, Equatable {
  /// The accounts that need a login now.
  public var loginRequired: [String]

  /// Of these parts.
  public init(loginRequired: [String]) {
    self.loginRequired = loginRequired
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    loginRequired = try object.required("login_required")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["login_required": loginRequired]) }
  }
}

/// Asks for the refresh token itself, of an exportable account.
public struct ReleaseCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = ReleaseReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Release"

  /// The account; nil: the default.
  public var account: String?
  /// Whether the account stays signed in here.
  public var keep: Bool
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(account: String? = nil, keep: Bool, prompt: String? = nil, ask: Bool? = nil) {
    self.account = account
    self.keep = keep
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    keep = try object.required("keep")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["account": account, "keep": keep, "prompt": prompt, "ask": ask])
    }
  }
}

/// The refresh token, which now lives where the caller puts it.
public struct ReleaseReply: VarlinkRecord {
  /// The token.
  public var refreshToken: SharedSecret
  /// Whether the account is signed out here.
  public var signedOut: Bool

  /// Of these parts.
  public init(refreshToken: SharedSecret, signedOut: Bool) {
    self.refreshToken = refreshToken
    self.signedOut = signedOut
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    refreshToken = try object.required("refresh_token")
    signedOut = try object.required("signed_out")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["refresh_token": refreshToken, "signed_out": signedOut])
    }
  }
}
