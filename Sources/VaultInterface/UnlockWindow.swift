public import JSON

/// Opens the unlock window.
public struct UnlockCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = UnlockReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Unlock"

  /// The accounts that it covers; none: all.
  public var accounts: [String]
  /// For how many seconds; nil: it slides.
  public var duration: Int?
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(accounts: [String], duration: Int? = nil, prompt: String? = nil, ask: Bool? = nil) {
    self.accounts = accounts
    self.duration = duration
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    duration = try object.optional("duration")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
        "duration": duration,
        "prompt": prompt,
        "ask": ask,
      ])
    }
  }
}

/// The unlock window.
public struct UnlockReply: VarlinkRecord, Equatable {
  /// Seconds until it closes.
  public var unlockedFor: Int
  /// The accounts that it covers; none: all.
  public var unlockedAccounts: [String]

  /// Of these parts.
  public init(unlockedFor: Int, unlockedAccounts: [String]) {
    self.unlockedFor = unlockedFor
    self.unlockedAccounts = unlockedAccounts
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    unlockedFor = try object.required("unlocked_for")
    unlockedAccounts = try object.required("unlocked_accounts")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "unlocked_for": unlockedFor,
        "unlocked_accounts": unlockedAccounts,
      ])
    }
  }
}

/// Closes the unlock window.
public struct LockCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = LockReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Lock"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What was closed.
public struct LockReply: VarlinkRecord, Equatable {
  /// Whether it was open.
  public var wasUnlocked: Bool

  /// Of these parts.
  public init(wasUnlocked: Bool) {
    self.wasUnlocked = wasUnlocked
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    wasUnlocked = try object.required("was_unlocked")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["was_unlocked": wasUnlocked]) }
  }
}
