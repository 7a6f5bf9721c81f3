internal import JSON
internal import PlainText
public import PresenceTerms
package import Varlink

/// The errors of the vault's interface.
public enum VaultError: Error, Equatable, Sendable {
  /// A presence check is needed first.
  case presenceNeeded(PresenceRequest)
  /// The check did not pass.
  ///
  /// `methods` are those that may still be tried.
  case presenceFailed(PresenceOutcome, message: String, methods: [PresenceMethod])
  /// Another request has what this one needs.
  ///
  /// `retryAfter` is in seconds, if too many prompts were opened.
  case busy(message: String, retryAfter: Int? = nil)
  /// There is no account of this name.
  case noSuchAccount(account: String)
  /// No vault was made for this user.
  case noSuchUser(user: String)
  /// There is no print of this finger.
  case noSuchFinger(finger: String)
  /// An argument that is invalid in every state of the vault.
  case invalidArgument(message: String)
  /// Only a new sign-in helps.
  case loginRequired(account: String, message: String)
  /// The provider is unreachable or fails.
  ///
  /// Nothing is lost, unless the reason says that this is not known. `retryAfter` is in seconds.
  /// `offline` is true if no connection could be made. `status` is that of an answer, if one
  /// arrived.
  case providerUnavailable(
    message: String,
    retryAfter: Int?,
    offline: Bool? = nil,
    reason: UnavailableReason? = nil,
    status: Int? = nil
  )
  /// The provider refused with this HTTP status.
  case providerRefused(status: Int, message: String, details: VaultRefusalDetails = .none)
  /// The provider's configuration does not match its answers.
  case misconfigured(message: String)
  /// The vault is damaged, newer, or has unsafe permissions.
  ///
  /// Nothing was changed.
  case vaultUnsafe(message: String, hint: String?)
  /// The caller is not allowed to do this.
  case refused(message: String)
  /// The same, but the call may accept the risk (`AccessTokenCall.narrow`).
  ///
  /// On the wire it is `Refused`, which older clients know.
  case mayNarrow(message: String)
  /// An internal fault of the engine.
  case `internal`(message: String)

  private static let prefix = VarlinkInterface.vault.name + "."

  /// The error of a reply, or `nil` if it has no error or that of another interface.
  package init?(decoding reply: VarlinkReply) throws(MessageError) {
    guard let error = reply.error, error.hasPrefix(Self.prefix),
      let name = VaultErrorName(named: String(error.dropFirst(Self.prefix.count)))
    else { return nil }
    let object = reply.parameters
    switch name {
    case .presenceNeeded: self = .presenceNeeded(try PresenceRequest(decoding: object))
    case .presenceFailed:
      self = .presenceFailed(
        try object.required(PresenceFailedMembers.outcome),
        message: try object.required(PresenceFailedMembers.message),
        methods: try object.required(PresenceFailedMembers.methods)
      )
    case .busy:
      self = .busy(
        message: try object.required(BusyMembers.message),
        retryAfter: try object.optional(BusyMembers.retryAfter)
      )
    case .noSuchAccount:
      self = .noSuchAccount(account: try object.required(NoSuchAccountMembers.account))
    case .noSuchUser: self = .noSuchUser(user: try object.required(NoSuchUserMembers.user))
    case .noSuchFinger:
      self = .noSuchFinger(finger: try object.required(NoSuchFingerMembers.finger))
    case .invalidArgument:
      self = .invalidArgument(message: try object.required(InvalidArgumentMembers.message))
    case .loginRequired:
      self = .loginRequired(
        account: try object.required(LoginRequiredMembers.account),
        message: try object.required(LoginRequiredMembers.message)
      )
    case .providerUnavailable:
      typealias Members = ProviderUnavailableMembers
      self = .providerUnavailable(
        message: try object.required(Members.message),
        retryAfter: try object.optional(Members.retryAfter),
        offline: try object.optional(Members.offline),
        // If only a newer engine knows the reason, the message says enough.
        reason: try object.optional(Members.reason).flatMap(UnavailableReason.init(named:)),
        status: try object.optional(Members.status)
      )
    case .providerRefused:
      self = .providerRefused(
        status: try object.required(ProviderRefusedMembers.status),
        message: try object.required(ProviderRefusedMembers.message),
        details: try VaultRefusalDetails(decoding: object)
      )
    case .misconfigured:
      self = .misconfigured(message: try object.required(MisconfiguredMembers.message))
    case .vaultUnsafe:
      self = .vaultUnsafe(
        message: try object.required(VaultUnsafeMembers.message),
        hint: try object.optional(VaultUnsafeMembers.hint)
      )
    case .refused:
      let message = try object.required(RefusedMembers.message)
      let mayNarrow = try object.optional(RefusedMembers.narrows) == true
      self = mayNarrow ? .mayNarrow(message: message) : .refused(message: message)
    case .internal: self = .internal(message: try object.required(InternalMembers.message))
    }
  }

