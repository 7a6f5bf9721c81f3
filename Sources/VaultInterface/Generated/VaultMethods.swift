// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
public import JSON
public import SecretMemory
public import Varlink
internal import PlainText
public import PresenceTerms

/// The state of the engine and of the unlock window.
public struct GetStatusCall: VarlinkMethod, Equatable {
  public typealias Reply = VaultStatus
  public static let method = "io.thumblatch.Vault.GetStatus"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetStatus` answers.
public struct VaultStatus: VarlinkRecord, Equatable {
  public var form: VaultForm
  /// The version of Thumblatch.
  public var version: String
  /// The process id of the engine.
  public var process: Int
  /// How the device secret is protected: `file` or `tpm`.
  public var deviceSecret: String
  public var memory: SecretMemoryKind
  /// Whether the unlock window is open.
  public var unlocked: Bool
  /// Seconds until the unlock window closes.
  public var unlockedFor: Int?
  /// The accounts that it covers; empty if it covers all.
  public var unlockedAccounts: [String]
  /// The fingers that are enrolled in the vault, such as `right-index`.
  public var enrolledFingers: [String]
  /// Whether only the password is accepted, because too many fingers did not match.
  public var fingerprintLockedOut: Bool
  /// Why the store is not used, such as because an old copy was restored.
  public var problem: String?
  /// What to do about it.
  public var remedy: String?
  /// The fingers that are enrolled in the desktop's settings.
  public var desktopFingers: [String]?
  public var fingerSource: FingerSource?
  /// Why no finger counts now, although some are enrolled.
  public var fingerReason: String?
  /// The names of the enrolled security keys.
  public var enrolledKeys: [String]?
  /// Absent if the machine key is not open.
  public var counter: CounterCheck?

  public init(
    form: VaultForm,
    version: String,
    process: Int,
    deviceSecret: String,
    memory: SecretMemoryKind,
    unlocked: Bool,
    unlockedFor: Int? = nil,
    unlockedAccounts: [String],
    enrolledFingers: [String],
    fingerprintLockedOut: Bool,
    problem: String? = nil,
    remedy: String? = nil,
    desktopFingers: [String]? = nil,
    fingerSource: FingerSource? = nil,
    fingerReason: String? = nil,
    enrolledKeys: [String]? = nil,
    counter: CounterCheck? = nil
  ) {
    self.form = form
    self.version = version
    self.process = process
    self.deviceSecret = deviceSecret
    self.memory = memory
    self.unlocked = unlocked
    self.unlockedFor = unlockedFor
    self.unlockedAccounts = unlockedAccounts
    self.enrolledFingers = enrolledFingers
    self.fingerprintLockedOut = fingerprintLockedOut
    self.problem = problem
    self.remedy = remedy
    self.desktopFingers = desktopFingers
    self.fingerSource = fingerSource
    self.fingerReason = fingerReason
    self.enrolledKeys = enrolledKeys
    self.counter = counter
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    form = try object.required("form")
    version = try object.required("version")
    process = try object.required("process")
    deviceSecret = try object.required("device_secret")
    memory = try object.required("memory")
    unlocked = try object.required("unlocked")
    unlockedFor = try object.optional("unlocked_for")
    unlockedAccounts = try object.required("unlocked_accounts")
    enrolledFingers = try object.required("enrolled_fingers")
    fingerprintLockedOut = try object.required("fingerprint_locked_out")
    problem = try object.optional("problem")
    remedy = try object.optional("remedy")
    desktopFingers = try object.optional("desktop_fingers")
    fingerSource = try object.optional("finger_source")
    fingerReason = try object.optional("finger_reason")
    enrolledKeys = try object.optional("enrolled_keys")
    counter = try object.optional("counter")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "form": form,
        "version": version,
        "process": process,
        "device_secret": deviceSecret,
        "memory": memory,
        "unlocked": unlocked,
        "unlocked_for": unlockedFor,
        "unlocked_accounts": unlockedAccounts,
        "enrolled_fingers": enrolledFingers,
        "fingerprint_locked_out": fingerprintLockedOut,
        "problem": problem,
        "remedy": remedy,
        "desktop_fingers": desktopFingers,
        "finger_source": fingerSource,
        "finger_reason": fingerReason,
        "enrolled_keys": enrolledKeys,
        "counter": counter,
      ])
    }
  }
}

/// With `more`: one reply for each account. Without `more`, a call must name the account if there are
/// several.
public struct GetAccountCall: VarlinkMethod, Equatable {
  public typealias Reply = GetAccountReply
  public static let method = "io.thumblatch.Vault.GetAccount"

  public var account: String?

  public init(
    account: String? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// What `GetAccount` answers.
public struct GetAccountReply: VarlinkRecord, Equatable {
  /// Absent if there is no account at all.
  public var account: VaultAccount?

  public init(
    account: VaultAccount? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// Asks a helper process about the reader, which takes some milliseconds. The helper does not open
/// the reader.
public struct GetReaderCall: VarlinkMethod, Equatable {
  public typealias Reply = GetReaderReply
  public static let method = "io.thumblatch.Vault.GetReader"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetReader` answers.
public struct GetReaderReply: VarlinkRecord, Equatable {
  public var reader: VaultReader

  public init(
    reader: VaultReader
  ) {
    self.reader = reader
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    reader = try object.required("reader")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "reader": reader,
      ])
    }
  }
}

/// Registers a new user at a password backend, signs in, and creates the account. An `exportable`
/// account, whose refresh token may be released, needs a prompt passed by password.
public struct RegisterCall: AskingMethod {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.Register"

  /// The account to create.
  public var account: String
  public var provider: VaultProvider
  public var email: String
  /// The person's name.
  public var name: String?
  public var password: SharedSecret
  /// Whether the refresh token may be released later.
  public var exportable: Bool?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider,
    email: String,
    name: String? = nil,
    password: SharedSecret,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.email = email
    self.name = name
    self.password = password
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    email = try object.required("email")
    name = try object.optional("name")
    password = try object.required("password")
    exportable = try object.optional("exportable")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

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
        "reason": reason,
      ])
    }
  }
}

/// What `Register`, `Login`, `StoreSecret`, `EnablePresence`, `DisablePresence`, `RenameAccount`, `SetDefaultAccount`, `ApplyProvider`, `FinishLogin` answer.
public struct AccountReply: VarlinkRecord, Equatable {
  public var account: VaultAccount

  public init(
    account: VaultAccount
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// Signs in by password, to a new account or again to an existing one. An `exportable` account needs
/// a prompt passed by password.
public struct LoginCall: AskingMethod {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.Login"

  /// The account. It is created if it does not exist.
  public var account: String
  /// If absent, the account's own.
  public var provider: VaultProvider?
  public var email: String
  public var password: SharedSecret
  /// Whether the refresh token may be released later.
  public var exportable: Bool?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider? = nil,
    email: String,
    password: SharedSecret,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.email = email
    self.password = password
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.optional("provider")
    email = try object.required("email")
    password = try object.required("password")
    exportable = try object.optional("exportable")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

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
        "reason": reason,
      ])
    }
  }
}

/// Stores a password, a personal access token or an API key in an account of kind `static`, or
/// replaces that account's secret. Replacing the secret of a protected account needs a passed prompt
/// of its own. The unlock window does not count.
public struct StoreSecretCall: AskingMethod {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.StoreSecret"

  /// The account. It is created if it does not exist.
  public var account: String
  /// The host that the secret belongs to: a provider of kind `static`.
  public var provider: VaultProvider
  /// The secret: at least 1 byte and at most 32 KiB of UTF-8. Its only control characters are tabs
  /// and line ends.
  public var secret: SharedSecret
  /// The user name at the host. It becomes the account's `subject`.
  public var username: String?
  /// A name for people. It becomes the account's `display_name`.
  public var label: String?
  /// When the secret expires. Absent if it does not.
  public var expiresAt: Int?
  /// A client's own data about the secret, at most 4096 bytes. It becomes the account's `claims`. It
  /// is not secret. No member may be named `refresh_token` or `client_secret`.
  public var claims: JSONObject?
  /// Whether each use needs a presence check from the start. If absent, an existing account keeps its
  /// protection. `false` is refused for a protected account.
  public var presenceProtection: Bool?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider,
    secret: SharedSecret,
    username: String? = nil,
    label: String? = nil,
    expiresAt: Int? = nil,
    claims: JSONObject? = nil,
    presenceProtection: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.secret = secret
    self.username = username
    self.label = label
    self.expiresAt = expiresAt
    self.claims = claims
    self.presenceProtection = presenceProtection
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    secret = try object.required("secret")
    username = try object.optional("username")
    label = try object.optional("label")
    expiresAt = try object.optional("expires_at")
    claims = try object.optional("claims")
    presenceProtection = try object.optional("presence_protection")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "secret": secret,
        "username": username,
        "label": label,
        "expires_at": expiresAt,
        "claims": claims,
        "presence_protection": presenceProtection,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Imports the login of another program: sends its refresh token to the provider at once. The call is
/// refused if the account is signed in, unless the account already got this token. Then the engine
/// sends nothing, and returns the account. A protected account that is signed out needs a passed
/// prompt of its own. If the provider refuses, or if its answer is lost, no account is made. The
/// other program's copy is then the only one.
public struct ImportLoginCall: AskingMethod {
  public typealias Reply = ImportLoginReply
  public static let method = "io.thumblatch.Vault.ImportLogin"

  /// The account. It is created if it does not exist.
  public var account: String
  /// The other program's client at its provider.
  public var provider: VaultProvider
  public var refreshToken: SharedSecret
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider,
    refreshToken: SharedSecret,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.refreshToken = refreshToken
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    refreshToken = try object.required("refresh_token")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "refresh_token": refreshToken,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `ImportLogin` answers.
public struct ImportLoginReply: VarlinkRecord, Equatable {
  public var account: VaultAccount
  /// Whether the provider has replaced the refresh token. If not, the other program's copy stays
  /// valid.
  public var rotated: Bool

  public init(
    account: VaultAccount,
    rotated: Bool
  ) {
    self.account = account
    self.rotated = rotated
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    rotated = try object.required("rotated")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "rotated": rotated,
      ])
    }
  }
}

/// A valid access token, or the secret of an account of kind `static`.
public struct AccessTokenCall: AskingMethod, Equatable {
  public typealias Reply = AccessTokenReply
  public static let method = "io.thumblatch.Vault.AccessToken"

