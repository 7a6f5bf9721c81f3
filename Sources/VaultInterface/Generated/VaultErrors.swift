// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
internal import JSON
package import Varlink
internal import PlainText
public import PresenceTerms

/// The errors of `io.thumblatch.Vault`.
enum VaultErrorName: String, CaseIterable {
  /// A presence check is needed: show `requester`, `account` and `purpose`, then call Check(prompt).
  /// The prompt is valid on this connection for `timeout` seconds. If `ask` was false, it is empty, and
  /// no method can be tried.
  case presenceNeeded = "PresenceNeeded"
  /// The check was not passed.
  case presenceFailed = "PresenceFailed"
  /// Another request uses a resource that this one needs.
  case busy = "Busy"
  /// The prompt cannot be shown at a desktop.
  case noDesktop = "NoDesktop"
  /// There is no account of this name.
  case noSuchAccount = "NoSuchAccount"
  /// There is no print of this finger.
  case noSuchFinger = "NoSuchFinger"
  /// There is no security key of this name.
  case noSuchKey = "NoSuchKey"
  /// There is no vault of this user.
  case noSuchUser = "NoSuchUser"
  /// An argument is invalid, independently of the state of the vault.
  case invalidArgument = "InvalidArgument"
  /// A login is required.
  case loginRequired = "LoginRequired"
  /// The provider is unreachable or failing. Nothing is lost unless `reason` says so. Try again later.
  case providerUnavailable = "ProviderUnavailable"
  /// The call needs the machine key. The person must open it with a security key: OpenMachineKey.
  /// Nothing was changed.
  case machineKeyNeeded = "MachineKeyNeeded"
  /// The security key needs its PIN, or the PIN was wrong. Nothing was changed.
  case keyPINNeeded = "KeyPINNeeded"
  /// The provider refused the request: a wrong password, an e-mail address with an account, or another
  /// status 4xx.
  case providerRefused = "ProviderRefused"
  /// The provider's configuration does not match its answers.
  case misconfigured = "Misconfigured"
  /// The vault is damaged, was written by a newer version, or has unsafe permissions. Nothing was
  /// changed.
  case vaultUnsafe = "VaultUnsafe"
  /// The caller is not allowed to do this.
  case refused = "Refused"
  /// A fault of the engine.
  case `internal` = "Internal"
}

