public import JSON

/// What to show before a presence check, and how it may be passed.
///
/// The prompt is valid on its connection, for `timeout` seconds.
public struct PresenceRequest: VarlinkRecord, Equatable {
  /// What to run the check with.
  public var prompt: String
  /// Who asks, as the person is to see it.
  public var requester: String
  /// For which account.
  public var account: String?
  /// What it is for.
  public var purpose: PresencePurpose
  /// Which finger, or which accounts for how long.
  public var detail: String?
  /// How it may be passed.
  public var methods: [PresenceMethod]
  /// For how many seconds the prompt is valid.
  public var timeout: Int
  /// Why the password is needed where a finger would do else.
  public var reason: String?
  /// How the reader that was used last wants to be touched.
  public var scan: ScanType?

  /// Of these parts.
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

  /// Reads the members.
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

  /// The members as JSON.
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