  public var account: String?
  /// How long the token must stay valid, in seconds. If absent, 10.
  public var minimumLifetime: Int?
  /// An access token that a server refused. The call then returns a newer one.
  public var rejected: String?
  /// A passed presence check. This call uses it up.
  public var prompt: String?
  /// The scopes of the token. If this and `audience` are absent, the account's usual scopes.
  public var scope: String?
  /// The server that the token is for. If absent, the account's usual one.
  public var audience: String?
  public var ask: Bool?
  /// The caller accepts, for this call only, that a token for fewer scopes may narrow the login.
  public var narrow: Bool?
  /// With `narrow`: the person accepts it, until the next login and for every caller.
  public var remember: Bool?
  /// Why the program needs the token, in at most 200 characters. It is shown to the person as not
  /// verified, and recorded.
  public var reason: String?
  /// The caller is a helper that a tool runs again after a 401, and cannot say which token was refused.
  /// If the same tool got the same token 5 to 60 seconds ago, the provider is asked whether it still
  /// accepts it.
  public var helper: Bool?

  public init(
    account: String? = nil,
    minimumLifetime: Int? = nil,
    rejected: String? = nil,
    prompt: String? = nil,
    scope: String? = nil,
    audience: String? = nil,
    ask: Bool? = nil,
    narrow: Bool? = nil,
    remember: Bool? = nil,
    reason: String? = nil,
    helper: Bool? = nil
  ) {
    self.account = account
    self.minimumLifetime = minimumLifetime
    self.rejected = rejected
    self.prompt = prompt
    self.scope = scope
    self.audience = audience
    self.ask = ask
    self.narrow = narrow
    self.remember = remember
    self.reason = reason
    self.helper = helper
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    minimumLifetime = try object.optional("minimum_lifetime")
    rejected = try object.optional("rejected")
    prompt = try object.optional("prompt")
    scope = try object.optional("scope")
    audience = try object.optional("audience")
    ask = try object.optional("ask")
    narrow = try object.optional("narrow")
    remember = try object.optional("remember")
    reason = try object.optional("reason")
    helper = try object.optional("helper")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "minimum_lifetime": minimumLifetime,
        "rejected": rejected,
        "prompt": prompt,
        "scope": scope,
        "audience": audience,
        "ask": ask,
        "narrow": narrow,
        "remember": remember,
        "reason": reason,
        "helper": helper,
      ])
    }
  }
}

/// What `AccessToken` answers.
public struct AccessTokenReply: VarlinkRecord, Equatable {
  public var account: String
  /// The token. It is never logged.
  public var accessToken: String
  /// Such as `Bearer`.
  public var tokenType: String
  /// Absent if the provider did not say.
  public var expiresAt: Int?
  /// Whether even a new token expires earlier than `minimum_lifetime` asks for.
  public var shorterThanRequested: Bool
  /// The scopes that the provider granted, if it said so. They may be fewer than requested.
  public var scope: String?
  /// The scopes of the call or of the login that were not granted. Only the first reply with such a
  /// token has them.
  public var missingScope: String?

  public init(
    account: String,
    accessToken: String,
    tokenType: String,
    expiresAt: Int? = nil,
    shorterThanRequested: Bool,
    scope: String? = nil,
    missingScope: String? = nil
  ) {
    self.account = account
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresAt = expiresAt
    self.shorterThanRequested = shorterThanRequested
    self.scope = scope
    self.missingScope = missingScope
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    accessToken = try object.required("access_token")
    tokenType = try object.required("token_type")
    expiresAt = try object.optional("expires_at")
    shorterThanRequested = try object.required("shorter_than_requested")
    scope = try object.optional("scope")
    missingScope = try object.optional("missing_scope")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "access_token": accessToken,
        "token_type": tokenType,
        "expires_at": expiresAt,
        "shorter_than_requested": shorterThanRequested,
        "scope": scope,
        "missing_scope": missingScope,
      ])
    }
  }
}

/// Runs the presence check of a prompt.
/// fingerprint: call with `more`. The replies are `waiting` and `retry`, then `passed` or the error
/// PresenceFailed. Any message before that cancels the check.
/// key: the same, and `ask` if the key needs its PIN.
/// With `also`, several devices are armed together, and the first one that passes decides.
/// password: the reply is `ask`; answer it with Respond. With `more`, `waiting` reports a wait, and
/// `says` has messages of the system's PAM modules while they work.
/// If another prompt is armed, the call fails with Busy. With `more` and `wait`, the replies are
/// `queued`, and `free` when the other prompt has ended. This prompt is not armed then: show it, and
/// call Check again.
public struct CheckCall: VarlinkMethod, Equatable {
  public typealias Reply = CheckEvent
  public static let method = "io.thumblatch.Vault.Check"

  public var prompt: String
  public var presenceMethod: PresenceMethod
  /// With `more`: whether to wait while another prompt is armed.
  public var wait: Bool?
  /// Devices that may answer as well as the device `method`.
  public var also: [PresenceMethod]?

  public init(
    prompt: String,
    presenceMethod: PresenceMethod,
    wait: Bool? = nil,
    also: [PresenceMethod]? = nil
  ) {
    self.prompt = prompt
    self.presenceMethod = presenceMethod
    self.wait = wait
    self.also = also
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    presenceMethod = try object.required("method")
    wait = try object.optional("wait")
    also = try object.optional("also")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "method": presenceMethod,
        "wait": wait,
        "also": also,
      ])
    }
  }
}

/// What `Check`, `Respond` answer.
public enum CheckEvent: VarlinkRecord, Equatable {
  /// The reader waits, or another caller's check of the same thing goes on.
  ///
  /// `seconds`: After a wrong password: the seconds until the next one is tried.
  ///
  /// `finger`: The only finger that can match now.
  ///
  /// `scan`: How to touch the reader.
  case waiting(seconds: Int? = nil, finger: String? = nil, scan: ScanType? = nil)
  /// The reader could not see the finger well.
  ///
  /// `hint`: What to do differently after the bad scan.
  case retry(ScanHint)
  /// A question to show. Answer it with Respond.
  ///
  /// `text`: The question or the words to show.
  ///
  /// `hidden`: Whether the answer is hidden.
  case ask(text: String, hidden: Bool = true)
  /// What a module of the password's stack says while it works, or beside the right password: show it.
  ///
  /// `text`: The question or the words to show.
  case says(text: String)
  /// A device failed, and the check goes on by other devices, or once more by this one.
  ///
  /// `method`: The device that failed.
  ///
  /// `methods`: The devices with which the check continues.
  case deviceFailed(PresenceMethod, reason: PresenceOutcome, message: String? = nil, methods: [PresenceMethod])
  /// The check passed: repeat the call with the prompt.
  case passed
  /// Another prompt is armed. `free` follows when it is over.
  case queued
  /// The other prompt is over. This one is not armed: show it, and call Check again.
  case free

  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as CheckStep {
    case .waiting: self = .waiting(seconds: try object.optional("seconds"), finger: try object.optional("finger"), scan: try object.optional("scan"))
    case .retry: self = .retry(ScanHint(named: try object.optional("hint") ?? "") ?? .general)
    case .ask: self = .ask(text: try object.required("text"), hidden: try object.optional("hidden") ?? true)
    case .says: self = .says(text: try object.required("text"))
    case .deviceFailed: self = .deviceFailed(try object.required("method"), reason: try object.required("reason"), message: try object.optional("message"), methods: try object.required("methods"))
    case .passed: self = .passed
    case .queued: self = .queued
    case .free: self = .free
    }
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .waiting(let seconds, let finger, let scan): try .wire(["event": CheckStep.waiting, "seconds": seconds, "finger": finger, "scan": scan])
      case .retry(let hint): try .wire(["event": CheckStep.retry, "hint": hint])
      case .ask(let text, let hidden): try .wire(["event": CheckStep.ask, "text": text, "hidden": hidden])
      case .says(let text): try .wire(["event": CheckStep.says, "text": text])
      case .deviceFailed(let method, let reason, let message, let methods): try .wire(["event": CheckStep.deviceFailed, "method": method, "reason": reason, "message": message, "methods": methods])
      case .passed: try .wire(["event": CheckStep.passed])
      case .queued: try .wire(["event": CheckStep.queued])
      case .free: try .wire(["event": CheckStep.free])
      }
    }
  }
}

/// Answers a question of a check. The events are those of Check.
public struct RespondCall: VarlinkMethod {
  public typealias Reply = CheckEvent
  public static let method = "io.thumblatch.Vault.Respond"

  public var prompt: String
  /// The answer, in UTF-8.
  public var text: SharedSecret

  public init(
    prompt: String,
    text: SharedSecret
  ) {
    self.prompt = prompt
    self.text = text
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    text = try object.required("text")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "text": text,
      ])
    }
  }
}

/// Cancels the prompt. The calls of joined waiters fail as cancelled too.
public struct CancelCall: VarlinkMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.Cancel"

  public var prompt: String

  public init(
    prompt: String
  ) {
    self.prompt = prompt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
      ])
    }
  }
}

/// Lets an agent of the same user show the prompt at the desktop. It returns when the check has
/// passed, or fails with PresenceFailed. No other call may use the prompt before that.
public struct AskAtDesktopCall: VarlinkMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.AskAtDesktop"

  public var prompt: String

  public init(
    prompt: String
  ) {
    self.prompt = prompt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
      ])
    }
  }
}

/// Makes the caller an agent, and waits for a prompt of another program of the same user. The agent
/// shows the prompt. It calls Check and Respond with it within two seconds, or Cancel if the person
/// denies the request. The engine closes the connection if the prompt ends earlier. A notice needs no
/// further call.
public struct NextPromptCall: VarlinkMethod, Equatable {
  public typealias Reply = NextPromptReply
  public static let method = "io.thumblatch.Vault.NextPrompt"

  /// Whether this agent shows notices too.
  public var notices: Bool?

  public init(
    notices: Bool? = nil
  ) {
    self.notices = notices
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    notices = try object.optional("notices")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "notices": notices,
      ])
    }
  }
}

/// What `NextPrompt` answers.
public struct NextPromptReply: VarlinkRecord, Equatable {
  public var prompt: PresenceRequest?
  /// A notice instead of a prompt.
  public var notice: DesktopNotice?

  public init(
    prompt: PresenceRequest? = nil,
    notice: DesktopNotice? = nil
  ) {
    self.prompt = prompt
    self.notice = notice
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    notice = try object.optional("notice")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "notice": notice,
      ])
    }
  }
}

