internal import GTK
internal import PlainText
internal import VaultInterface

/// A setting of a rule for programs, in words that are safe to show.
struct CallerRuleWords: Equatable {
  /// Its key in a policy file.
  let key: String
  let title: String
  let text: String

  /// The settings of a rule in the order in which a person reads them: for which programs, then
  /// what these get.
  static func all(of settings: [String: String]) -> [CallerRuleWords] {
    let known = order.filter { settings[$0] != nil }
    let others = settings.keys.filter { !order.contains($0) }.sorted()
    return (known + others).map { CallerRuleWords($0, settings[$0] ?? "") }
  }

  /// Whether the settings say for which programs the rule holds.
  static func sayForWhom(_ settings: [String: String]) -> Bool {
    conditions.contains { settings[$0] != nil }
  }

  private static let conditions = ["unit", "user-unit", "sandbox", "socket"]
  private static let order =
    conditions + [
      "accounts", "scopes", "audiences", "lifetime", "presence", "reason", "rate", "desktop",
    ]

  private init(_ key: String, _ value: String) {
    let line = PlainText.line(value, limit: 300)
    let list = line.split(separator: " ").joined(separator: ", ")
    self.key = key
    (title, text) =
      switch key {
      case "unit": (tr("Holds for"), tr("Programs of the system’s unit %s", line))
      case "user-unit": (tr("Holds for"), tr("Programs of your unit %s", line))
      case "sandbox": (tr("Holds for"), tr("Programs in a sandbox"))
      case "socket": (tr("Holds for"), tr("Programs behind the restricted socket %s", line))
      case "accounts": (tr("Accounts"), list)
      case "scopes": (tr("Scopes"), list)
      case "audiences": (tr("Audiences"), list)
      case "lifetime":
        (
          tr("Longest remaining life of a token"),
          Int(value).map { ntr("%d minute", "%d minutes", $0) } ?? line
        )
      case "presence": (tr("Presence checks"), Self.presence(value) ?? list)
      case "reason": (tr("Reason"), tr("Each call must state one. It is not verified."))
      case "rate":
        (
          tr("Tokens"),
          Int(value).map { ntr("%d token in an hour", "%d tokens in an hour", $0) } ?? line
        )
      case "desktop": (tr("Prompts at the desktop"), Self.desktop(value) ?? line)
      default: (PlainText.line(key, limit: 64), line)
      }
  }

  private static func presence(_ value: String) -> String? {
    switch value {
    case "window": tr("As for other programs")
    case "each": tr("Each token needs a check of its own")
    case "never-ask": tr("No prompt is shown: a token that needs a check is refused")
    default: nil
    }
  }

  private static func desktop(_ value: String) -> String? {
    switch value {
    case "off": tr("None")
    case "session": tr("Of programs of this session")
    case "user": tr("Of all of your programs")
    default: nil
    }
  }
}

extension TestRuleReply {
  /// Which rules hold, and why.
  var words: String {
    let held = zip(rules, because).map { rule, reason in
      "\(PlainText.line(rule, limit: 64)) (\(PlainText.line(reason, limit: 300)))"
    }
    return held.isEmpty
      ? tr("No rule. It gets what other programs get.") : held.joined(separator: ", ")
  }

  /// The units that a process is in, and whether a sandbox marks it.
  var location: String {
    let units = [
      unit.map { tr("the system’s unit %s", PlainText.line($0, limit: 300)) },
      userUnit.map { tr("your unit %s", PlainText.line($0, limit: 300)) },
      sandboxed ? tr("a sandbox") : nil,
    ].compactMap(\.self)
    return units.isEmpty ? tr("No unit and no sandbox") : units.joined(separator: ", ")
  }
}
