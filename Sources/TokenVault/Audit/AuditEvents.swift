internal import AuditLog
internal import Presence
internal import PresenceTerms
internal import Storage

extension AuditEntry {
  /// An entry about an account, or about the vault as a whole, that a caller asked for.
  init(
    _ event: AuditEvent,
    _ outcome: AuditOutcome,
    account: AccountRow?,
    caller: Caller,
    method: String? = nil,
    detail: String? = nil
  ) {
    self.init(event: event, outcome: outcome)
    self.account = account.map { ($0.id, $0.name) }
    self.method = method
    self.requester = caller.requester
    self.detail =
      caller.statedReason == nil ? detail : Vault.withReason(detail, caller.statedReason)
  }
}

extension Vault {
  /// Writes a record of an event in the running transaction, as `record(_:)` does.
  func record(
    _ event: AuditEvent,
    _ outcome: AuditOutcome,
    _ account: AccountRow? = nil,
    by caller: Caller,
    method: String? = nil,
    detail: String? = nil
  ) throws(VaultFailure) {
    try record(
      AuditEntry(event, outcome, account: account, caller: caller, method: method, detail: detail)
    )
  }

  /// Writes a record of an event that the system password has allowed.
  func recordByPassword(
    _ event: AuditEvent,
    by caller: Caller,
    detail: String
  ) throws(VaultFailure) {
    try record(event, .done, by: caller, method: PresenceMethod.password.rawValue, detail: detail)
  }
}

extension Caller {
  /// The engine itself, when it finishes work that a caller left behind.
  package static func engine(_ owner: UInt32) -> Caller {
    Caller(connection: 0, user: owner, requester: "thumblatchd")
  }
}