/// Restricts this connection until it closes. An agent calls this before it lends the connection to
/// another program, such as one in a container. Afterwards only AccessToken, RequestTerms, GetAccount
/// and AskAtDesktop are allowed, for these accounts. Each access token needs a presence check of its
/// own, unless the rule says otherwise. On a connection that is already restricted, the call changes
/// nothing.
public struct RestrictCall: VarlinkMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.Restrict"

  /// The name of the programs behind the connection, in prompts and in the audit log. It must be
  /// valid as the name of an account.
  public var name: String
  public var accounts: [String]
  /// The scopes that may be requested. A call that names none requests these. If absent, all are
  /// allowed.
  public var scope: String?
  /// The name of a rule that applies too, and says when a token needs a presence check. If absent,
  /// none.
  public var rule: String?

  public init(
    name: String,
    accounts: [String],
    scope: String? = nil,
    rule: String? = nil
  ) {
    self.name = name
    self.accounts = accounts
    self.scope = scope
    self.rule = rule
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    accounts = try object.required("accounts")
    scope = try object.optional("scope")
    rule = try object.optional("rule")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "accounts": accounts,
        "scope": scope,
        "rule": rule,
      ])
    }
  }
}

/// The rules for callers.
public struct ListRulesCall: VarlinkMethod, Equatable {
  public typealias Reply = ListRulesReply
  public static let method = "io.thumblatch.Vault.ListRules"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `ListRules` answers.
public struct ListRulesReply: VarlinkRecord, Equatable {
  /// The file of the machine's rules. Absent in the private form, which has none.
  public var file: String?
  public var rules: [VaultCallerRule]

  public init(
    file: String? = nil,
    rules: [VaultCallerRule]
  ) {
    self.file = file
    self.rules = rules
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    file = try object.optional("file")
    rules = try object.required("rules")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "file": file,
        "rules": rules,
      ])
    }
  }
}

/// The marks of a process or a unit, and the rules that apply to it. The call names one of the two.
public struct TestRuleCall: VarlinkMethod, Equatable {
  public typealias Reply = TestRuleReply
  public static let method = "io.thumblatch.Vault.TestRule"

  /// A process of the caller's user.
  public var process: Int?
  /// A unit of the system's manager or of the user's.
  public var unit: String?

  public init(
    process: Int? = nil,
    unit: String? = nil
  ) {
    self.process = process
    self.unit = unit
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    process = try object.optional("process")
    unit = try object.optional("unit")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "process": process,
        "unit": unit,
      ])
    }
  }
}

/// What `TestRule` answers.
public struct TestRuleReply: VarlinkRecord, Equatable {
  /// The unit of the system's manager that the process is in.
  public var unit: String?
  /// The unit of its user's manager.
  public var userUnit: String?
  /// Whether the process is marked as sandboxed.
  public var sandboxed: Bool
  /// The names of the rules that apply, in the order of the file.
  public var rules: [String]
  /// For each rule, the key that matched, such as `unit = backup.service`.
  public var because: [String]
  /// The combined limits, by the keys of a rule; empty if no rule applies.
  public var limits: [String: String]

  public init(
    unit: String? = nil,
    userUnit: String? = nil,
    sandboxed: Bool,
    rules: [String],
    because: [String],
    limits: [String: String]
  ) {
    self.unit = unit
    self.userUnit = userUnit
    self.sandboxed = sandboxed
    self.rules = rules
    self.because = because
    self.limits = limits
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    unit = try object.optional("unit")
    userUnit = try object.optional("user_unit")
    sandboxed = try object.required("sandboxed")
    rules = try object.required("rules")
    because = try object.required("because")
    limits = try object.required("limits")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "unit": unit,
        "user_unit": userUnit,
        "sandboxed": sandboxed,
        "rules": rules,
        "because": because,
        "limits": limits,
      ])
    }
  }
}

/// Turns an account's presence protection on.
public struct EnablePresenceCall: AskingMethod, Equatable {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.EnablePresence"

  public var account: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Turns an account's presence protection off.
public struct DisablePresenceCall: AskingMethod, Equatable {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.DisablePresence"

  public var account: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// A presence check that releases nothing.
public struct TestPresenceCall: AskingMethod, Equatable {
  public typealias Reply = TestPresenceReply
  public static let method = "io.thumblatch.Vault.TestPresence"

  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `TestPresence` answers.
public struct TestPresenceReply: VarlinkRecord, Equatable {
  /// How the check was passed, such as `fingerprint`.
  public var method: String

  public init(
    method: String
  ) {
    self.method = method
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    method = try object.required("method")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "method": method,
      ])
    }
  }
}

/// Opens the unlock window.
public struct UnlockCall: AskingMethod, Equatable {
  public typealias Reply = UnlockReply
  public static let method = "io.thumblatch.Vault.Unlock"

  /// The accounts that it covers; empty if it covers all.
  public var accounts: [String]
  /// A fixed time in seconds. If absent, each use extends the window.
  public var duration: Int?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    accounts: [String],
    duration: Int? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.accounts = accounts
    self.duration = duration
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    duration = try object.optional("duration")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
        "duration": duration,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Unlock` answers.
public struct UnlockReply: VarlinkRecord, Equatable {
  /// Seconds until it closes.
  public var unlockedFor: Int
  /// The accounts that it covers; empty if it covers all.
  public var unlockedAccounts: [String]

  public init(
    unlockedFor: Int,
    unlockedAccounts: [String]
  ) {
    self.unlockedFor = unlockedFor
    self.unlockedAccounts = unlockedAccounts
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    unlockedFor = try object.required("unlocked_for")
    unlockedAccounts = try object.required("unlocked_accounts")
  }

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
  public typealias Reply = LockReply
  public static let method = "io.thumblatch.Vault.Lock"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `Lock` answers.
public struct LockReply: VarlinkRecord, Equatable {
  /// Whether it was open.
  public var wasUnlocked: Bool

  public init(
    wasUnlocked: Bool
  ) {
    self.wasUnlocked = wasUnlocked
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    wasUnlocked = try object.required("was_unlocked")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "was_unlocked": wasUnlocked,
      ])
    }
  }
}

/// The enrolled fingers.
public struct ListFingersCall: VarlinkMethod, Equatable {
  public typealias Reply = ListFingersReply
  public static let method = "io.thumblatch.Vault.ListFingers"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `ListFingers` answers.
public struct ListFingersReply: VarlinkRecord, Equatable {
  /// The fingers that are enrolled in the vault, such as `right-index`.
  public var fingers: [String]
  public var reader: VaultReader
  /// The fingers that are enrolled in the desktop's settings.
  public var desktopFingers: [String]?
  public var fingerSource: FingerSource?
  /// Why no finger counts now, although some are enrolled.
  public var fingerReason: String?

  public init(
    fingers: [String],
    reader: VaultReader,
    desktopFingers: [String]? = nil,
    fingerSource: FingerSource? = nil,
    fingerReason: String? = nil
  ) {
    self.fingers = fingers
    self.reader = reader
    self.desktopFingers = desktopFingers
    self.fingerSource = fingerSource
    self.fingerReason = fingerReason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    fingers = try object.required("fingers")
    reader = try object.required("reader")
    desktopFingers = try object.optional("desktop_fingers")
    fingerSource = try object.optional("finger_source")
    fingerReason = try object.optional("finger_reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "fingers": fingers,
        "reader": reader,
        "desktop_fingers": desktopFingers,
        "finger_source": fingerSource,
        "finger_reason": fingerReason,
      ])
    }
  }
}

/// Enrolls a finger. Needs a prompt passed by password. With `more`, the replies are `waiting`,
/// `stage`, `retry`, and `done` last.
public struct EnrollFingerCall: AskingMethod, Equatable {
  public typealias Reply = EnrollFingerReply
  public static let method = "io.thumblatch.Vault.EnrollFinger"

  /// Such as `right-index`. If absent, the first finger that is not enrolled.
  public var finger: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    finger: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.finger = finger
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.optional("finger")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "finger": finger,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `EnrollFinger` answers.
public struct EnrollFingerReply: VarlinkRecord, Equatable {
  public var event: EnrollEvent
  public var finger: String
  /// How many touches are done.
  public var stage: Int
  /// How many touches the enrollment needs.
  public var stages: Int
  /// What to do differently, for `retry`.
  public var hint: ScanHint?
  /// How to touch the reader.
  public var scan: ScanType?

  public init(
    event: EnrollEvent,
    finger: String,
    stage: Int,
    stages: Int,
    hint: ScanHint? = nil,
    scan: ScanType? = nil
  ) {
    self.event = event
    self.finger = finger
    self.stage = stage
    self.stages = stages
    self.hint = hint
    self.scan = scan
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
    finger = try object.required("finger")
    stage = try object.required("stage")
    stages = try object.required("stages")
    hint = try object.optional("hint").map { ScanHint(named: $0) ?? .general }
    scan = try object.optional("scan")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "event": event,
        "finger": finger,
        "stage": stage,
        "stages": stages,
        "hint": hint,
        "scan": scan,
      ])
    }
  }
}

/// Deletes a finger that was enrolled in the vault. Needs a prompt passed by password. A reader that
/// stores prints deletes its print too.
public struct DeleteFingerCall: AskingMethod, Equatable {
  public typealias Reply = DeleteFingerReply
  public static let method = "io.thumblatch.Vault.DeleteFinger"

  /// Such as `right-index`.
  public var finger: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    finger: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.finger = finger
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "finger": finger,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `DeleteFinger` answers.
public struct DeleteFingerReply: VarlinkRecord, Equatable {
  /// Those that remain.
  public var fingers: [String]
  /// Why the reader could not delete the print that it stores. The next enrollment on that reader
  /// deletes it.
  public var onReader: String?

  public init(
    fingers: [String],
    onReader: String? = nil
  ) {
    self.fingers = fingers
    self.onReader = onReader
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    fingers = try object.required("fingers")
    onReader = try object.optional("on_reader")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "fingers": fingers,
        "on_reader": onReader,
      ])
    }
  }
}

/// The enrolled security keys.
public struct ListKeysCall: VarlinkMethod, Equatable {
  public typealias Reply = ListKeysReply
  public static let method = "io.thumblatch.Vault.ListKeys"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `ListKeys`, `RemoveKey` answer.
public struct ListKeysReply: VarlinkRecord, Equatable {
  public var keys: [VaultSecurityKey]

  public init(
    keys: [VaultSecurityKey]
  ) {
    self.keys = keys
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    keys = try object.required("keys")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "keys": keys,
      ])
    }
  }
}

/// Enrolls the only security key that is plugged in. Needs a prompt passed by password. With `more`,
/// the replies are `waiting` when the key is lit, and `done` last.
public struct EnrollKeyCall: AskingMethod {
  public typealias Reply = EnrollKeyReply
  public static let method = "io.thumblatch.Vault.EnrollKey"

  /// Its name, 1 to 64 characters.
  public var key: String
  /// The PIN of the key, in UTF-8. If absent, the key is only touched.
  public var pin: SharedSecret?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    key: String,
    pin: SharedSecret? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.key = key
    self.pin = pin
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    pin = try object.optional("pin")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key": key,
        "pin": pin,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `EnrollKey` answers.
public struct EnrollKeyReply: VarlinkRecord, Equatable {
  public var event: EnrollEvent
  public var key: String

  public init(
    event: EnrollEvent,
    key: String
  ) {
    self.event = event
    self.key = key
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
    key = try object.required("key")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "event": event,
        "key": key,
      ])
    }
  }
}

/// Removes a security key. Needs a prompt passed by password. The key itself stores nothing.
public struct RemoveKeyCall: AskingMethod, Equatable {
  public typealias Reply = ListKeysReply
  public static let method = "io.thumblatch.Vault.RemoveKey"

  public var key: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    key: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.key = key
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key": key,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Signs out: ends the grant at the provider unless `local` is true, and erases the tokens here.
/// Ending the grant needs the refresh token, and therefore a passed prompt if the account is
/// protected and no unlock window is open. Erasing a protected static secret needs that prompt too,
/// also with `local`, because there is no other copy. The account keeps its name, its protection and
/// its identity.
public struct LogoutCall: AskingMethod, Equatable {
  public typealias Reply = LogoutReply
  public static let method = "io.thumblatch.Vault.Logout"

  public var account: String
  /// Whether the provider is not contacted.
  public var local: Bool
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    local: Bool,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.local = local
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    local = try object.required("local")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "local": local,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Logout`, `RemoveAccount` answer.
public struct LogoutReply: VarlinkRecord, Equatable {
  /// Whether the provider confirmed.
  public var revoked: Bool
  /// Why it did not.
  public var reason: String?
  /// Whether no connection could be made.
  public var offline: Bool?
  /// The state of the refresh token at the provider. Earlier engines do not say.
  public var grant: GrantState?

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