/// The errors of `io.thumblatch.Vault`.
public enum VaultError: Error, Equatable, Sendable {
  /// A presence check is needed: show `requester`, `account` and `purpose`, then call Check(prompt).
  /// The prompt is valid on this connection for `timeout` seconds. If `ask` was false, it is empty, and
  /// no method can be tried.
  case presenceNeeded(PresenceRequest)
  /// The check was not passed.
  ///
  /// `methods`: The methods that may still be tried with this prompt.
  case presenceFailed(PresenceOutcome, message: String, methods: [PresenceMethod])
  /// Another request uses a resource that this one needs.
  ///
  /// `retryAfter`: Present if too many prompts were opened: the seconds until the next one is allowed.
  case busy(message: String, retryAfter: Int? = nil)
  /// The prompt cannot be shown at a desktop.
  ///
  /// `message`: Why.
  ///
  /// `reason`: The reason, if the caller may want to act on it.
  case noDesktop(message: String, reason: NoDesktopReason? = nil)
  /// There is no account of this name.
  case noSuchAccount(account: String)
  /// There is no print of this finger.
  case noSuchFinger(finger: String)
  /// There is no security key of this name.
  case noSuchKey(key: String)
  /// There is no vault of this user.
  case noSuchUser(user: String)
  /// An argument is invalid, independently of the state of the vault.
  case invalidArgument(message: String)
  /// A login is required.
  case loginRequired(account: String, message: String)
  /// The provider is unreachable or failing. Nothing is lost unless `reason` says so. Try again later.
  ///
  /// `retryAfter`: In seconds.
  ///
  /// `offline`: Whether no connection could be made, which says nothing about the provider.
  ///
  /// `reason`: The reason, if the caller may want to act on it.
  ///
  /// `status`: The HTTP status of the answer, if there was one.
  case providerUnavailable(message: String, retryAfter: Int? = nil, offline: Bool? = nil, reason: UnavailableReason? = nil, status: Int? = nil)
  /// The call needs the machine key. The person must open it with a security key: OpenMachineKey.
  /// Nothing was changed.
  case machineKeyNeeded(message: String)
  /// The security key needs its PIN, or the PIN was wrong. Nothing was changed.
  ///
  /// `retries`: How many wrong PINs the key still accepts, if it says so.
  case keyPINNeeded(message: String, retries: Int? = nil)
  /// The provider refused the request: a wrong password, an e-mail address with an account, or another
  /// status 4xx.
  ///
  /// `reason`: If the answer says what was wrong with the input.
  ///
  /// `fields`: The fields that were wrong, if the answer says so.
  case providerRefused(status: Int, message: String, reason: VaultRefusalReason? = nil, fields: [VaultFieldProblem] = [])
  /// The provider's configuration does not match its answers.
  case misconfigured(message: String)
  /// The vault is damaged, was written by a newer version, or has unsafe permissions. Nothing was
  /// changed.
  case vaultUnsafe(message: String, hint: String? = nil)
  /// The caller is not allowed to do this.
  ///
  /// `narrows`: A token for fewer scopes may narrow the login at its provider until a new login. The same call
  /// with `narrow` accepts that.
  case refused(message: String, narrows: Bool = false)
  /// A fault of the engine.
  case `internal`(message: String)

  /// The error of a reply, or `nil` if it has no error or that of another interface.
  package init?(decoding reply: VarlinkReply) throws(MessageError) {
    let prefix = "io.thumblatch.Vault."
    guard let error = reply.error, error.hasPrefix(prefix),
      let name = VaultErrorName(named: String(error.dropFirst(prefix.count)))
    else { return nil }
    let object = reply.parameters
    switch name {
    case .presenceNeeded: self = .presenceNeeded(try PresenceRequest(decoding: object))
    case .presenceFailed: self = .presenceFailed(try object.required("outcome"), message: try object.required("message"), methods: try object.required("methods"))
    case .busy: self = .busy(message: try object.required("message"), retryAfter: try object.optional("retry_after"))
    case .noDesktop: self = .noDesktop(message: try object.required("message"), reason: try object.optional("reason").flatMap(NoDesktopReason.init(named:)))
    case .noSuchAccount: self = .noSuchAccount(account: try object.required("account"))
    case .noSuchFinger: self = .noSuchFinger(finger: try object.required("finger"))
    case .noSuchKey: self = .noSuchKey(key: try object.required("key"))
    case .noSuchUser: self = .noSuchUser(user: try object.required("user"))
    case .invalidArgument: self = .invalidArgument(message: try object.required("message"))
    case .loginRequired: self = .loginRequired(account: try object.required("account"), message: try object.required("message"))
    case .providerUnavailable: self = .providerUnavailable(message: try object.required("message"), retryAfter: try object.optional("retry_after"), offline: try object.optional("offline"), reason: try object.optional("reason").flatMap(UnavailableReason.init(named:)), status: try object.optional("status"))
    case .machineKeyNeeded: self = .machineKeyNeeded(message: try object.required("message"))
    case .keyPINNeeded: self = .keyPINNeeded(message: try object.required("message"), retries: try object.optional("retries"))
    case .providerRefused: self = .providerRefused(status: try object.required("status"), message: try object.required("message"), reason: try object.optional("reason").flatMap(VaultRefusalReason.init(named:)), fields: try object.optional("fields") ?? [])
    case .misconfigured: self = .misconfigured(message: try object.required("message"))
    case .vaultUnsafe: self = .vaultUnsafe(message: try object.required("message"), hint: try object.optional("hint"))
    case .refused: self = .refused(message: try object.required("message"), narrows: try object.optional("narrows") ?? false)
    case .internal: self = .internal(message: try object.required("message"))
    }
  }

