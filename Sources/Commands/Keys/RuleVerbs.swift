internal import Configuration
internal import JSON
internal import VaultInterface

/// `rule list`, `rule test`.
enum RuleVerbs {
  static let all = [list, test]

  private static let details = """
    A rule says what the programs of a unit, of a sandbox or behind a restricted socket may get: \
    see thumblatch.conf(5). The administrator writes rules in that file. You can add your own, \
    which tighten what your programs get: "thumblatch policy caller.NAME.KEY VALUE". Rules apply in \
    the service. In a private vault no rule applies, because its programs can read the vault's \
    files.
    """

  private static let privateNote = "a private vault has no rules for callers"

  static let list = Verb(
    "rule list",
    summary: "list the rules for unattended programs",
    details: details
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { _ in ListRulesCall() }
    let rules = reply.rules.map { rule -> JSONValue in
      .object([
        "name": .string(rule.name), "own": .boolean(rule.own),
        "settings": .object(object(rule.settings)),
      ])
    }
    let note = reply.file.map { "no rules for callers in \($0)" } ?? Self.privateNote
    for rule in reply.rules where rule.loosensDesktop {
      guard let unit = rule.settings["unit"].flatMap(UnitsOfUsers.first),
        let desktop = rule.settings["desktop"]
      else { continue }
      session.output.warn(
        "warning: rule \(rule.name): \(NamedRule.warning(ofUnit: unit, desktop: desktop))"
      )
    }
    try session.show(
      ["file": AccountText.optional(reply.file), "rules": .array(rules)],
      reply.rules.isEmpty ? note : table(reply.rules, columns: session.output.columns)
    )
  }

  static let test = Verb(
    "rule test",
    [Verb.Operand("PID-OR-UNIT", .one)],
    summary: "show which rules apply to a process or a unit, and why",
    details: "About rules: thumblatch rule list --help."
  ) { session throws(CommandError) in
    let word = session.arguments.operands[0]
    let process = Int(word)
    let reply = try session.call(within: Session.localLimit) { _ in
      TestRuleCall(process: process, unit: process == nil ? word : nil)
    }
    // Broken rules of the caller's own vault do not hide the answer.
    let rules = try? session.call(within: Session.localLimit) { _ in ListRulesCall() }
    try session.show(
      [
        "file": AccountText.optional(rules?.file),
        "unit": AccountText.optional(reply.unit),
        "user_unit": AccountText.optional(reply.userUnit),
        "sandboxed": .boolean(reply.sandboxed),
        "rules": .array(reply.rules.map { .string($0) }),
        "because": .array(reply.because.map { .string($0) }),
        "limits": .object(object(reply.limits)),
      ],
      text(
        reply,
        isProcess: process != nil,
        isPrivate: rules.map { $0.file == nil } ?? false,
        columns: session.output.columns
      )
    )
  }

  private static func table(_ rules: [VaultCallerRule], columns: Int?) -> String {
    var table = Table(headings: ["rule", "whose", "setting", "value"])
    for rule in rules {
      let settings = rule.settings.sorted { $0.key < $1.key }
      let first = settings.first.map { ($0.key, $0.value) } ?? ("-", "-")
      table.add(rule.name, rule.own ? "yours" : "machine", first.0, first.1)
      for setting in settings.dropFirst() { table.add("", "", setting.key, setting.value) }
    }
    return table.text(columns: columns)
  }

  private static func text(
    _ reply: TestRuleReply,
    isProcess: Bool,
    isPrivate: Bool,
    columns: Int?
  ) -> String {
    var table = Table(headings: ["", ""])
    if isProcess {
      table.add("unit:", reply.unit ?? "none")
      table.add("user's unit:", reply.userUnit ?? "none")
      table.add("sandbox:", reply.sandboxed ? "yes" : "no")
    }
    let rules = zip(reply.rules, reply.because).map { "\($0) (\($1))" }
    let none = isPrivate ? "none apply: \(privateNote)" : "none apply"
    table.add("rules:", rules.isEmpty ? none : rules.joined(separator: ", "))
    for limit in reply.limits.sorted(by: { $0.key < $1.key }) {
      table.add("\(limit.key):", limit.value)
    }
    return table.text(columns: columns)
  }

  private static func object(_ settings: [String: String]) -> JSONObject {
    JSONObject(settings.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }
}
