public import JSON
public import SecretMemory

/// Answers a question of a password check.
public struct RespondCall: VarlinkMethod {
  /// What it brings.
  public typealias Reply = CheckEvent
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Respond"

  /// The prompt.
  public var prompt: String
  /// The answer, in UTF-8.
  public var text: SharedSecret

  /// Of these parts.
  public init(prompt: String, text: SharedSecret) {
    self.prompt = prompt
    self.text = text
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    text = try object.required("text")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt, "text": text]) }
  }
}

/// Runs the presence check of a prompt; by fingerprint with `more`.
public struct CheckCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = CheckEvent
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Check"

  /// The prompt.
  public var prompt: String
  /// How.
  public var presenceMethod: PresenceMethod

  /// Of these parts.
  public init(prompt: String, presenceMethod: PresenceMethod) {
    self.prompt = prompt
    self.presenceMethod = presenceMethod
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    presenceMethod = try object.required("method")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt, "method": presenceMethod]) }
  }
}

/// Gives a prompt up.
public struct CancelCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = EmptyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Cancel"

  /// The prompt.
  public var prompt: String

  /// Of these parts.
  public init(prompt: String) {
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt]) }
  }
}

/// Protects an account.
public struct EnablePresenceCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.EnablePresence"

  /// The account; nil: the default.
  public var account: String?
  /// A prompt whose check passed.
  public var prompt: String?

  /// Of these parts.
  public init(account: String? = nil, prompt: String? = nil) {
    self.account = account
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "prompt": prompt]) }
  }
}

/// Ends the protection of an account.
public struct DisablePresenceCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.DisablePresence"

  /// The account; nil: the default.
  public var account: String?
  /// A prompt whose check passed.
  public var prompt: String?

  /// Of these parts.
  public init(account: String? = nil, prompt: String? = nil) {
    self.account = account
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "prompt": prompt]) }
  }
}

/// Asks for a presence check that releases nothing.
public struct TestPresenceCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = TestPresenceReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.TestPresence"

  /// A prompt whose check passed.
  public var prompt: String?

  /// Of these parts.
  public init(prompt: String? = nil) {
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prompt": prompt]) }
  }
}

/// How a check was passed.
public struct TestPresenceReply: VarlinkRecord, Equatable {
  /// Such as `fingerprint`.
  public var method: String

  /// Of these parts.
  public init(method: String) {
    self.method = method
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    method = try object.required("method")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["method": method]) }
  }
}

/// Opens the unlock window.
public struct UnlockCall: VarlinkMethod, Equatable {
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

  /// Of these parts.
  public init(accounts: [String], duration: Int? = nil, prompt: String? = nil) {
    self.accounts = accounts
    self.duration = duration
    self.prompt = prompt
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    duration = try object.optional("duration")
    prompt = try object.optional("prompt")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
        "duration": duration,
        "prompt": prompt,
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