  /// The reply that carries this error.
  package var reply: VarlinkReply {
    get throws(MessageError) {
      let parameters: JSONObject
      switch self {
      case .presenceNeeded(let presenceRequest): parameters = try presenceRequest.encoded
      case .presenceFailed(let outcome, let message, let methods): parameters = try .wire(["outcome": outcome, "message": message, "methods": methods])
      case .busy(let message, let retryAfter): parameters = try .wire(["message": message, "retry_after": retryAfter])
      case .noDesktop(let message, let reason): parameters = try .wire(["message": message, "reason": reason])
      case .noSuchAccount(let account): parameters = try .wire(["account": account])
      case .noSuchFinger(let finger): parameters = try .wire(["finger": finger])
      case .noSuchKey(let key): parameters = try .wire(["key": key])
      case .noSuchUser(let user): parameters = try .wire(["user": user])
      case .invalidArgument(let message): parameters = try .wire(["message": message])
      case .loginRequired(let account, let message): parameters = try .wire(["account": account, "message": message])
      case .providerUnavailable(let message, let retryAfter, let offline, let reason, let status): parameters = try .wire(["message": message, "retry_after": retryAfter, "offline": offline, "reason": reason, "status": status])
      case .machineKeyNeeded(let message): parameters = try .wire(["message": message])
      case .keyPINNeeded(let message, let retries): parameters = try .wire(["message": message, "retries": retries])
      case .providerRefused(let status, let message, let reason, let fields): parameters = try .wire(["status": status, "message": message, "reason": reason, "fields": fields.isEmpty ? nil : fields])
      case .misconfigured(let message): parameters = try .wire(["message": message])
      case .vaultUnsafe(let message, let hint): parameters = try .wire(["message": message, "hint": hint])
      case .refused(let message, let narrows): parameters = try .wire(["message": message, "narrows": narrows ? true : nil])
      case .internal(let message): parameters = try .wire(["message": message])
      }
      return VarlinkReply(parameters: parameters, error: "io.thumblatch.Vault." + name)
    }
  }

  /// Its name in the interface.
  public var name: String {
    switch self {
    case .presenceNeeded: "PresenceNeeded"
    case .presenceFailed: "PresenceFailed"
    case .busy: "Busy"
    case .noDesktop: "NoDesktop"
    case .noSuchAccount: "NoSuchAccount"
    case .noSuchFinger: "NoSuchFinger"
    case .noSuchKey: "NoSuchKey"
    case .noSuchUser: "NoSuchUser"
    case .invalidArgument: "InvalidArgument"
    case .loginRequired: "LoginRequired"
    case .providerUnavailable: "ProviderUnavailable"
    case .machineKeyNeeded: "MachineKeyNeeded"
    case .keyPINNeeded: "KeyPINNeeded"
    case .providerRefused: "ProviderRefused"
    case .misconfigured: "Misconfigured"
    case .vaultUnsafe: "VaultUnsafe"
    case .refused: "Refused"
    case .internal: "Internal"
    }
  }

  /// The error's own text, or `nil` if it has none.
  public var message: String? {
    switch self {
    case .presenceFailed(_, let message, _): message
    case .busy(let message, _): message
    case .noDesktop(let message, _): message
    case .invalidArgument(let message): message
    case .loginRequired(_, let message): message
    case .providerUnavailable(let message, _, _, _, _): message
    case .machineKeyNeeded(let message): message
    case .keyPINNeeded(let message, _): message
    case .providerRefused(_, let message, _, _): message
    case .misconfigured(let message): message
    case .vaultUnsafe(let message, _): message
    case .refused(let message, _): message
    case .internal(let message): message
    default: nil
    }
  }
}
