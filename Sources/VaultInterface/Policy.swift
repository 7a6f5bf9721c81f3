public import JSON

/// A rule of the policy.
public struct VaultRule: VarlinkRecord, WireValue, Equatable {
  /// Its key in a policy file.
  public var key: String
  /// What the machine lays down, or the default.
  public var machine: String
  /// What the user has laid down.
  public var own: String?
  /// What holds; nil: the rule has no effect in this vault.
  public var holds: String?
  /// Whether a user may lay down a stricter one.
  public var forUsers: Bool

  /// Of these parts.
  public init(
    key: String,
    machine: String,
    own: String? = nil,
    holds: String? = nil,
    forUsers: Bool
  ) {
    self.key = key
    self.machine = machine
    self.own = own
    self.holds = holds
    self.forUsers = forUsers
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    machine = try object.required("machine")
    own = try object.optional("own")
    holds = try object.optional("holds")
    forUsers = try object.required("for_users")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key": key, "machine": machine, "own": own, "holds": holds, "for_users": forUsers,
      ])
    }
  }
}

/// Asks for the policy.
public struct GetPolicyCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = GetPolicyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.GetPolicy"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// The policy as it holds for the caller.
public struct GetPolicyReply: VarlinkRecord, Equatable {
  /// Where the machine's rules stand; nil: they are the defaults.
  public var file: String?
  /// Each rule.
  public var rules: [VaultRule]

  /// Of these parts.
  public init(file: String? = nil, rules: [VaultRule]) {
    self.file = file
    self.rules = rules
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    file = try object.optional("file")
    rules = try object.required("rules")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["file": file, "rules": rules]) }
  }
}

/// Lays down a rule of the user's own, or gives it up.
public struct SetPolicyCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = SetPolicyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.SetPolicy"

  /// The rule.
  public var key: String
  /// Its value; nil: the machine's.
  public var value: String?
  /// A prompt whose check passed, by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(key: String, value: String? = nil, prompt: String? = nil, ask: Bool? = nil) {
    self.key = key
    self.value = value
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    value = try object.optional("value")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["key": key, "value": value, "prompt": prompt, "ask": ask])
    }
  }
}

/// What came of it.
public struct SetPolicyReply: VarlinkRecord, Equatable {
  /// Whether the user's own rules differ from before.
  public var changed: Bool
  /// Where the machine's rules stand; nil: they are the defaults.
  public var file: String?
  /// Each rule.
  public var rules: [VaultRule]

  /// Of these parts.
  public init(changed: Bool, file: String? = nil, rules: [VaultRule]) {
    self.changed = changed
    self.file = file
    self.rules = rules
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    changed = try object.required("changed")
    file = try object.optional("file")
    rules = try object.required("rules")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["changed": changed, "file": file, "rules": rules]) }
  }
}
