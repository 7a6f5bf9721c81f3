internal import JSON

/// The errors of the vault's interface.
public enum VaultError: Error, Equatable, Sendable {
  /// A presence check comes first.
  case presenceNeeded(PresenceRequest)
  /// The check did not pass; with which methods it may still be tried.
  case presenceFailed(PresenceOutcome, message: String, methods: [PresenceMethod])
  /// Another request has what this one needs; `retryAfter` in seconds, where too many prompts were
  /// opened.
  case busy(message: String, retryAfter: Int? = nil)
  /// No account of this name.
  case noSuchAccount(account: String)
  /// No vault was made for this user.
  case noSuchUser(user: String)
  /// No print of this finger.
  case noSuchFinger(finger: String)
  /// An argument that no state of the vault would make valid.
  case invalidArgument(message: String)
  /// Only a login helps.
  case loginRequired(account: String, message: String)
  /// Unreachable or failing; nothing is lost, unless the reason says that it is not known.
  /// `retryAfter` in seconds; `offline` where no connection could be made; `status` is that of an
  /// answer that came.
  case providerUnavailable(
    message: String,
    retryAfter: Int?,
    offline: Bool? = nil,
    reason: UnavailableReason? = nil,
    status: Int? = nil
  )
  /// The provider answered no, with this HTTP status.
  case providerRefused(status: Int, message: String, details: VaultRefusalDetails = .none)
  /// The provider's configuration does not fit what it answers.
  case misconfigured(message: String)
  /// The vault is damaged, newer, or has unsafe permissions; nothing was changed.
  case vaultUnsafe(message: String, hint: String?)
  /// The caller may not.
  case refused(message: String)
  /// The same, unless the call accepts the risk (`AccessTokenCall.narrow`): on the wire it is
  /// `Refused`, which older clients know.
  case mayNarrow(message: String)
  /// A fault of the engine.
  case `internal`(message: String)

  private static let prefix = VarlinkInterface.vault.name + "."

  /// The error of a reply, or nil where it has none or another interface's.
  public init?(decoding reply: VarlinkReply) throws(MessageError) {
    guard let error = reply.error, error.hasPrefix(Self.prefix) else { return nil }
    let object = reply.parameters
    switch error.dropFirst(Self.prefix.count) {
    case "PresenceNeeded": self = .presenceNeeded(try PresenceRequest(decoding: object))
    case "PresenceFailed":
      self = .presenceFailed(
        try object.required("outcome"),
        message: try object.required("message"),
        methods: try object.required("methods")
      )
    case "Busy":
      self = .busy(
        message: try object.required("message"),
        retryAfter: try object.optional("retry_after")
      )
    case "NoSuchAccount": self = .noSuchAccount(account: try object.required("account"))
    case "NoSuchUser": self = .noSuchUser(user: try object.required("user"))
    case "NoSuchFinger": self = .noSuchFinger(finger: try object.required("finger"))
    case "InvalidArgument": self = .invalidArgument(message: try object.required("message"))
    case "LoginRequired":
      self = .loginRequired(
        account: try object.required("account"),
        message: try object.required("message")
      )
    case "ProviderUnavailable":
      self = .providerUnavailable(
        message: try object.required("message"),
        retryAfter: try object.optional("retry_after"),
        offline: try object.optional("offline"),
        // One that is younger than this program says no more than the message does.
        reason: (try object.optional("reason") as String?).flatMap {
          UnavailableReason(rawValue: $0)
        },
        status: try object.optional("status")
      )
    case "ProviderRefused":
      self = .providerRefused(
        status: try object.required("status"),
        message: try object.required("message"),
        details: try VaultRefusalDetails(decoding: object)
      )
    case "Misconfigured": self = .misconfigured(message: try object.required("message"))
    case "VaultUnsafe":
      self = .vaultUnsafe(
        message: try object.required("message"),
        hint: try object.optional("hint")
      )
    case "Refused":
      let message: String = try object.required("message")
      let mayNarrow = (try object.optional("narrows") as Bool?) == true
      self = mayNarrow ? .mayNarrow(message: message) : .refused(message: message)
    case "Internal": self = .internal(message: try object.required("message"))
    default: return nil
    }
  }

  /// The reply that carries this error.
  public var reply: VarlinkReply {
    get throws(MessageError) {
      VarlinkReply(parameters: try parameters, error: Self.prefix + name)
    }
  }

  /// What happened, where the error says it in words.
  public var message: String? {
    switch self {
    case .presenceNeeded, .noSuchAccount, .noSuchUser, .noSuchFinger: nil
    case .presenceFailed(_, let message, _), .loginRequired(_, let message),
      .providerUnavailable(let message, _, _, _, _), .providerRefused(_, let message, _),
      .vaultUnsafe(let message, _), .busy(let message, _), .invalidArgument(let message),
      .misconfigured(let message), .refused(let message), .mayNarrow(let message),
      .internal(let message):
      message
    }
  }

  /// Its name in the interface, such as `Busy`.
  public var name: String {
    switch self {
    case .presenceNeeded: "PresenceNeeded"
    case .presenceFailed: "PresenceFailed"
    case .busy: "Busy"
    case .noSuchAccount: "NoSuchAccount"
    case .noSuchUser: "NoSuchUser"
    case .noSuchFinger: "NoSuchFinger"
    case .invalidArgument: "InvalidArgument"
    case .loginRequired: "LoginRequired"
    case .providerUnavailable: "ProviderUnavailable"
    case .providerRefused: "ProviderRefused"
    case .misconfigured: "Misconfigured"
    case .vaultUnsafe: "VaultUnsafe"
    case .refused, .mayNarrow: "Refused"
    case .internal: "Internal"
    }
  }

  private var parameters: JSONObject {
    get throws(MessageError) {
      switch self {
      case .presenceNeeded(let request): try request.encoded
      case .presenceFailed(let outcome, let message, let methods):
        try .wire(["outcome": outcome, "message": message, "methods": methods])
      case .noSuchAccount(let account): try .wire(["account": account])
      case .noSuchUser(let user): try .wire(["user": user])
      case .noSuchFinger(let finger): try .wire(["finger": finger])
      case .loginRequired(let account, let message):
        try .wire(["account": account, "message": message])
      case .providerUnavailable(let message, let retryAfter, let offline, let reason, let status):
        try .wire([
          "message": message, "retry_after": retryAfter, "offline": offline, "reason": reason,
          "status": status,
        ])
      case .providerRefused(let status, let message, let details):
        try .wire([
          "status": status, "message": message, "reason": details.reason?.rawValue,
          "fields": details.fields.isEmpty ? nil : details.fields,
        ])
      case .vaultUnsafe(let message, let hint): try .wire(["message": message, "hint": hint])
      case .busy(let message, let retryAfter):
        try .wire(["message": message, "retry_after": retryAfter])
      case .invalidArgument(let message), .misconfigured(let message), .refused(let message),
        .internal(let message):
        try .wire(["message": message])
      case .mayNarrow(let message): try .wire(["message": message, "narrows": true])
      }
    }
  }
}
