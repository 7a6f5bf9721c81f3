public import JSON
public import SecretMemory

/// How a person says yes at the provider.
public enum LoginFlow: String, Sendable, CaseIterable, WireValue {
  /// In a browser, which brings the answer to `redirect`, or whose address is pasted.
  case browser
  /// With a code, in a browser of any machine (RFC 8628).
  case device
}

/// Begins a login that a person ends at the provider.
public struct BeginLoginCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = BeginLoginReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.BeginLogin"

  /// The account, which is created where it does not exist.
  public var account: String
  /// Where; nil: where the account is.
  public var provider: VaultProvider?
  /// How.
  public var flow: LoginFlow
  /// Where the browser is sent to afterwards, with its port; for `browser` alone.
  public var redirect: String?
  /// The scopes to ask for, separated by spaces; nil: those of the provider.
  public var scope: String?
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
    flow: LoginFlow,
    redirect: String? = nil,
    scope: String? = nil,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil
  ) {
    self.account = account
    self.provider = provider
    self.flow = flow
    self.redirect = redirect
    self.scope = scope
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.optional("provider")
    flow = try object.required("flow")
    redirect = try object.optional("redirect")
    scope = try object.optional("scope")
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
        "flow": flow,
        "redirect": redirect,
        "scope": scope,
        "exportable": exportable,
        "prompt": prompt,
        "ask": ask,
      ])
    }
  }
}

/// What the person needs to say yes at the provider.
public struct BeginLoginReply: VarlinkRecord, Equatable {
  /// Names the login on this connection.
  public var login: String
  /// The page to open, for `browser`.
  public var url: String?
  /// What to type at `verificationURI`, for `device`.
  public var userCode: String?
  /// The page at which it is typed.
  public var verificationURI: String?
  /// The same page with the code in it, as for a QR code.
  public var verificationURIComplete: String?
  /// How long there is time, in seconds.
  public var expiresIn: Int
  /// How long the engine waits between two questions to the provider, in seconds.
  public var interval: Int?

  /// Of these parts.
  public init(
    login: String,
    url: String? = nil,
    userCode: String? = nil,
    verificationURI: String? = nil,
    verificationURIComplete: String? = nil,
    expiresIn: Int,
    interval: Int? = nil
  ) {
    self.login = login
    self.url = url
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.verificationURIComplete = verificationURIComplete
    self.expiresIn = expiresIn
    self.interval = interval
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    url = try object.optional("url")
    userCode = try object.optional("user_code")
    verificationURI = try object.optional("verification_uri")
    verificationURIComplete = try object.optional("verification_uri_complete")
    expiresIn = try object.required("expires_in")
    interval = try object.optional("interval")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "login": login,
        "url": url,
        "user_code": userCode,
        "verification_uri": verificationURI,
        "verification_uri_complete": verificationURIComplete,
        "expires_in": expiresIn,
        "interval": interval,
      ])
    }
  }
}

/// Ends a login with what the browser brought.
public struct FinishLoginCall: AskingMethod {
  /// What it brings.
  public typealias Reply = AccountReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.FinishLogin"

  /// The login.
  public var login: String
  /// The query of the redirect as it came, without its question mark: it holds the code.
  public var query: SharedSecret
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(login: String, query: SharedSecret, prompt: String? = nil, ask: Bool? = nil) {
    self.login = login
    self.query = query
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    query = try object.required("query")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["login": login, "query": query, "prompt": prompt, "ask": ask])
    }
  }
}

/// Waits until the person has said yes or no elsewhere; with `more` each wait is told.
public struct AwaitLoginCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = AwaitLoginReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.AwaitLogin"

  /// The login.
  public var login: String
  /// A prompt whose check passed.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(login: String, prompt: String? = nil, ask: Bool? = nil) {
    self.login = login
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["login": login, "prompt": prompt, "ask": ask]) }
  }
}

/// How the wait for a person goes.
public struct AwaitLoginReply: VarlinkRecord, Equatable {
  /// What happened.
  public var event: LoginEvent
  /// The account, when it is done.
  public var account: VaultAccount?
  /// How long the engine waits before it asks the provider again, in seconds.
  public var interval: Int?

  /// Of these parts.
  public init(event: LoginEvent, account: VaultAccount? = nil, interval: Int? = nil) {
    self.event = event
    self.account = account
    self.interval = interval
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
    account = try object.optional("account")
    interval = try object.optional("interval")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["event": event, "account": account, "interval": interval])
    }
  }
}

/// What happened while a person was awaited.
public enum LoginEvent: String, Sendable, CaseIterable, WireValue {
  /// The provider has no answer yet.
  case waiting
  /// The account is signed in.
  case done
}

/// Gives a login up.
public struct CancelLoginCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = EmptyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.CancelLogin"

  /// The login.
  public var login: String

  /// Of these parts.
  public init(login: String) {
    self.login = login
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["login": login]) }
  }
}
