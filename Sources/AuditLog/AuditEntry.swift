/// The events of the audit log, by name; the names are stable, because programs read them.
package enum AuditEvent: String, Sendable {
  case login
  case registration
  case imported = "login-imported"
  case secretStored = "secret-stored"
  case refresh
  case rejected = "token-rejected"
  case accessToken = "access-token"
  case check = "presence-check"
  case protection
  case unlock
  case lock
  case enrollment
  case fingerDeletion = "finger-deletion"
  case keyEnrollment = "key-enrollment"
  case keyRemoval = "key-removal"
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
  case machineKey = "machine-key"
  case backup
  case restored = "account-restored"
  case moved = "account-moved"
}

/// The result of an event.
package enum AuditOutcome: String, Sendable {
  case begun
  case done
  case failed
  case refused
}

/// One record of the audit log, before it is numbered and chained.
package struct AuditEntry {
  package let event: AuditEvent
  package let outcome: AuditOutcome
  package var account: (identifier: [UInt8], name: String)?
  package var method: String?
  package var requester: String?
  package var detail: String?

  /// Creates an entry without an account, a method, a caller or a detail.
  package init(event: AuditEvent, outcome: AuditOutcome) {
    self.event = event
    self.outcome = outcome
  }

  /// The entry with texts that fit the store and a terminal.
  ///
  /// A helper's long message must not prevent the writing of a record, nor write more than one
  /// line. `detail` is the limit of the text that a person agreed to, which is kept whole.
  package func bounded(detail most: Int) -> AuditEntry {
    var entry = self
    entry.requester = requester.map { Self.bounded($0, most: 256) }
    entry.detail = detail.map { Self.bounded($0, most: most) }
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