  public init(decoding object: JSONObject) throws(MessageError) {
    revoked = try object.required("revoked")
    reason = try object.optional("reason")
    offline = try object.optional("offline")
    grant = try object.optional("grant")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "revoked": revoked,
        "reason": reason,
        "offline": offline,
        "grant": grant,
      ])
    }
  }
}

/// Signs out all accounts: with `more`, one reply for each. One prompt names all accounts that need a
/// check.
public struct LogoutAllCall: AskingMethod, Equatable {
  public typealias Reply = LogoutAllReply
  public static let method = "io.thumblatch.Vault.LogoutAll"

  /// Whether the providers are not contacted.
  public var local: Bool
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    local: Bool,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.local = local
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    local = try object.required("local")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "local": local,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `LogoutAll` answers.
public struct LogoutAllReply: VarlinkRecord, Equatable {
  /// Absent if there is no account at all.
  public var ended: EndedAccount?

  public init(
    ended: EndedAccount? = nil
  ) {
    self.ended = ended
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    ended = try object.optional("ended")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "ended": ended,
      ])
    }
  }
}

/// Asks the provider about the person of the account.
public struct WhoAmICall: AskingMethod, Equatable {
  public typealias Reply = WhoAmIReply
  public static let method = "io.thumblatch.Vault.WhoAmI"

  public var account: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `WhoAmI` answers.
public struct WhoAmIReply: VarlinkRecord, Equatable {
  public var account: VaultAccount
  /// The provider's answer, unchanged.
  public var profile: JSONObject

  public init(
    account: VaultAccount,
    profile: JSONObject
  ) {
    self.account = account
    self.profile = profile
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    profile = try object.required("profile")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "profile": profile,
      ])
    }
  }
}

/// Asks the provider whether it still accepts the access token that AccessToken hands out.
public struct VerifyTokenCall: AskingMethod, Equatable {
  public typealias Reply = VerifyTokenReply
  public static let method = "io.thumblatch.Vault.VerifyToken"

  public var account: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `VerifyToken` answers.
public struct VerifyTokenReply: VarlinkRecord, Equatable {
  public var account: VaultAccount
  /// Whether the provider accepts the token. A refused token is not handed out again.
  public var accepted: Bool
  /// As the provider says, or else as the vault knows. Absent if neither is known.
  public var expiresAt: Int?

  public init(
    account: VaultAccount,
    accepted: Bool,
    expiresAt: Int? = nil
  ) {
    self.account = account
    self.accepted = accepted
    self.expiresAt = expiresAt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    accepted = try object.required("accepted")
    expiresAt = try object.optional("expires_at")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "accepted": accepted,
        "expires_at": expiresAt,
      ])
    }
  }
}

/// The audit log: with `more`, one reply for each record, oldest first. With `follow`, each new
/// record follows when it is written. The call lasts until the connection closes or the client sends
/// any message. Such a message brings the last reply, without a record.
public struct AuditCall: VarlinkMethod, Equatable {
  public typealias Reply = AuditReply
  public static let method = "io.thumblatch.Vault.Audit"

  /// Only records of this account.
  public var account: String?
  /// Only records from this time on.
  public var since: Int?
  /// Whether new records follow. Earlier engines end after the latest record.
  public var follow: Bool?

  public init(
    account: String? = nil,
    since: Int? = nil,
    follow: Bool? = nil
  ) {
    self.account = account
    self.since = since
    self.follow = follow
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    since = try object.optional("since")
    follow = try object.optional("follow")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "since": since,
        "follow": follow,
      ])
    }
  }
}

/// What `Audit` answers.
public struct AuditReply: VarlinkRecord, Equatable {
  /// Absent if there is no record at all.
  public var record: VaultAuditRecord?

  public init(
    record: VaultAuditRecord? = nil
  ) {
    self.record = record
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    record = try object.optional("record")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "record": record,
      ])
    }
  }
}

/// Checks whether the audit log is intact.
public struct VerifyAuditCall: VarlinkMethod, Equatable {
  public typealias Reply = VerifyAuditReply
  public static let method = "io.thumblatch.Vault.VerifyAudit"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `VerifyAudit` answers.
public struct VerifyAuditReply: VarlinkRecord, Equatable {
  /// Whether it is intact: no record was changed, and none is missing.
  public var whole: Bool
  /// How many records there are.
  public var records: Int
  /// The number of the first one; 0 if there is none.
  public var first: Int
  /// The number of the last one.
  public var last: Int
  /// When the first record was written.
  public var firstTime: Int?
  /// When the last record was written.
  public var lastTime: Int?
  /// The first number whose record was changed, or is missing.
  public var bad: Int?
  /// The time in the record of that number, if there is such a record.
  public var badTime: Int?
  /// What is wrong with that record: altered, dropped, reordered, truncated, duplicated, added, head
  /// or checkpoint.
  public var problem: String?
  /// The head of the last record in hexadecimal digits, to compare with the one in the journal.
  public var head: String?

  public init(
    whole: Bool,
    records: Int,
    first: Int,
    last: Int,
    firstTime: Int? = nil,
    lastTime: Int? = nil,
    bad: Int? = nil,
    badTime: Int? = nil,
    problem: String? = nil,
    head: String? = nil
  ) {
    self.whole = whole
    self.records = records
    self.first = first
    self.last = last
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.bad = bad
    self.badTime = badTime
    self.problem = problem
    self.head = head
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    whole = try object.required("whole")
    records = try object.required("records")
    first = try object.required("first")
    last = try object.required("last")
    firstTime = try object.optional("first_time")
    lastTime = try object.optional("last_time")
    bad = try object.optional("bad")
    badTime = try object.optional("bad_time")
    problem = try object.optional("problem")
    head = try object.optional("head")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "whole": whole,
        "records": records,
        "first": first,
        "last": last,
        "first_time": firstTime,
        "last_time": lastTime,
        "bad": bad,
        "bad_time": badTime,
        "problem": problem,
        "head": head,
      ])
    }
  }
}

/// Makes a new device secret, and re-encrypts every refresh token, print and audit record with it.
/// Needs a prompt passed by password.
public struct RekeyCall: AskingMethod, Equatable {
  public typealias Reply = RekeyReply
  public static let method = "io.thumblatch.Vault.Rekey"

  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Rekey` answers.
public struct RekeyReply: VarlinkRecord, Equatable {
  /// How many refresh tokens were re-encrypted.
  public var accounts: Int
  /// How many prints were re-encrypted.
  public var prints: Int
  /// How many audit records were re-encrypted.
  public var records: Int

  public init(
    accounts: Int,
    prints: Int,
    records: Int
  ) {
    self.accounts = accounts
    self.prints = prints
    self.records = records
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    prints = try object.required("prints")
    records = try object.required("records")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
        "prints": prints,
        "records": records,
      ])
    }
  }
}

/// Accepts an old copy of the store that was restored, or a store whose rollback counter is lost.
/// Until then, every other method that needs the store is refused. Needs a prompt passed by password.
public struct RecoverCall: AskingMethod, Equatable {
  public typealias Reply = RecoverReply
  public static let method = "io.thumblatch.Vault.Recover"

  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Recover` answers.
public struct RecoverReply: VarlinkRecord, Equatable {
  /// The accounts for which a login is now required.
  public var loginRequired: [String]

  public init(
    loginRequired: [String]
  ) {
    self.loginRequired = loginRequired
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    loginRequired = try object.required("login_required")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "login_required": loginRequired,
      ])
    }
  }
}

/// The slots of the machine key, and the tier. Needs no open vault.
public struct DeviceSecretStatusCall: VarlinkMethod, Equatable {
  public typealias Reply = DeviceSecretStatusReply
  public static let method = "io.thumblatch.Vault.DeviceSecretStatus"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `DeviceSecretStatus` answers.
public struct DeviceSecretStatusReply: VarlinkRecord, Equatable {
  public var tier: DeviceSecretTier
  public var slots: [VaultMachineSlot]
  /// Whether the machine key is open in this engine.
  public var open: Bool
  /// The manufacturer and the firmware of the TPM, if it can be used. Only for root, and in the
  /// private form.
  public var tpm: String?
  /// Why the TPM cannot be used.
  public var tpmProblem: String?
  /// Absent if the machine key is not open.
  public var counter: CounterCheck?
  /// Why there is no counter or no check, or what the check found.
  public var counterProblem: String?

