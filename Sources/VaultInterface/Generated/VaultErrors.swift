// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
public import JSON
public import Varlink

/// The errors of `io.thumblatch.Vault`.
enum VaultErrorName: String, CaseIterable {
  /// A presence check is needed: show `requester`, `account` and `purpose`, then Check(prompt).
  /// The prompt is valid on this connection for `timeout` seconds. After a call with `ask` false it is
  /// empty, and no method can be tried.
  case presenceNeeded = "PresenceNeeded"
  /// The check did not pass.
  case presenceFailed = "PresenceFailed"
  /// Another request has what this one needs.
  case busy = "Busy"
  /// No account of this name.
  case noSuchAccount = "NoSuchAccount"
  /// No print of this finger.
  case noSuchFinger = "NoSuchFinger"
  /// No vault was made for this user.
  case noSuchUser = "NoSuchUser"
  /// An argument that no state of the vault would make valid.
  case invalidArgument = "InvalidArgument"
  /// Only a login helps.
  case loginRequired = "LoginRequired"
  /// Unreachable or failing: nothing is lost unless `reason` says so, try again later.
  case providerUnavailable = "ProviderUnavailable"
  /// The provider answered no: wrong password, e-mail taken, or another 4xx.
  case providerRefused = "ProviderRefused"
  /// The provider's configuration does not fit what it answers.
  case misconfigured = "Misconfigured"
  /// Damaged, newer, or unsafe permissions; nothing was changed.
  case vaultUnsafe = "VaultUnsafe"
  /// The caller may not.
  case refused = "Refused"
  /// A fault of the engine.
  case `internal` = "Internal"
}

/// A presence check is needed: show `requester`, `account` and `purpose`, then Check(prompt).
/// The prompt is valid on this connection for `timeout` seconds. After a call with `ask` false it is
/// empty, and no method can be tried.
public struct PresenceRequest: VarlinkRecord, Equatable {
  /// What to call Check with.
  public var prompt: String
  /// The program that asks, as the person is to see it.
  public var requester: String
  public var account: String?
  public var purpose: PresencePurpose
  /// Which finger, which accounts for how long, which provider: what the check allows, nothing else.
  public var detail: String?
  /// How the check may be passed.
  public var methods: [PresenceMethod]
  public var timeout: Int
  /// Why the password is needed where a finger would do else: show it.
  public var reason: String?
  /// How the reader that was used last wants to be touched.
  public var scan: ScanType?

  public init(
    prompt: String,
    requester: String,
    account: String? = nil,
    purpose: PresencePurpose,
    detail: String? = nil,
    methods: [PresenceMethod],
    timeout: Int,
    reason: String? = nil,
    scan: ScanType? = nil
  ) {
    self.prompt = prompt
    self.requester = requester
    self.account = account
    self.purpose = purpose
    self.detail = detail
    self.methods = methods
    self.timeout = timeout
    self.reason = reason
    self.scan = scan
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    requester = try object.required("requester")
    account = try object.optional("account")
    purpose = try object.required("purpose")
    detail = try object.optional("detail")
    methods = try object.required("methods")
    timeout = try object.required("timeout")
    reason = try object.optional("reason")
    scan = try object.optional("scan")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "requester": requester,
        "account": account,
        "purpose": purpose,
        "detail": detail,
        "methods": methods,
        "timeout": timeout,
        "reason": reason,
        "scan": scan,
      ])
    }
  }
}

/// The members of the error `PresenceFailed`.
enum PresenceFailedMembers {
  static var outcome: Member<PresenceOutcome> { Member("outcome") }
  static var message: Member<String> { Member("message") }
  /// Those that may still be tried with this prompt.
  static var methods: Member<[PresenceMethod]> { Member("methods") }
}

/// The members of the error `Busy`.
enum BusyMembers {
  static var message: Member<String> { Member("message") }
  /// Too many prompts were opened, and the next one may be after so many seconds.
  static var retryAfter: Member<Int> { Member("retry_after") }
}

/// The members of the error `NoSuchAccount`.
enum NoSuchAccountMembers {
  static var account: Member<String> { Member("account") }
}

/// The members of the error `NoSuchFinger`.
enum NoSuchFingerMembers {
  static var finger: Member<String> { Member("finger") }
}

/// The members of the error `NoSuchUser`.
enum NoSuchUserMembers {
  static var user: Member<String> { Member("user") }
}

/// The members of the error `InvalidArgument`.
enum InvalidArgumentMembers {
  static var message: Member<String> { Member("message") }
}

/// The members of the error `LoginRequired`.
enum LoginRequiredMembers {
  static var account: Member<String> { Member("account") }
  static var message: Member<String> { Member("message") }
}

/// The members of the error `ProviderUnavailable`.
enum ProviderUnavailableMembers {
  static var message: Member<String> { Member("message") }
  /// In seconds.
  static var retryAfter: Member<Int> { Member("retry_after") }
  /// No connection could be made, which says nothing of the provider.
  static var offline: Member<Bool> { Member("offline") }
  /// Where there is more to tell.
  static var reason: Member<String> { Member("reason") }
  /// The HTTP status of an answer that came.
  static var status: Member<Int> { Member("status") }
}

/// The members of the error `ProviderRefused`.
enum ProviderRefusedMembers {
  static var status: Member<Int> { Member("status") }
  static var message: Member<String> { Member("message") }
  /// If the answer says what was wrong with the input.
  static var reason: Member<String> { Member("reason") }
  /// What was wrong with which field, if the answer says so.
  static var fields: Member<[VaultFieldProblem]> { Member("fields") }
}

/// The members of the error `Misconfigured`.
enum MisconfiguredMembers {
  static var message: Member<String> { Member("message") }
}

/// The members of the error `VaultUnsafe`.
enum VaultUnsafeMembers {
  static var message: Member<String> { Member("message") }
  static var hint: Member<String> { Member("hint") }
}

/// The members of the error `Refused`.
enum RefusedMembers {
  static var message: Member<String> { Member("message") }
  /// A token for fewer scopes may narrow the login at its provider until a new login. The same call
  /// with `narrow` accepts that.
  static var narrows: Member<Bool> { Member("narrows") }
}

/// The members of the error `Internal`.
enum InternalMembers {
  static var message: Member<String> { Member("message") }
}
