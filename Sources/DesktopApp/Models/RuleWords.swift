internal import PlainText
internal import VaultInterface

/// A rule of the vault in words that are safe to show, and the values that a person may set.
struct RuleWords {
  let rule: VaultRule

  /// A rule that this program knows.
  private struct Known {
    let title: String
    /// The values from the laxest to the strictest, with their words.
    var values: [(value: String, words: String)] = []
  }

  private var known: Known? { Self.known[rule.key] }

  var title: String { known?.title ?? PlainText.line(rule.key, limit: 64) }

  /// Whether it decides about anything here: a person's rule for callers has a place of its own.
  var isShown: Bool { rule.holds != nil && !rule.key.hasPrefix("caller.") }

  /// A value in words.
  func words(_ value: String) -> String {
    if let words = known?.values.first(where: { $0.value == value })?.words { return words }
    let line = PlainText.line(value, limit: 300)
    return switch rule.key {
    case "window": "\(line) minutes"
    case "window-limit": "\(line) hours"
    case "store": "\(line) MiB"
    default: line
    }
  }

  /// The values that the person may set: `nil` for no rule of their own, then the stricter ones.
  ///
  /// It is empty if the rule has no choice.
  var values: [String?] {
    guard rule.forUsers, let known, !known.values.isEmpty else { return [] }
    var stricter = known.values.map(\.value)
    if let limit = Int(rule.machine) {
      stricter.removeAll { Int($0).map { $0 >= limit } ?? true }
    } else if let position = stricter.firstIndex(of: rule.machine) {
      stricter.removeFirst(position + 1)
    } else {
      return []
    }
    // A value of the command line, or one from before the machine's became stricter.
    if let own = rule.own, !stricter.contains(own) { stricter.insert(own, at: 0) }
    return stricter.isEmpty ? [] : [nil] + stricter
  }

  /// A value that the person may set, in words.
  func choice(_ value: String?) -> String {
    if let value { return words(value) }
    let machine = words(rule.machine)
    return rule.location == nil ? "\(machine) (default)" : "\(machine) (administrator)"
  }

  /// The value that holds, and its origin, for a rule without a choice.
  var standing: String {
    let value = words(rule.holds ?? rule.machine)
    if let location = rule.location {
      return "\(value), set by the administrator in \(PlainText.line(location, limit: 300))"
    }
    return "\(value), by default"
  }

  private static let known: [String: Known] = [
    "notify": Known(
      title: "Notifications after a use",
      values: [
        ("off", "None"), ("release", "Releases and ended logins"), ("all", "Each protected use"),
      ]
    ),
    "window": Known(
      title: "Unlock window stays open after its last use",
      values: minutes.map { ("\($0)", $0 == 1 ? "1 minute" : "\($0) minutes") }
    ),
    "window-limit": Known(
      title: "Unlock window stays open at most",
      values: hours.map { ("\($0)", $0 == 1 ? "1 hour" : "\($0) hours") }
    ),
    "presence": Known(
      title: "Accounts with presence protection",
      values: [("optional", "As you choose"), ("required", "Each account")]
    ),
    "desktop": Known(
      title: "Prompts of programs without a terminal",
      values: [("user", "All of yours"), ("session", "Of this session"), ("off", "None")]
    ),
    "remote": Known(
      title: "Presence checks from other machines",
      values: [("password", "System password"), ("deny", "Not at all")]
    ),
    "key": Known(
      title: "What a security key checks",
      values: [("touch", "A touch"), ("verify", "PIN or finger")]
    ),
    "exportable": Known(
      title: "Export of refresh tokens",
      values: [("allowed", "Allowed"), ("never", "Never")]
    ),
    "providers": Known(title: "Providers for sign-ins"),
    "private": Known(
      title: "Vaults beside the service",
      values: [("allowed", "Allowed"), ("never", "Never")]
    ),
    "journal": Known(
      title: "Audit records in the journal",
      values: [("no", "Not written"), ("yes", "Written")]
    ),
    "accounts": Known(title: "Most accounts"),
    "store": Known(title: "Largest vault"),
  ]

  private static let minutes = [60, 30, 15, 10, 5, 2, 1]
  private static let hours = [12, 8, 4, 2, 1]

  /// The order on the page; other rules follow.
  static let order = [
    "notify", "window", "window-limit", "presence", "desktop", "remote", "key", "exportable",
    "providers", "private", "journal", "accounts", "store",
  ]
}
