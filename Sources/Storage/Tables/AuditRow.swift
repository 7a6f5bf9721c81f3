/// One record of the audit log.
public struct AuditRow: Sendable, Equatable {
  /// Its number in the chain, from 1.
  public var number: Int64
  /// When the event happened, in seconds since 1970.
  public var time: Int64
  /// The id of the user whose vault the record is about.
  public var owner: UInt32
  /// The event, such as `refresh`.
  public var event: String
  /// The outcome, such as `done` or `refused`.
  public var outcome: String
  /// The account's sixteen bytes, kept after the account is deleted.
  public var accountID: [UInt8]?
  /// The account's name at that time.
  public var account: String?
  /// The method of the presence check, such as `fingerprint`.
  public var method: String?
  /// The caller, as a prompt shows it.
  public var requester: String?
  /// Details, such as the reason of a refusal; never a secret.
  public var detail: String?
  /// The authentication code over this record and the previous one: 32 bytes.
  public var mac: [UInt8]

  /// Makes a row.
  public init(
    number: Int64,
    time: Int64,
    owner: UInt32,
    event: String,
    outcome: String,
    accountID: [UInt8]? = nil,
    account: String? = nil,
    method: String? = nil,
    requester: String? = nil,
    detail: String? = nil,
    mac: [UInt8]
  ) {
    self.number = number
    self.time = time
    self.owner = owner
    self.event = event
    self.outcome = outcome
    self.accountID = accountID
    self.account = account
    self.method = method
    self.requester = requester
    self.detail = detail
    self.mac = mac
  }
}
