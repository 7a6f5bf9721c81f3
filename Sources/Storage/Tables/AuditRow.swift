/// One record of the audit log.
package struct AuditRow: Sendable, Equatable {
  /// Its number in the chain, from 1.
  package var number: Int64
  /// When the event happened, in seconds since 1970.
  package var time: Int64
  /// The id of the user whose vault the record is about.
  package var owner: UInt32
  /// The event, such as `refresh`.
  package var event: String
  /// The outcome, such as `done` or `refused`.
  package var outcome: String
  /// The account's sixteen bytes, kept after the account is deleted.
  package var accountID: [UInt8]?
  /// The account's name at that time.
  package var account: String?
  /// The method of the presence check, such as `fingerprint`.
  package var method: String?
  /// The caller, as a prompt shows it.
  package var requester: String?
  /// Details, such as the reason of a refusal; never a secret.
  package var detail: String?
  /// The authentication code over this record and the previous one: 32 bytes.
  package var mac: [UInt8]
}

extension AuditRow {
  /// A record about the vault as a whole.
  package init(
    number: Int64,
    time: Int64,
    owner: UInt32,
    event: String,
    outcome: String,
    mac: [UInt8]
  ) {
    self.number = number
    self.time = time
    self.owner = owner
    self.event = event
    self.outcome = outcome
    self.mac = mac
  }
}
