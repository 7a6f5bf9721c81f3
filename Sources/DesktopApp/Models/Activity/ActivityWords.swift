internal import GTK
internal import PlainText
internal import PresenceTerms
internal import VaultInterface

/// A record of the audit log in words that are safe to show.
struct ActivityWords {
  let record: VaultAuditRecord

  /// The most characters of a text from outside.
  private static let mostCharacters = 300

  private static func line(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return PlainText.line(text, limit: mostCharacters)
  }

  /// What was tried, and how it ended.
  var title: String { "\(event), \(outcome)" }

  /// The account, the time, the program, the check and more about the event.
  var text: String {
    let first = [Self.line(record.account), LocalTime.text(record.time)]
    let program = Self.line(record.requester).map { tr("Requested by %s", RequesterWords.text($0)) }
    let check = check.map { tr("Checked by %s", $0) }
    let reason = parts.reason.map { tr("Stated reason, not verified: “%s”", $0) }
    let detail = parts.detail.map { tr("Details: %s", AuditDetailWords.text($0, of: record)) }
    return [first.compactMap(\.self).joined(separator: " · "), program, check, reason, detail]
      .compactMap(\.self).joined(separator: "\n")
  }

  var icon: String {
    switch ActivityFilter.Outcome(of: record.outcome) {
    case .failed: return "dialog-warning-symbolic"
    case .done: break
    }
    return switch ActivityFilter.Kind(of: record.event) {
    case .tokens: "dialog-password-symbolic"
    case .signIns: "avatar-default-symbolic"
    case .checks: "changes-prevent-symbolic"
    case .devices: "auth-fingerprint-symbolic"
    case .changes: "emblem-system-symbolic"
    }
  }

  private var check: String? {
    guard let method = record.method, !method.isEmpty else { return nil }
    return Self.method(method) ?? Self.line(method)
  }

  /// How presence was shown, in words; `nil` if that is not known here.
  static func method(_ name: String) -> String? {
    if let method = PresenceMethod(named: name) { return methods[method] ?? method.name }
    return name == "unlock-window" ? tr("the open unlock window") : nil
  }

  /// The methods in the person's language; a method that is not here has its own words.
  private static let methods: [PresenceMethod: String] = [
    .fingerprint: tr("fingerprint"), .key: tr("security key"), .password: tr("system password"),
  ]

  /// The reason that the program stated, and what else the detail says, such as the rule.
  ///
  /// The vault has replaced quotation marks in the reason.
  private var parts: (reason: String?, detail: String?) {
    // Not translated: the vault writes so.
    let begin = "stated reason \""
    guard let detail = record.detail, let start = detail.firstRange(of: begin),
      let end = detail[start.upperBound...].firstIndex(of: "\"")
    else { return (nil, Self.line(record.detail)) }
    let separators: Set<Character> = [",", " "]
    let before = detail[..<start.lowerBound].reversed().drop(while: separators.contains)
    let after = detail[detail.index(after: end)...].drop(while: separators.contains)
    let rest = [String(before.reversed()), String(after)].filter { !$0.isEmpty }
    return (
      Self.line(String(detail[start.upperBound..<end])),
      Self.line(rest.joined(separator: ", "))
    )
  }

  private var outcome: String {
    switch record.outcome {
    case "begun": tr("begun")
    case "done": tr("done")
    case "failed": tr("failed")
    case "refused": tr("refused")
    default: PlainText.line(record.outcome, limit: 40)
    }
  }

  private var event: String {
    switch record.event {
    case "login": tr("Sign-in")
    case "registration": tr("Registration")
    case "login-imported": tr("Import of a login")
    case "secret-stored": tr("Stored secret")
    case "refresh": tr("Token refresh")
    case "token-rejected": tr("Rejected token")
    case "access-token": tr("Access token")
    case "presence-check": tr("Presence check")
    case "protection": tr("Change of presence protection")
    case "unlock": tr("Unlock")
    case "lock": tr("Lock")
    case "enrollment": tr("Finger enrollment")
    case "finger-deletion": tr("Finger deletion")
    case "key-enrollment": tr("Security key enrollment")
    case "key-removal": tr("Security key removal")
    case "fingers-changed": tr("Changed fingers")
    case "logout": tr("Sign-out")
    case "refusal": tr("Refusal")
    case "release": tr("Release of a refresh token")
    case "rekey": tr("New device secret")
    case "store-recovered": tr("Recovery of the vault")
    case "audit-pruning": tr("Removal of old records")
    case "account-renamed": tr("Rename of an account")
    case "account-default": tr("Change of the default account")
    case "account-removed": tr("Removal of an account")
    case "provider-applied": tr("Change of a provider")
    case "policy-changed": tr("Change of a rule")
    case "machine-key": tr("Machine key")
    case "backup": tr("Backup")
    case "account-restored": tr("Restored account")
    case "account-moved": tr("Moved account")
    default: other
    }
  }

  /// An event of a later version.
  private var other: String {
    let words = PlainText.line(record.event, limit: 40).replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

extension VerifyAuditReply {
  /// Whether the audit log is whole, or its first bad record.
  var words: String {
    guard !whole else {
      return records == 0
        ? tr("The audit log is whole: no record yet.")
        : ntr("The audit log is whole: %d record.", "The audit log is whole: %d records.", records)
    }
    return tr("The audit log is not whole: %s.", flaw) + " "
      + tr("Another program has changed it. Do not trust that record and later ones.")
  }

  private var flaw: String {
    let number = "\(bad ?? 0)"
    let time = badTime.map { " (\(LocalTime.text($0)))" } ?? ""
    let record = number + time
    return switch problem {
    case "altered": tr("record %s was altered", record)
    case "dropped": tr("record %s was removed", number)
    case "reordered": tr("record %s was reordered: another record stands in its place", record)
    case "truncated": tr("record %s and all later ones are missing", number)
    case "duplicated": tr("record %s is a duplicate", record)
    case "added": tr("record %s was added by another program", record)
    case "head": tr("its end does not match its head from record %s on", number)
    case "checkpoint": tr("the checkpoint before record %s is not the one that was written", record)
    default: tr("record %s has an error that this version cannot name", record)
    }
  }
}

extension ActivityFilter.Kind {
  var words: String {
    switch self {
    case .tokens: tr("Tokens")
    case .signIns: tr("Sign-ins")
    case .checks: tr("Presence checks")
    case .devices: tr("Fingers and keys")
    case .changes: tr("Changes")
    }
  }
}

extension ActivityFilter.Outcome {
  var words: String {
    switch self {
    case .done: tr("Done")
    case .failed: tr("Failed or refused")
    }
  }
}

extension ActivityFilter.Span {
  var words: String {
    switch self {
    case .hour: tr("Last hour")
    case .day: tr("Last 24 hours")
    case .week: tr("Last 7 days")
    case .month: tr("Last 30 days")
    }
  }
}