  public init(
    tier: DeviceSecretTier,
    slots: [VaultMachineSlot],
    open: Bool,
    tpm: String? = nil,
    tpmProblem: String? = nil,
    counter: CounterCheck? = nil,
    counterProblem: String? = nil
  ) {
    self.tier = tier
    self.slots = slots
    self.open = open
    self.tpm = tpm
    self.tpmProblem = tpmProblem
    self.counter = counter
    self.counterProblem = counterProblem
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    tier = try object.required("tier")
    slots = try object.required("slots")
    open = try object.required("open")
    tpm = try object.optional("tpm")
    tpmProblem = try object.optional("tpm_problem")
    counter = try object.optional("counter")
    counterProblem = try object.optional("counter_problem")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "tier": tier,
        "slots": slots,
        "open": open,
        "tpm": tpm,
        "tpm_problem": tpmProblem,
        "counter": counter,
        "counter_problem": counterProblem,
      ])
    }
  }
}

/// Adds a slot of the machine key. In the service, only root may call it. In the private form, it
/// needs a prompt passed by password. The first slot of a TPM or a security key creates the machine
/// key and re-encrypts every vault. A repeated call resumes an interrupted one. A slot of a security
/// key is possible only in the private form. If that key needs its PIN, the call fails with
/// KeyPINNeeded before it uses the prompt.
///
/// If a recovery code is needed, the first reply has it in `code`. Nothing changes until the client
/// calls again with that code on the same connection.
public struct AddSlotCall: AskingMethod {
  public typealias Reply = AddSlotReply
  public static let method = "io.thumblatch.Vault.AddSlot"

  public var kind: SlotKind
  /// The code of an earlier reply, as the person has typed it.
  public var recovery: SharedSecret?
  /// The PIN of the security key, in UTF-8.
  public var pin: SharedSecret?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    kind: SlotKind,
    recovery: SharedSecret? = nil,
    pin: SharedSecret? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.kind = kind
    self.recovery = recovery
    self.pin = pin
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    kind = try object.required("kind")
    recovery = try object.optional("recovery")
    pin = try object.optional("pin")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "kind": kind,
        "recovery": recovery,
        "pin": pin,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `AddSlot` answers.
public struct AddSlotReply: VarlinkRecord {
  /// A new recovery code, to be shown once.
  public var code: SharedSecret?
  /// The slots afterwards.
  public var slots: [VaultMachineSlot]
  /// How many vaults were re-encrypted.
  public var vaults: Int
  /// Why the TPM has no counter, although its slot was added.
  public var counterProblem: String?
  /// Whether the security key is waiting for a touch. Only with `more`, before the last reply.
  public var touch: Bool

  public init(
    code: SharedSecret? = nil,
    slots: [VaultMachineSlot],
    vaults: Int,
    counterProblem: String? = nil,
    touch: Bool = false
  ) {
    self.code = code
    self.slots = slots
    self.vaults = vaults
    self.counterProblem = counterProblem
    self.touch = touch
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    code = try object.optional("code")
    slots = try object.required("slots")
    vaults = try object.required("vaults")
    counterProblem = try object.optional("counter_problem")
    touch = try object.optional("touch") ?? false
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "code": code,
        "slots": slots,
        "vaults": vaults,
        "counter_problem": counterProblem,
        "touch": touch ? true : nil,
      ])
    }
  }
}

/// Removes a slot of the machine key. It needs root or a passed prompt, as AddSlot does. The last
/// slot that the TPM opens and the last recovery code cannot be removed.
public struct RemoveSlotCall: AskingMethod, Equatable {
  public typealias Reply = RemoveSlotReply
  public static let method = "io.thumblatch.Vault.RemoveSlot"

  /// Its `id`.
  public var slot: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    slot: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.slot = slot
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    slot = try object.required("slot")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "slot": slot,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `RemoveSlot` answers.
public struct RemoveSlotReply: VarlinkRecord, Equatable {
  /// The slots afterwards.
  public var slots: [VaultMachineSlot]

  public init(
    slots: [VaultMachineSlot]
  ) {
    self.slots = slots
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    slots = try object.required("slots")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "slots": slots,
      ])
    }
  }
}

/// Tests whether the slots of the machine key open. In the service, only root may call it.
public struct TestSlotsCall: VarlinkMethod {
  public typealias Reply = TestSlotsReply
  public static let method = "io.thumblatch.Vault.TestSlots"

  /// A recovery code, to test its slot too.
  public var code: SharedSecret?

  public init(
    code: SharedSecret? = nil
  ) {
    self.code = code
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    code = try object.optional("code")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "code": code,
      ])
    }
  }
}

/// What `TestSlots` answers.
public struct TestSlotsReply: VarlinkRecord, Equatable {
  public var tests: [VaultSlotTest]

  public init(
    tests: [VaultSlotTest]
  ) {
    self.tests = tests
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    tests = try object.required("tests")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "tests": tests,
      ])
    }
  }
}

/// Opens the machine key with a recovery code, and seals a new slot with this machine's TPM if the
/// TPM opens none. Needs no open vault and no prompt. In the service, only root may call it.
public struct RecoverWithCodeCall: VarlinkMethod {
  public typealias Reply = RecoverWithCodeReply
  public static let method = "io.thumblatch.Vault.RecoverWithCode"

  public var code: SharedSecret

  public init(
    code: SharedSecret
  ) {
    self.code = code
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    code = try object.required("code")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "code": code,
      ])
    }
  }
}

/// What `RecoverWithCode` answers.
public struct RecoverWithCodeReply: VarlinkRecord, Equatable {
  /// The new slot of the TPM.
  public var added: String?
  /// The slots that this TPM did not open, and that were removed.
  public var removed: [String]
  /// Why the TPM opens no slot. If present, the engine needs the code again at its next start.
  public var problem: String?
  /// Why there is no TPM counter, or no comparison with it.
  public var counterProblem: String?

  public init(
    added: String? = nil,
    removed: [String],
    problem: String? = nil,
    counterProblem: String? = nil
  ) {
    self.added = added
    self.removed = removed
    self.problem = problem
    self.counterProblem = counterProblem
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    added = try object.optional("added")
    removed = try object.required("removed")
    problem = try object.optional("problem")
    counterProblem = try object.optional("counter_problem")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "added": added,
        "removed": removed,
        "problem": problem,
        "counter_problem": counterProblem,
      ])
    }
  }
}

/// Opens the machine key with the security key that is plugged in, after MachineKeyNeeded. Needs no
/// open vault and no prompt. With `more`, the replies are `waiting` when the key is lit, and `done`
/// last. Only in the private form.
public struct OpenMachineKeyCall: VarlinkMethod {
  public typealias Reply = OpenMachineKeyReply
  public static let method = "io.thumblatch.Vault.OpenMachineKey"

  /// The PIN of the security key, in UTF-8. Absent if the key did not need it.
  public var pin: SharedSecret?

  public init(
    pin: SharedSecret? = nil
  ) {
    self.pin = pin
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    pin = try object.optional("pin")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "pin": pin,
      ])
    }
  }
}

/// What `OpenMachineKey` answers.
public struct OpenMachineKeyReply: VarlinkRecord, Equatable {
  public var event: EnrollEvent

  public init(
    event: EnrollEvent
  ) {
    self.event = event
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "event": event,
      ])
    }
  }
}

/// Makes an encrypted backup of all accounts: with `more`, one reply for each part of the file. It
/// has refresh tokens only of exportable accounts at providers that are known not to rotate them.
/// Needs a prompt passed by password. The call has either `backup_key` or `code`, as `header` says.
public struct BackupCall: AskingMethod {
  public typealias Reply = BackupReply
  public static let method = "io.thumblatch.Vault.Backup"

  /// The first bytes of the file.
  public var header: [UInt8]
  /// The key that the client has derived from a passphrase, 32 bytes.
  public var backupKey: SharedSecret?
  /// The recovery code of this machine.
  public var code: SharedSecret?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    header: [UInt8],
    backupKey: SharedSecret? = nil,
    code: SharedSecret? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.header = header
    self.backupKey = backupKey
    self.code = code
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    header = (try object.required("header") as WireBytes).bytes
    backupKey = (try object.optional("backup_key") as WireSecret?)?.secret
    code = try object.optional("code")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "header": WireBytes(bytes: header),
        "backup_key": backupKey.map(WireSecret.init(secret:)),
        "code": code,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Backup` answers.
public struct BackupReply: VarlinkRecord, Equatable {
  /// The account whose data ends with these bytes, if any.
  public var account: VaultBackupAccount?
  /// The next bytes of the file, at most 32 KiB.
  public var bytes: [UInt8]

  public init(
    account: VaultBackupAccount? = nil,
    bytes: [UInt8]
  ) {
    self.account = account
    self.bytes = bytes
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    bytes = (try object.required("bytes") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "bytes": WireBytes(bytes: bytes),
      ])
    }
  }
}

/// Sends a part of a backup, for Restore on the same connection.
public struct SendBackupCall: VarlinkMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.SendBackup"

  /// How many bytes were sent before this part; 0 begins a new backup.
  public var offset: Int
  /// At most 32 KiB.
  public var bytes: [UInt8]

  public init(
    offset: Int,
    bytes: [UInt8]
  ) {
    self.offset = offset
    self.bytes = bytes
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    offset = try object.required("offset")
    bytes = (try object.required("bytes") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "offset": offset,
        "bytes": WireBytes(bytes: bytes),
      ])
    }
  }
}

/// Restores the accounts of the backup that was sent: with `more`, one reply for each. All of them
/// are added in one transaction, or none is. Needs a prompt passed by password if the vault has
/// accounts.
public struct RestoreCall: AskingMethod {
  public typealias Reply = RestoreReply
  public static let method = "io.thumblatch.Vault.Restore"

  /// The key that the client has derived from a passphrase, 32 bytes.
  public var backupKey: SharedSecret?
  /// A recovery code.
  public var code: SharedSecret?
  /// Whether the replies only list the accounts in the backup. Then nothing changes, and no prompt is
  /// needed.
  public var examine: Bool
  /// Whether accounts whose names the vault has are left out. Otherwise the call is refused.
  public var skipExisting: Bool
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    backupKey: SharedSecret? = nil,
    code: SharedSecret? = nil,
    examine: Bool,
    skipExisting: Bool,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.backupKey = backupKey
    self.code = code
    self.examine = examine
    self.skipExisting = skipExisting
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    backupKey = (try object.optional("backup_key") as WireSecret?)?.secret
    code = try object.optional("code")
    examine = try object.required("examine")
    skipExisting = try object.required("skip_existing")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "backup_key": backupKey.map(WireSecret.init(secret:)),
        "code": code,
        "examine": examine,
        "skip_existing": skipExisting,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Restore` answers.
public struct RestoreReply: VarlinkRecord, Equatable {
  /// Absent if the backup has no account.
  public var account: VaultRestoredAccount?