  /// The reply that carries this error.
  package var reply: VarlinkReply {
    get throws(MessageError) {
      let parameters: JSONObject
      if case .presenceNeeded(let request) = self {
        parameters = try request.encoded
      } else {
        parameters = try .wire(members)
      }
      return VarlinkReply(parameters: parameters, error: Self.prefix + name)
    }
  }

  /// The error's own text; `nil` if it has none.
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
  public var name: String { wireName.rawValue }

  private var wireName: VaultErrorName {
    switch self {
    case .presenceNeeded: .presenceNeeded
    case .presenceFailed: .presenceFailed
    case .busy: .busy
    case .noSuchAccount: .noSuchAccount
    case .noSuchUser: .noSuchUser
    case .noSuchFinger: .noSuchFinger
    case .invalidArgument: .invalidArgument
    case .loginRequired: .loginRequired
    case .providerUnavailable: .providerUnavailable
    case .providerRefused: .providerRefused
    case .misconfigured: .misconfigured
    case .vaultUnsafe: .vaultUnsafe
    case .refused, .mayNarrow: .refused
    case .internal: .internal
    }
  }

  private var members: [WireMember] {
    switch self {
    // This error has a record of its own.
    case .presenceNeeded: []
    case .presenceFailed(let outcome, let message, let methods):
      [
        PresenceFailedMembers.outcome(outcome), PresenceFailedMembers.message(message),
        PresenceFailedMembers.methods(methods),
      ]
    case .busy(let message, let retryAfter):
      [BusyMembers.message(message), BusyMembers.retryAfter(retryAfter)]
    case .noSuchAccount(let account): [NoSuchAccountMembers.account(account)]
    case .noSuchUser(let user): [NoSuchUserMembers.user(user)]
    case .noSuchFinger(let finger): [NoSuchFingerMembers.finger(finger)]
    case .invalidArgument(let message): [InvalidArgumentMembers.message(message)]
    case .loginRequired(let account, let message):
      [LoginRequiredMembers.account(account), LoginRequiredMembers.message(message)]
    case .providerUnavailable(let message, let retryAfter, let offline, let reason, let status):
      [
        ProviderUnavailableMembers.message(message),
        ProviderUnavailableMembers.retryAfter(retryAfter),
        ProviderUnavailableMembers.offline(offline),
        ProviderUnavailableMembers.reason(reason?.rawValue),
        ProviderUnavailableMembers.status(status),
      ]
    case .providerRefused(let status, let message, let details):
      [
        ProviderRefusedMembers.status(status), ProviderRefusedMembers.message(message),
        ProviderRefusedMembers.reason(details.reason?.rawValue),
        ProviderRefusedMembers.fields(details.fields.isEmpty ? nil : details.fields),
      ]
    case .misconfigured(let message): [MisconfiguredMembers.message(message)]
    case .vaultUnsafe(let message, let hint):
      [VaultUnsafeMembers.message(message), VaultUnsafeMembers.hint(hint)]
    case .refused(let message): [RefusedMembers.message(message)]
    case .mayNarrow(let message): [RefusedMembers.message(message), RefusedMembers.narrows(true)]
    case .internal(let message): [InternalMembers.message(message)]
    }
  }
}
