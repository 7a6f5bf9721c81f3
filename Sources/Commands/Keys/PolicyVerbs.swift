internal import Configuration
internal import JSON
internal import VaultInterface

enum PolicyVerbs {
  static let all = [policy]

  /// The word that removes a user's own rule.
  private static let defaultWord = "default"

  /// The values that a shell can offer.
  private static let values = Verb.Candidates.following([
    ([Policy.Key.remote.rawValue], Policy.Remote.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.desktop.rawValue], Policy.Desktop.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.notify.rawValue], Policy.Notify.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.key.rawValue], Policy.SecurityKey.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.presence.rawValue], Policy.Presence.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.exportable.rawValue], Policy.Permission.allCases.map(\.rawValue) + [defaultWord]),
    ([Policy.Key.providers.rawValue], ["none", defaultWord]),
    ([Policy.Key.window.rawValue, Policy.Key.windowLimit.rawValue], [defaultWord]),
  ])

  static let policy = Verb(
    "policy",
    [
      Verb.Operand("RULE", .optional, offers: .words(Policy.Key.allCases.map(\.rawValue))),
      Verb.Operand("VALUE", .optional, offers: values),
    ],
    summary: "show the rules of the vault, or tighten one for yourself",
    details: """
      Without VALUE: the machine's value, your setting, and the value in effect, which is the \
      stricter one. With VALUE: your own rule from now on; "default" removes it. That needs the \
      system password, ends open prompts and locks the vault. A value that is laxer than the \
      machine's is refused.
      RULE is one of these; thumblatch.conf(5) describes their values:
      - remote: with deny, a person at another machine is not asked for the password
      - desktop: which programs without a terminal may show a prompt at your desktop
      - notify: what your desktop shows after a use or a release
      - key: with verify, a security key must check its PIN or your finger, not only a touch
      - presence: with required, each account is protected from its sign-in
      - providers: the names of the machine's providers where a sign-in is allowed, or none
      - exportable: with never, no refresh token leaves the vault
      - window: how long an unlock window stays open after its last use, such as 5m
      - window-limit: how long it stays open at most, such as 8h
      After remote deny, only a person at this machine can change that rule. In a private vault, \
      all callers have the same location, so remote and desktop have no effect. The machine's \
      rules are in /etc/thumblatch/thumblatch.conf and in conf.d beside it.
      caller.NAME.KEY is a setting of your own rule for unattended programs, such as \
      caller.boxes.sandbox with the value yes. See "thumblatch rule list --help".
      """
  ) { session throws(CommandError) in
    let operands = session.arguments.operands
    guard operands.count > 1 else {
      let reply = try session.call(within: Session.localLimit) { _ in GetPolicyCall() }
      return try show(reply, only: operands.first, session)
    }
    let key = operands[0]
    let value = operands[1] == defaultWord ? nil : try Self.value(operands[1], of: key)
    let reply = try session.call(within: Session.localLimit) { prompt in
      SetPolicyCall(key: key, value: value, prompt: prompt)
    }
    guard let rule = reply.rules.first(where: { $0.key == key }) else {
      throw CommandError(.bug, "the engine did not report the changed rule")
    }
    try session.report(
      ["changed": .boolean(reply.changed), "rule": .object(object(rule))],
      sentence(rule, changed: reply.changed)
    )
  }

  /// A value in the unit of its rule, because a duration has no unit on the wire.
  private static func value(_ text: String, of key: String) throws(CommandError) -> String {
    guard let unit = Policy.Key(rawValue: key)?.unit else { return text }
    guard let seconds = Durations.parse(text), seconds % unit.seconds == 0 else {
      throw .usage(
        "\(key) must be a duration in whole \(unit.name), not \"\(text)\"",
        hint: unit.seconds < 3600 ? "such as 15m or 1h" : "such as 2h or 12h"
      )
    }
    return "\(seconds / unit.seconds)"
  }

  private static func show(
    _ reply: GetPolicyReply,
    only key: String?,
    _ session: Session
  ) throws(CommandError) {
    let rules = reply.rules.filter { key == nil || $0.key == key }
    guard !rules.isEmpty else {
      throw .usage(
        "no such rule: \(key ?? "")",
        hint: "the rules are " + reply.rules.map(\.key).joined(separator: ", ")
      )
    }
    try session.show(
      [
        "file": AccountText.optional(reply.file),
        "rules": .array(rules.map { .object(object($0)) }),
      ],
      text(rules, file: reply.file, columns: session.output.columns)
    )
  }

  static func text(_ rules: [VaultRule], file: String?, columns: Int?) -> String {
    var table = Table(
      headings: ["rule", file == nil ? "default" : "machine", "your setting", "in effect"]
    )
    for rule in rules {
      table.add(
        rule.key,
        shown(rule, rule.machine),
        rule.own.map { shown(rule, $0) } ?? (rule.forUsers ? "-" : "set by the administrator"),
        rule.holds.map { shown(rule, $0) } ?? "no effect here"
      )
    }
    let text = table.text(columns: columns)
    guard let file else { return text }
    var note = Table(headings: ["", ""])
    note.add("machine:", file)
    for rule in rules {
      guard let location = rule.location else { continue }
      note.add("\(rule.key):", location)
    }
    return text + "\n\n" + note.text(columns: columns)
  }

  private static func sentence(_ rule: VaultRule, changed: Bool) -> String {
    let isOfCallers = rule.key.hasPrefix("caller.")
    if isOfCallers, rule.own != nil, rule.holds == nil {
      return "\(rule.key) is set; the rule applies only to restricted sockets that name it"
    }
    guard let value = rule.holds.map({ shown(rule, $0) }) ?? (isOfCallers ? "not set" : nil) else {
      return (changed ? "" : "no change: ") + "\(rule.key) has no effect in a private vault"
    }
    guard changed else { return "no change: \(rule.key) is \(value)" }
    let whose = rule.own == nil ? "your own rule is removed" : "your own rule"
    return "\(rule.key) is \(value) now (\(whose)); the vault is locked"
  }

  /// A value with its unit; unchanged if this program does not know the rule.
  private static func shown(_ rule: VaultRule, _ value: String) -> String {
    Policy.Key(rawValue: rule.key)?.shown(value) ?? value
  }

  private static func object(_ rule: VaultRule) -> JSONObject {
    [
      "key": .string(rule.key), "machine": json(rule.machine), "own": json(rule.own),
      "holds": json(rule.holds), "for_users": .boolean(rule.forUsers),
      "location": AccountText.optional(rule.location),
    ]
  }

  /// A value as a number if it is one: window in minutes, window-limit in hours, store in MiB.
  private static func json(_ value: String?) -> JSONValue {
    guard let value else { return .null }
    return Int64(value).map { .integer($0) } ?? .string(value)
  }
}