  public init(
    account: VaultRestoredAccount? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// Moves all accounts of a private vault into the service of the machine: with `more`, one reply for
/// each. The engine connects to the service itself, and sends nothing unless root has bound its
/// socket. Names that the service already has are refused before a check. After an interruption, the
/// accounts cannot be used until the same call has finished the move, or CancelServiceImport has
/// succeeded.
public struct ImportIntoServiceCall: AskingMethod, Equatable {
  public typealias Reply = ImportIntoServiceReply
  public static let method = "io.thumblatch.Vault.ImportIntoService"

  /// The path of the service's socket. If absent, the usual one.
  public var socket: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    socket: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.socket = socket
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    socket = try object.optional("socket")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "socket": socket,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `ImportIntoService`, `ExportFromService` answer.
public struct ImportIntoServiceReply: VarlinkRecord, Equatable {
  /// Absent if there was no account.
  public var account: VaultMovedAccount?

  public init(
    account: VaultMovedAccount? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// Makes the accounts of a private vault usable again after an interrupted ImportIntoService. The
/// service must first confirm that it has none of them and refuses that transfer from now on. The
/// call is refused if the service has them.
public struct CancelServiceImportCall: VarlinkMethod, Equatable {
  public typealias Reply = CancelServiceImportReply
  public static let method = "io.thumblatch.Vault.CancelServiceImport"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `CancelServiceImport` answers.
public struct CancelServiceImportReply: VarlinkRecord, Equatable {
  /// Whether a transfer was open.
  public var cancelled: Bool

  public init(
    cancelled: Bool
  ) {
    self.cancelled = cancelled
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    cancelled = try object.required("cancelled")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "cancelled": cancelled,
      ])
    }
  }
}

/// Accepts the accounts of a private vault, which its engine has sent by SendBackup on the same
/// connection. All of them are added in one transaction, or none is. The call succeeds again for a
/// transfer that is already done.
public struct TakeOverCall: VarlinkMethod {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.TakeOver"

  /// Sixteen bytes that name the transfer.
  public var transfer: [UInt8]
  /// The key of the sent accounts, 32 bytes.
  public var backupKey: SharedSecret

  public init(
    transfer: [UInt8],
    backupKey: SharedSecret
  ) {
    self.transfer = transfer
    self.backupKey = backupKey
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    transfer = (try object.required("transfer") as WireBytes).bytes
    backupKey = (try object.required("backup_key") as WireSecret).secret
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "transfer": WireBytes(bytes: transfer),
        "backup_key": WireSecret(secret: backupKey),
      ])
    }
  }
}

/// Refuses a transfer from now on, unless its accounts were accepted.
public struct DropTransferCall: VarlinkMethod, Equatable {
  public typealias Reply = DropTransferReply
  public static let method = "io.thumblatch.Vault.DropTransfer"

  /// Sixteen bytes that name the transfer.
  public var transfer: [UInt8]

  public init(
    transfer: [UInt8]
  ) {
    self.transfer = transfer
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    transfer = (try object.required("transfer") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "transfer": WireBytes(bytes: transfer),
      ])
    }
  }
}

/// What `DropTransfer` answers.
public struct DropTransferReply: VarlinkRecord, Equatable {
  /// Whether its accounts were accepted earlier.
  public var taken: Bool

  public init(
    taken: Bool
  ) {
    self.taken = taken
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    taken = try object.required("taken")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "taken": taken,
      ])
    }
  }
}

/// Lists the accounts of the service, and whether each may move into the caller's private vault: with
/// `more`, one reply for each. It is refused if the policy does not allow any export.
public struct ListExportableCall: VarlinkMethod, Equatable {
  public typealias Reply = ListExportableReply
  public static let method = "io.thumblatch.Vault.ListExportable"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `ListExportable` answers.
public struct ListExportableReply: VarlinkRecord, Equatable {
  /// Absent if there is no account.
  public var account: VaultExportableAccount?

  public init(
    account: VaultExportableAccount? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// Allows the engine of the caller's private vault to fetch these accounts from the service once, by
/// HandOver, within a short time. Needs a prompt passed by password, which names the accounts and is
/// bound to `commitment`.
public struct AllowExportCall: AskingMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.AllowExport"

  /// Names of accounts that may move.
  public var accounts: [String]
  /// The reply of PrepareExport. Only the key that was made there can fetch the accounts.
  public var commitment: [UInt8]
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    accounts: [String],
    commitment: [UInt8],
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.accounts = accounts
    self.commitment = commitment
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
    commitment = (try object.required("commitment") as WireBytes).bytes
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
        "commitment": WireBytes(bytes: commitment),
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Returns the accounts that AllowExport has allowed, sealed with this key, in parts, with `more`.
/// The service does not use them from then on until EndHandOver.
public struct HandOverCall: VarlinkMethod {
  public typealias Reply = HandOverReply
  public static let method = "io.thumblatch.Vault.HandOver"

  /// The key whose digest was allowed, 32 bytes.
  public var backupKey: SharedSecret
  /// Sixteen bytes that name the private vault.
  public var vault: [UInt8]

  public init(
    backupKey: SharedSecret,
    vault: [UInt8]
  ) {
    self.backupKey = backupKey
    self.vault = vault
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    backupKey = (try object.required("backup_key") as WireSecret).secret
    vault = (try object.required("vault") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "backup_key": WireSecret(secret: backupKey),
        "vault": WireBytes(bytes: vault),
      ])
    }
  }
}

/// What `HandOver` answers.
public struct HandOverReply: VarlinkRecord, Equatable {
  /// The next bytes, at most 32 KiB.
  public var bytes: [UInt8]

  public init(
    bytes: [UInt8]
  ) {
    self.bytes = bytes
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    bytes = (try object.required("bytes") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "bytes": WireBytes(bytes: bytes),
      ])
    }
  }
}

/// The handover that has begun, and whose end the service does not know.
public struct OpenHandOverCall: VarlinkMethod, Equatable {
  public typealias Reply = OpenHandOverReply
  public static let method = "io.thumblatch.Vault.OpenHandOver"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `OpenHandOver` answers.
public struct OpenHandOverReply: VarlinkRecord, Equatable {
  /// Sixteen bytes that name it; absent if there is none.
  public var transfer: [UInt8]?
  /// Sixteen bytes that name the private vault.
  public var vault: [UInt8]?

  public init(
    transfer: [UInt8]? = nil,
    vault: [UInt8]? = nil
  ) {
    self.transfer = transfer
    self.vault = vault
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    transfer = (try object.optional("transfer") as WireBytes?)?.bytes
    vault = (try object.optional("vault") as WireBytes?)?.bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "transfer": transfer.map(WireBytes.init(bytes:)),
        "vault": vault.map(WireBytes.init(bytes:)),
      ])
    }
  }
}

/// Ends a handover. The service erases the accounts if the private vault has them. Otherwise it uses
/// them again.
public struct EndHandOverCall: VarlinkMethod {
  public typealias Reply = EndHandOverReply
  public static let method = "io.thumblatch.Vault.EndHandOver"

  /// Sixteen bytes that name the handover.
  public var transfer: [UInt8]
  /// The bytes that came with the accounts, as proof that the private vault has them. Absent if it
  /// has none of them.
  public var receipt: SharedSecret?

  public init(
    transfer: [UInt8],
    receipt: SharedSecret? = nil
  ) {
    self.transfer = transfer
    self.receipt = receipt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    transfer = (try object.required("transfer") as WireBytes).bytes
    receipt = (try object.optional("receipt") as WireSecret?)?.secret
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "transfer": WireBytes(bytes: transfer),
        "receipt": receipt.map(WireSecret.init(secret:)),
      ])
    }
  }
}

/// What `EndHandOver` answers.
public struct EndHandOverReply: VarlinkRecord, Equatable {
  /// Whether there was such a handover.
  public var ended: Bool

  public init(
    ended: Bool
  ) {
    self.ended = ended
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    ended = try object.required("ended")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "ended": ended,
      ])
    }
  }
}

/// Makes the key of an export into a private vault, for ExportFromService on the same connection.
/// Names that the vault already has are refused.
public struct PrepareExportCall: VarlinkMethod, Equatable {
  public typealias Reply = PrepareExportReply
  public static let method = "io.thumblatch.Vault.PrepareExport"

  /// The names of the accounts.
  public var accounts: [String]

  public init(
    accounts: [String]
  ) {
    self.accounts = accounts
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    accounts = try object.required("accounts")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "accounts": accounts,
      ])
    }
  }
}

/// What `PrepareExport` answers.
public struct PrepareExportReply: VarlinkRecord, Equatable {
  /// The SHA-256 of the key.
  public var commitment: [UInt8]

  public init(
    commitment: [UInt8]
  ) {
    self.commitment = commitment
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    commitment = (try object.required("commitment") as WireBytes).bytes
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "commitment": WireBytes(bytes: commitment),
      ])
    }
  }
}

/// Fetches the accounts that AllowExport has allowed from the service into a private vault: with
/// `more`, one reply for each. The engine connects to the service itself. All of them are added in
/// one transaction, or none is.
public struct ExportFromServiceCall: VarlinkMethod, Equatable {
  public typealias Reply = ImportIntoServiceReply
  public static let method = "io.thumblatch.Vault.ExportFromService"

  /// The path of the service's socket. If absent, the usual one.
  public var socket: String?

  public init(
    socket: String? = nil
  ) {
    self.socket = socket
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    socket = try object.optional("socket")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "socket": socket,
      ])
    }
  }
}

/// Ends an interrupted ExportFromService. The service erases accounts that the private vault has.
/// Otherwise it uses them again. With `more`, there is one reply for each account that has moved.
public struct EndServiceExportCall: VarlinkMethod, Equatable {
  public typealias Reply = EndServiceExportReply
  public static let method = "io.thumblatch.Vault.EndServiceExport"

