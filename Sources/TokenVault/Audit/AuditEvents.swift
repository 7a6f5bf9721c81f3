internal import Presence
internal import Storage

/// The events of the audit log, by name; the names are stable, because programs read them.
enum AuditEvent: String {
  case login
  case registration
  case refresh
  case rejected = "token-rejected"
  case check = "presence-check"
  case protection
  case unlock
  case lock
  case enrollment
  case fingerDeletion = "finger-deletion"
  case fingersChanged = "fingers-changed"
  case logout
  case refusal
  case release
  case rekey
  case recovery = "store-recovered"
  case pruning = "audit-pruning"
  case renamed = "account-renamed"
  case defaultAccount = "account-default"
  case removed = "account-removed"
  case providerApplied = "provider-applied"
  case policyChanged = "policy-changed"
}

/// The result of an event.
enum AuditOutcome: String {
  case begun
  case done
  case failed
  case refused
}

/// One record of the audit log, before it is numbered and chained.
struct AuditEntry {
  let event: AuditEvent
  let outcome: AuditOutcome
  var account: (identifier: [UInt8], name: String)?
  var method: String?
  var requester: String?
  var detail: String?

  /// The entry with texts that fit the store and a terminal.
  ///
  /// A helper's long message must not keep a record from being written, nor write more than its
  /// line.
  var bounded: AuditEntry {
    var entry = self
    entry.requester = requester.map { Self.bounded($0, most: 256) }
    // The text that a person agreed to is kept whole.
    entry.detail = detail.map { Self.bounded($0, most: PromptQuestion.longestDetail) }
    return entry
  }

  private static func bounded(_ text: String, most: Int) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        kept.append("?")
      default: kept.append(scalar)
      }
    }
    return String(kept)
  }
}

extension AuditEntry {
  init(
    _ event: AuditEvent,
    _ outcome: AuditOutcome,
    account: AccountRow?,
    caller: Caller,
    method: String? = nil,
    detail: String? = nil
  ) {
    self.event = event
    self.outcome = outcome
    self.account = account.map { ($0.id, $0.name) }
    self.method = method
    self.requester = caller.requester
    self.detail = detail
  }
}

extension Caller {
  /// The engine itself, when it finishes work that a caller left behind.
  static func engine(_ owner: UInt32) -> Caller {
    Caller(connection: 0, user: owner, requester: "thumblatchd")
  }
}
