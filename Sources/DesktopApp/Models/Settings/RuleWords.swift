internal import GTK
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
    case "window": tr("%s minutes", line)
    case "window-limit": tr("%s hours", line)
    case "store": tr("%s MiB", line)
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
    return rule.location == nil ? tr("%s (default)", machine) : tr("%s (administrator)", machine)
  }

  /// The value that holds, and its origin, for a rule without a choice.
  var valueInEffect: String {
    let value = words(rule.holds ?? rule.machine)
    if let location = rule.location {
      return tr(
        "%s, set by the administrator in %s",
        value,
        PlainText.line(location, limit: 300)
      )
    }
    return tr("%s, by default", value)
  }

  private static let known: [String: Known] = [
    "notify": Known(
      title: tr("Notifications after a use"),
      values: [
        ("off", tr("None")), ("release", tr("Releases and ended logins")),
        ("all", tr("Each protected use")),
      ]
    ),
    "window": Known(
      title: tr("Unlock window stays open after its last use"),
      values: minutes.map { ("\($0)", ntr("%d minute", "%d minutes", $0)) }
    ),
    "window-limit": Known(
      title: tr("Unlock window stays open at most"),
      values: hours.map { ("\($0)", ntr("%d hour", "%d hours", $0)) }
    ),
    "presence": Known(
      title: tr("Accounts with presence protection"),
      values: [("optional", tr("As you choose")), ("required", tr("Each account"))]
    ),
    "desktop": Known(
      title: tr("Prompts of programs without a terminal"),
      values: [
        ("user", tr("All of yours")), ("session", tr("Of this session")), ("off", tr("None")),
      ]
    ),
    "remote": Known(
      title: tr("Presence checks from other machines"),
      values: [("password", tr("System password")), ("deny", tr("Not at all"))]
    ),
    "key": Known(
      title: tr("What a security key checks"),
      values: [("touch", tr("A touch")), ("verify", tr("PIN or finger"))]
    ),
    "exportable": Known(
      title: tr("Export of refresh tokens"),
      values: [("allowed", tr("Allowed")), ("never", tr("Never"))]
    ),
    "providers": Known(title: tr("Providers for sign-ins")),
    "private": Known(
      title: tr("Vaults beside the service"),
      values: [("allowed", tr("Allowed")), ("never", tr("Never"))]
    ),
    "journal": Known(
      title: tr("Audit records in the journal"),
      values: [("no", tr("Not written")), ("yes", tr("Written"))]
    ),
    "accounts": Known(title: tr("Most accounts")),
    "store": Known(title: tr("Largest vault")),
  ]

  private static let minutes = [60, 30, 15, 10, 5, 2, 1]
  private static let hours = [12, 8, 4, 2, 1]

  /// The order on the page; other rules follow.
  static let order = [
    "notify", "window", "window-limit", "presence", "desktop", "remote", "key", "exportable",
    "providers", "private", "journal", "accounts", "store",
  ]
}