  /// The path of the service's socket. If absent, the usual one.
  public var socket: String?
  /// Whether the call is refused if the private vault has the accounts.
  public var cancel: Bool

  public init(
    socket: String? = nil,
    cancel: Bool
  ) {
    self.socket = socket
    self.cancel = cancel
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    socket = try object.optional("socket")
    cancel = try object.required("cancel")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "socket": socket,
        "cancel": cancel,
      ])
    }
  }
}

/// What `EndServiceExport` answers.
public struct EndServiceExportReply: VarlinkRecord, Equatable {
  /// Absent if none has moved.
  public var account: VaultMovedAccount?
  /// Whether the service uses the accounts again.
  public var freed: Bool

  public init(
    account: VaultMovedAccount? = nil,
    freed: Bool
  ) {
    self.account = account
    self.freed = freed
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    freed = try object.required("freed")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "freed": freed,
      ])
    }
  }
}

/// Releases the refresh token of an exportable account. It always needs a presence check of its own.
public struct ReleaseCall: AskingMethod, Equatable {
  public typealias Reply = ReleaseReply
  public static let method = "io.thumblatch.Vault.Release"

  public var account: String?
  /// Whether the account stays signed in here. Refused if the provider rotates tokens.
  public var keep: Bool
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String? = nil,
    keep: Bool,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.keep = keep
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    keep = try object.required("keep")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "keep": keep,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `Release` answers.
public struct ReleaseReply: VarlinkRecord {
  /// The token. From now on the caller is responsible for it.
  public var refreshToken: SharedSecret
  /// Whether the account is signed out here.
  public var signedOut: Bool

  public init(
    refreshToken: SharedSecret,
    signedOut: Bool
  ) {
    self.refreshToken = refreshToken
    self.signedOut = signedOut
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    refreshToken = try object.required("refresh_token")
    signedOut = try object.required("signed_out")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "refresh_token": refreshToken,
        "signed_out": signedOut,
      ])
    }
  }
}

/// Renames an account. Needs a passed prompt if the account is protected.
public struct RenameAccountCall: AskingMethod, Equatable {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.RenameAccount"

  public var account: String
  /// Its new name.
  public var name: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    name: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.name = name
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    name = try object.required("name")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "name": name,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Makes an account the default: each call that names none uses it. Needs a passed prompt if the
/// present default is protected.
public struct SetDefaultAccountCall: AskingMethod, Equatable {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.SetDefaultAccount"

  public var account: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Signs out as Logout does, then removes the account. A protected account always needs a passed
/// prompt of its own, also if it is signed out or `local` is true. The unlock window does not count.
public struct RemoveAccountCall: AskingMethod, Equatable {
  public typealias Reply = LogoutReply
  public static let method = "io.thumblatch.Vault.RemoveAccount"

  public var account: String
  /// Whether the provider is not contacted.
  public var local: Bool
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    local: Bool,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.local = local
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    local = try object.required("local")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "local": local,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Where the access token may be sent, and on which terms. They are those of the provider at login,
/// even if its file has changed since.
public struct RequestTermsCall: VarlinkMethod, Equatable {
  public typealias Reply = RequestTermsReply
  public static let method = "io.thumblatch.Vault.RequestTerms"

  public var account: String?

  public init(
    account: String? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// What `RequestTerms` answers.
public struct RequestTermsReply: VarlinkRecord, Equatable {
  public var account: String
  /// Its origin is always allowed.
  public var issuer: String
  /// The other hosts that the provider file named, each as `host` or `host:port`.
  public var hosts: [String]
  /// Certificates in PEM. If absent, those of the system.
  public var ca: String?
  /// Each as `sha256//...`. If empty, any key is accepted.
  public var pins: [String]
  /// The URL of the proxy.
  public var proxy: String?
  /// Users, besides root, whose programs may get a token over loopback in plain text.
  public var listeners: [Int]?
  /// The seconds that a connection may take. If absent, 10.
  public var connectTimeout: Int?
  /// The only URL that the token is for, with those below its path. The issuer and the hosts do not
  /// get it. If absent, they do.
  public var resource: String?
  /// Whether the token may also be sent to any host for which the person names the account. It is
  /// true for a token that comes from a login and is not for one resource.
  public var anyHost: Bool?

  public init(
    account: String,
    issuer: String,
    hosts: [String],
    ca: String? = nil,
    pins: [String],
    proxy: String? = nil,
    listeners: [Int]? = nil,
    connectTimeout: Int? = nil,
    resource: String? = nil,
    anyHost: Bool? = nil
  ) {
    self.account = account
    self.issuer = issuer
    self.hosts = hosts
    self.ca = ca
    self.pins = pins
    self.proxy = proxy
    self.listeners = listeners
    self.connectTimeout = connectTimeout
    self.resource = resource
    self.anyHost = anyHost
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    issuer = try object.required("issuer")
    hosts = try object.required("hosts")
    ca = try object.optional("ca")
    pins = try object.required("pins")
    proxy = try object.optional("proxy")
    listeners = try object.optional("listeners")
    connectTimeout = try object.optional("connect_timeout")
    resource = try object.optional("resource")
    anyHost = try object.optional("any_host")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "issuer": issuer,
        "hosts": hosts,
        "ca": ca,
        "pins": pins,
        "proxy": proxy,
        "listeners": listeners,
        "connect_timeout": connectTimeout,
        "resource": resource,
        "any_host": anyHost,
      ])
    }
  }
}

/// Checks the engine's vault: with `more`, one reply for each finding.
public struct ExamineCall: VarlinkMethod, Equatable {
  public typealias Reply = ExamineReply
  public static let method = "io.thumblatch.Vault.Examine"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `Examine` answers.
public struct ExamineReply: VarlinkRecord, Equatable {
  /// The stable name of the check.
  public var name: String
  /// Its severity.
  public var level: FindingLevel
  /// What was found.
  public var message: String
  /// What to do about it.
  public var remedy: String?
  /// The account whose sign-in is the remedy.
  public var signIn: String?
  /// The account whose presence protection is the remedy.
  public var protect: String?
  /// The command that is the remedy.
  public var command: String?

  public init(
    name: String,
    level: FindingLevel,
    message: String,
    remedy: String? = nil,
    signIn: String? = nil,
    protect: String? = nil,
    command: String? = nil
  ) {
    self.name = name
    self.level = level
    self.message = message
    self.remedy = remedy
    self.signIn = signIn
    self.protect = protect
    self.command = command
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    level = try object.required("level")
    message = try object.required("message")
    remedy = try object.optional("remedy")
    signIn = try object.optional("sign_in")
    protect = try object.optional("protect")
    command = try object.optional("command")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "level": level,
        "message": message,
        "remedy": remedy,
        "sign_in": signIn,
        "protect": protect,
        "command": command,
      ])
    }
  }
}

/// The provider that is bound to an account's tokens, even if its file has changed since.
public struct AccountProviderCall: VarlinkMethod, Equatable {
  public typealias Reply = AccountProviderReply
  public static let method = "io.thumblatch.Vault.AccountProvider"

  public var account: String?

  public init(
    account: String? = nil
  ) {
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
      ])
    }
  }
}

/// What `AccountProvider` answers.
public struct AccountProviderReply: VarlinkRecord, Equatable {
  public var account: String
  public var provider: VaultProvider

  public init(
    account: String,
    provider: VaultProvider
  ) {
    self.account = account
    self.provider = provider
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
      ])
    }
  }
}

/// Changes the provider of a signed-in account: its tokens are sent to the new one from now on. Needs
/// a prompt passed by password, whose `detail` says what changes.
public struct ApplyProviderCall: AskingMethod, Equatable {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.ApplyProvider"

  public var account: String
  public var provider: VaultProvider
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Begins a login that the person completes at the provider. browser: open `url`. Pass the query that
/// arrives at `redirect`, on the caller's own port, to FinishLogin once. device: the person types
/// `user_code` at `verification_uri`, and AwaitLogin waits for that. The login is valid on this
/// connection for `expires_in` seconds. It is cancelled when the connection closes. An `exportable`
/// account needs a prompt passed by password.
public struct BeginLoginCall: AskingMethod, Equatable {
  public typealias Reply = BeginLoginReply
  public static let method = "io.thumblatch.Vault.BeginLogin"

  /// The account. It is created if it does not exist.
  public var account: String
  /// If absent, the account's own.
  public var provider: VaultProvider?
  public var flow: LoginFlow
  /// For `browser`: the redirect URI, with its port.
  public var redirect: String?
  /// The scopes to request. If absent, those of the provider.
  public var scope: String?
  /// Whether the refresh token may be released later.
  public var exportable: Bool?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    account: String,
    provider: VaultProvider? = nil,
    flow: LoginFlow,
    redirect: String? = nil,
    scope: String? = nil,
    exportable: Bool? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.flow = flow
    self.redirect = redirect
    self.scope = scope
    self.exportable = exportable
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.optional("provider")
    flow = try object.required("flow")
    redirect = try object.optional("redirect")
    scope = try object.optional("scope")
    exportable = try object.optional("exportable")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

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
        "reason": reason,
      ])
    }
  }
}

/// What `BeginLogin` answers.
public struct BeginLoginReply: VarlinkRecord, Equatable {
  /// Names the login on this connection.
  public var login: String
  /// The page to open, for `browser`.
  public var url: String?
  /// The code to type at `verification_uri`, for `device`.
  public var userCode: String?
  /// The page on which to type it.
  public var verificationURI: String?
  /// The same page, with the code in its URL, such as for a QR code.
  public var verificationURIComplete: String?
  /// How long the login is valid, in seconds.
  public var expiresIn: Int
  /// How long the engine waits between two requests to the provider, in seconds.
  public var interval: Int?

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

  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    url = try object.optional("url")
    userCode = try object.optional("user_code")
    verificationURI = try object.optional("verification_uri")
    verificationURIComplete = try object.optional("verification_uri_complete")
    expiresIn = try object.required("expires_in")
    interval = try object.optional("interval")
  }

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

/// Completes a login with the query of the redirect.
public struct FinishLoginCall: AskingMethod {
  public typealias Reply = AccountReply
  public static let method = "io.thumblatch.Vault.FinishLogin"

