public import JSON

/// One record of the audit trail.
public struct VaultAuditRecord: VarlinkRecord, WireValue, Equatable {
  /// Its number in the chain.
  public var number: Int
  /// When, in seconds since 1970.
  public var time: Int
  /// What was tried.
  public var event: String
  /// How it ended.
  public var outcome: String
  /// The account.
  public var account: String?
  /// How presence was shown.
  public var method: String?
  /// Who asked.
  public var requester: String?
  /// More of it, never a secret.
  public var detail: String?

  /// Of these parts.
  public init(
    number: Int,
    time: Int,
    event: String,
    outcome: String,
    account: String? = nil,
    method: String? = nil,
    requester: String? = nil,
    detail: String? = nil
  ) {
    self.number = number
    self.time = time
    self.event = event
    self.outcome = outcome
    self.account = account
    self.method = method
    self.requester = requester
    self.detail = detail
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    number = try object.required("number")
    time = try object.required("time")
    event = try object.required("event")
    outcome = try object.required("outcome")
    account = try object.optional("account")
    method = try object.optional("method")
    requester = try object.optional("requester")
    detail = try object.optional("detail")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "number": number,
        "time": time,
        "event": event,
        "outcome": outcome,
        "account": account,
        "method": method,
        "requester": requester,
        "detail": detail,
      ])
    }
  }
}

/// Asks for the audit trail, oldest first, with `more`.
public struct AuditCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = AuditReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Audit"

  /// Of one account only.
  public var account: String?
  /// From this time on, in seconds since 1970.
  public var since: Int?

  /// Of these parts.
  public init(account: String? = nil, since: Int? = nil) {
    self.account = account
    self.since = since
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    since = try object.optional("since")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "since": since]) }
  }
}

/// One record.
public struct AuditReply: VarlinkRecord, Equatable {
  /// The record, or nil where there is none at all.
  public var record: VaultAuditRecord?

  /// Of these parts.
  public init(record: VaultAuditRecord? = nil) {
    self.record = record
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    record = try object.optional("record")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["record": record]) }
  }
}
