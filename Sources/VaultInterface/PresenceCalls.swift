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
  /// Whether to wait while another prompt is armed, with `more`; nil: it is busy then.
  public var wait: Bool?

  /// Of these parts.
  public init(prompt: String, presenceMethod: PresenceMethod, wait: Bool? = nil) {
    self.prompt = prompt
    self.presenceMethod = presenceMethod
    self.wait = wait
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    presenceMethod = try object.required("method")
    wait = try object.optional("wait")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["prompt": prompt, "method": presenceMethod, "wait": wait])
    }
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
public struct EnablePresenceCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.EnablePresence"

  /// The account; nil: the default.
  public var account: String?
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
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

/// Ends the protection of an account.
public struct DisablePresenceCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.DisablePresence"

  /// The account; nil: the default.
  public var account: String?
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
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

/// Asks for a presence check that releases nothing.
public struct TestPresenceCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = TestPresenceReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.TestPresence"

  /// A prompt whose check passed.
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
