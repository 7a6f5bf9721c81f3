public import JSON
public import SecretMemory

/// A place to sign in, as a provider file describes it.
public struct VaultProvider: VarlinkRecord, WireValue, Equatable {
  /// Its name.
  public var name: String
  /// The keys of its [Provider] section; a certificate authority by its contents.
  public var settings: [String: String]
  /// The value of the key `client_secret`, where it is none of the settings.
  public var clientSecret: SharedSecret?

  private static let secretKey = "client_secret"

  /// Of these parts.
  public init(name: String, settings: [String: String], clientSecret: SharedSecret? = nil) {
    self.name = name
    self.settings = settings
    self.clientSecret = clientSecret
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    var members: JSONObject = try object.required("settings")
    do throws(MessageError) {
      clientSecret = try members.optional(Self.secretKey)
    } catch {
      throw error.inside("settings")
    }
    members[Self.secretKey] = nil
    settings = try Dictionary.from(.object(members), name: "settings")
  }

  /// The members as JSON; the settings in the order of their keys.
  public var encoded: JSONObject {
    get throws(MessageError) {
      guard let clientSecret else { return try .wire(["name": name, "settings": settings]) }
      var members = settings.map { ($0.key, JSONValue.string($0.value)) }
      members.append((Self.secretKey, .secret(clientSecret)))
      return try .wire([
        "name": name, "settings": JSONObject(members.sorted { $0.0 < $1.0 }),
      ])
    }
  }

  /// Whether both are the same; secrets are compared in constant time.
  public static func == (left: VaultProvider, right: VaultProvider) -> Bool {
    guard left.name == right.name, left.settings == right.settings else { return false }
    switch (left.clientSecret, right.clientSecret) {
    case (nil, nil): return true
    case (let left?, let right?):
      return SecretBytes.constantTimeEqual(left.bytes, right.bytes)
    default: return false
    }
  }
}

/// Makes a new user at a password backend, and signs in.
public struct RegisterCall: AskingMethod {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Register"

  /// The account to create.
  public var account: String
  /// Where.
  public var provider: VaultProvider
  /// The e-mail address.
  public var email: String
  /// What the person is called.
  public var name: String?
  /// The password.
  public var password: SharedSecret
  /// Whether the refresh token may be released later; nil: it may not.
  public var exportable: Bool?
  /// A prompt whose check passed, by password, for an exportable account.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(
    account: String,
    provider: VaultProvider,
    email: String,
    name: String? = nil,
    password: SharedSecret,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil
  ) {
    self.account = account
    self.provider = provider
    self.email = email
    self.name = name
    self.password = password
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    email = try object.required("email")
    name = try object.optional("name")
    password = try object.required("password")
    exportable = try object.optional("exportable")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "email": email,
        "name": name,
        "password": password,
        "exportable": exportable,
        "prompt": prompt,
        "ask": ask,
      ])
    }
  }
}

/// Signs in by password.
public struct LoginCall: AskingMethod {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Login"

  /// The account, which is created where it does not exist.
  public var account: String
  /// Where; nil: where the account is.
  public var provider: VaultProvider?
  /// The e-mail address.
  public var email: String
  /// The password.
  public var password: SharedSecret
  /// Whether the refresh token may be released later; nil: it may not.
  public var exportable: Bool?
  /// A prompt whose check passed, by password, for an exportable account.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(
    account: String,
    provider: VaultProvider? = nil,
    email: String,
    password: SharedSecret,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil
  ) {
    self.account = account
    self.provider = provider
    self.email = email
    self.password = password
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.optional("provider")
    email = try object.required("email")
    password = try object.required("password")
    exportable = try object.optional("exportable")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "email": email,
        "password": password,
        "exportable": exportable,
        "prompt": prompt,
        "ask": ask,
      ])
    }
  }
}

/// Signs out, here in any case.
public struct LogoutCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = LogoutReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Logout"

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

/// What the provider said.
public struct LogoutReply: VarlinkRecord, Equatable {
  /// Whether it confirmed.
  public var revoked: Bool
  /// Why not.
  public var reason: String?
  /// Whether there was no connection from here.
  public var offline: Bool?
  /// What became of the refresh token; an older engine does not say.
  public var grant: GrantState?

  /// Of these parts.
  public init(
    revoked: Bool,
    reason: String? = nil,
    offline: Bool? = nil,
    grant: GrantState? = nil
  ) {
    self.revoked = revoked
    self.reason = reason
    self.offline = offline
    self.grant = grant
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    revoked = try object.required("revoked")
    reason = try object.optional("reason")
    offline = try object.optional("offline")
    grant = try object.optional("grant")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["revoked": revoked, "reason": reason, "offline": offline, "grant": grant])
    }
  }
}

/// Asks the provider who this is.
public struct WhoAmICall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = WhoAmIReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.WhoAmI"

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

/// Who the provider says this is.
public struct WhoAmIReply: VarlinkRecord, Equatable {
  /// The account.
  public var account: VaultAccount
  /// The provider's own object.
  public var profile: JSONObject

  /// Of these parts.
  public init(account: VaultAccount, profile: JSONObject) {
    self.account = account
    self.profile = profile
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    profile = try object.required("profile")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "profile": profile]) }
  }
}