  public var login: String
  /// The part after the question mark of the redirect, unchanged. It has the code.
  public var query: SharedSecret
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    login: String,
    query: SharedSecret,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.login = login
    self.query = query
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    query = try object.required("query")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "login": login,
        "query": query,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// Asks the provider repeatedly until the person has decided. With `more`, the replies are `waiting`,
/// and `done` last. Any message ends the wait, but not the login.
public struct AwaitLoginCall: AskingMethod, Equatable {
  public typealias Reply = AwaitLoginReply
  public static let method = "io.thumblatch.Vault.AwaitLogin"

  public var login: String
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    login: String,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.login = login
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "login": login,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `AwaitLogin` answers.
public struct AwaitLoginReply: VarlinkRecord, Equatable {
  public var event: LoginEvent
  /// With `done`: the account.
  public var account: VaultAccount?
  /// How long the engine waits before it asks the provider again, in seconds.
  public var interval: Int?

  public init(
    event: LoginEvent,
    account: VaultAccount? = nil,
    interval: Int? = nil
  ) {
    self.event = event
    self.account = account
    self.interval = interval
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
    account = try object.optional("account")
    interval = try object.optional("interval")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "event": event,
        "account": account,
        "interval": interval,
      ])
    }
  }
}

/// Cancels the login. An answer that the provider has already given is not undone.
public struct CancelLoginCall: VarlinkMethod, Equatable {
  public typealias Reply = EmptyReply
  public static let method = "io.thumblatch.Vault.CancelLogin"

  public var login: String

  public init(
    login: String
  ) {
    self.login = login
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    login = try object.required("login")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "login": login,
      ])
    }
  }
}

/// Tests a provider: its metadata, its keys and the connection.
public struct TestProviderCall: VarlinkMethod, Equatable {
  public typealias Reply = TestProviderReply
  public static let method = "io.thumblatch.Vault.TestProvider"

  public var provider: VaultProvider
  /// Whether the engine also tests, without a person, if the provider refuses the redirect URI or a
  /// revocation.
  public var tries: Bool?

  public init(
    provider: VaultProvider,
    tries: Bool? = nil
  ) {
    self.provider = provider
    self.tries = tries
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    provider = try object.required("provider")
    tries = try object.optional("tries")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "provider": provider,
        "tries": tries,
      ])
    }
  }
}

/// What `TestProvider` answers.
public struct TestProviderReply: VarlinkRecord, Equatable {
  public var issuer: String
  /// Whether the provider published its endpoints.
  public var discovered: Bool
  /// The full URL of each known endpoint, by its key in a provider file.
  public var endpoints: [String: String]
  /// How a person can sign in: browser, device, password.
  public var flows: [String]
  /// How many of its keys for ID tokens can be used. Absent if none is needed.
  public var keys: Int?
  /// Possible problems, one sentence each.
  public var warnings: [String]
  /// The scopes that the provider offers, if it says so.
  public var scopes: [String]?
  /// The scopes that a login requests.
  public var askedScopes: [String]?
  /// Whether the provider says that it supports PKCE with S256. Absent if it does not say.
  public var pkce: Bool?
  /// Its endpoint for the registration of clients (RFC 7591), if it has one.
  public var registration: String?
  /// Whether the URL of a client's metadata may be its ID.
  public var clientMetadata: Bool
  /// How clients may authenticate at the token endpoint (RFC 8414). Absent if it does not say.
  public var clientAuthentication: [String]?

  public init(
    issuer: String,
    discovered: Bool,
    endpoints: [String: String],
    flows: [String],
    keys: Int? = nil,
    warnings: [String],
    scopes: [String]? = nil,
    askedScopes: [String]? = nil,
    pkce: Bool? = nil,
    registration: String? = nil,
    clientMetadata: Bool = false,
    clientAuthentication: [String]? = nil
  ) {
    self.issuer = issuer
    self.discovered = discovered
    self.endpoints = endpoints
    self.flows = flows
    self.keys = keys
    self.warnings = warnings
    self.scopes = scopes
    self.askedScopes = askedScopes
    self.pkce = pkce
    self.registration = registration
    self.clientMetadata = clientMetadata
    self.clientAuthentication = clientAuthentication
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    issuer = try object.required("issuer")
    discovered = try object.required("discovered")
    endpoints = try object.required("endpoints")
    flows = try object.required("flows")
    keys = try object.optional("keys")
    warnings = try object.required("warnings")
    scopes = try object.optional("scopes")
    askedScopes = try object.optional("asked_scopes")
    pkce = try object.optional("pkce")
    registration = try object.optional("registration")
    clientMetadata = try object.optional("client_metadata") ?? false
    clientAuthentication = try object.optional("client_authentication")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "issuer": issuer,
        "discovered": discovered,
        "endpoints": endpoints,
        "flows": flows,
        "keys": keys,
        "warnings": warnings,
        "scopes": scopes,
        "asked_scopes": askedScopes,
        "pkce": pkce,
        "registration": registration,
        "client_metadata": clientMetadata ? true : nil,
        "client_authentication": clientAuthentication,
      ])
    }
  }
}

/// Watches an account, and whether the unlock window covers it. With `more`, the first reply has the
/// current state, and each change brings another reply. A slow client gets only the latest state. The
/// call lasts until the connection closes or the client sends any message, which brings the last
/// reply. During the call, the account's usual access token counts as used. It is refreshed before it
/// expires if that needs no presence check.
public struct WatchCall: VarlinkMethod, Equatable {
  public typealias Reply = WatchReply
  public static let method = "io.thumblatch.Vault.Watch"

  public var account: String?
  /// How many seconds before it expires the token is refreshed: 60 to 3600, at most half of its
  /// lifetime. With 0, this call causes no refresh. If absent, the engine decides.
  public var refreshAhead: Int?

  public init(
    account: String? = nil,
    refreshAhead: Int? = nil
  ) {
    self.account = account
    self.refreshAhead = refreshAhead
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    refreshAhead = try object.optional("refresh_ahead")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "refresh_ahead": refreshAhead,
      ])
    }
  }
}

/// What `Watch` answers.
public struct WatchReply: VarlinkRecord, Equatable {
  /// Absent if there is no account of that name now.
  public var account: VaultAccount?
  /// Whether the unlock window covers it.
  public var unlocked: Bool

  public init(
    account: VaultAccount? = nil,
    unlocked: Bool
  ) {
    self.account = account
    self.unlocked = unlocked
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    unlocked = try object.required("unlocked")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "unlocked": unlocked,
      ])
    }
  }
}

/// The policy that applies to the caller.
public struct GetPolicyCall: VarlinkMethod, Equatable {
  public typealias Reply = GetPolicyReply
  public static let method = "io.thumblatch.Vault.GetPolicy"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetPolicy` answers.
public struct GetPolicyReply: VarlinkRecord, Equatable {
  /// The file of the machine's rules. Absent in the private form, whose rules are the defaults.
  public var file: String?
  public var rules: [VaultRule]

  public init(
    file: String? = nil,
    rules: [VaultRule]
  ) {
    self.file = file
    self.rules = rules
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    file = try object.optional("file")
    rules = try object.required("rules")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "file": file,
        "rules": rules,
      ])
    }
  }
}

/// Sets a rule of the user, which may only be stricter than the machine's. Needs a prompt passed by
/// password, whose `detail` says what changes. It locks the vault.
public struct SetPolicyCall: AskingMethod, Equatable {
  public typealias Reply = SetPolicyReply
  public static let method = "io.thumblatch.Vault.SetPolicy"

  public var key: String
  /// If absent, the user's value is removed, and the machine's applies.
  public var value: String?
  public var prompt: String?
  public var ask: Bool?
  public var reason: String?

  public init(
    key: String,
    value: String? = nil,
    prompt: String? = nil,
    ask: Bool? = nil,
    reason: String? = nil
  ) {
    self.key = key
    self.value = value
    self.prompt = prompt
    self.ask = ask
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    value = try object.optional("value")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key": key,
        "value": value,
        "prompt": prompt,
        "ask": ask,
        "reason": reason,
      ])
    }
  }
}

/// What `SetPolicy` answers.
public struct SetPolicyReply: VarlinkRecord, Equatable {
  /// Whether the user's own rules have changed.
  public var changed: Bool
  /// The file of the machine's rules. Absent in the private form, whose rules are the defaults.
  public var file: String?
  public var rules: [VaultRule]

  public init(
    changed: Bool,
    file: String? = nil,
    rules: [VaultRule]
  ) {
    self.changed = changed
    self.file = file
    self.rules = rules
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    changed = try object.required("changed")
    file = try object.optional("file")
    rules = try object.required("rules")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "changed": changed,
        "file": file,
        "rules": rules,
      ])
    }
  }
}

/// Removes the vault of a user, or one account of it, without a presence check. Only the service has
/// this method, and only root may call it. Providers are not contacted, so refresh tokens stay valid
/// there. The removal is recorded in the journal. The removal of one account is also recorded in the
/// user's audit log. With a whole vault, its prints are deleted on the readers that store them.
public struct RemoveUserCall: VarlinkMethod, Equatable {
  public typealias Reply = RemoveUserReply
  public static let method = "io.thumblatch.Vault.RemoveUser"

  /// The user name that the vault was made for, or a uid. The machine need not have such a user any
  /// more.
  public var user: String
  /// If absent, the whole vault.
  public var account: String?

  public init(
    user: String,
    account: String? = nil
  ) {
    self.user = user
    self.account = account
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    user = try object.required("user")
    account = try object.optional("account")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "user": user,
        "account": account,
      ])
    }
  }
}

/// What `RemoveUser` answers.
public struct RemoveUserReply: VarlinkRecord, Equatable {
  /// The uid.
  public var user: Int
  /// The user name that the vault was made for.
  public var name: String?
  /// The removed accounts. Absent if they could not be read.
  public var accounts: [EndedAccount]?
  /// The prints of the vault that a reader may still have, and why. Absent if there are none.
  public var onReader: String?
  /// The uids whose directory cannot be read, so that its vault may have been made for the same user
  /// name. Absent if there are none, or if `user` was a uid.
  public var unread: [Int]?

  public init(
    user: Int,
    name: String? = nil,
    accounts: [EndedAccount]? = nil,
    onReader: String? = nil,
    unread: [Int]? = nil
  ) {
    self.user = user
    self.name = name
    self.accounts = accounts
    self.onReader = onReader
    self.unread = unread
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    user = try object.required("user")
    name = try object.optional("name")
    accounts = try object.optional("accounts")
    onReader = try object.optional("on_reader")
    unread = try object.optional("unread")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "user": user,
        "name": name,
        "accounts": accounts,
        "on_reader": onReader,
        "unread": unread,
      ])
    }
  }
}
