/// A rule for callers in a policy file: a section `[Caller NAME]`.
package struct NamedRule: Sendable, Equatable {
  /// The callers that a rule holds for.
  package enum Match: Sendable, Equatable {
    /// The programs of a unit of the system's manager, such as `backup.service`.
    ///
    /// Users can put programs there only below `user.slice` and in units that run programs of
    /// users. The known ones are in `UnitsOfUsers`.
    case unit(String)
    /// The programs of a unit of a user's own manager, such as `app-code*.scope`.
    ///
    /// A star at the end stands for any characters, and one before the ending too.
    case userUnit(String)
    /// The programs that a sandbox marks: no new privileges together with a filter of system calls
    /// (proc_pid_status(5)), or a user namespace of their own.
    case sandbox
    /// The programs behind the restricted sockets of a name.
    case socket(String)
    /// Restricted sockets that name the rule.
    case onRequest
  }

  /// How the name of its section begins.
  static let section = "Caller "
  private static let rates = 1...3600
  private static let lifetimes = 1...10_080

  package let name: String
  package let match: Match
  package let rule: CallerRule
  /// Whether it is a user's own, and not the machine's.
  private let isOwn: Bool
  /// The settings as they are written, for people.
  package let settings: [String: String]

  /// Reads the settings of a section.
  ///
  /// - Throws: an error that names the key.
  init(
    name: String,
    settings: [String: String],
    isOwn: Bool = false
  ) throws(ConfigurationError) {
    self.name = try AccountName.checked(name, of: "rule")
    self.settings = settings
    var reader = ProviderSettings(settings)
    let matches = try [
      reader.takeOptional("unit", Self.unit).map(Match.unit),
      reader.takeOptional("user-unit", Self.unit).map(Match.userUnit),
      reader.takeOptional("sandbox", Self.yes).map { _ in Match.sandbox },
      reader.takeOptional("socket", Self.socket).map(Match.socket),
    ].compactMap(\.self)
    guard matches.count <= 1 else {
      throw ConfigurationError(
        .badValue(text: nil, rule: "the only key of unit, user-unit, sandbox and socket"),
        key: settings["unit"] == nil ? "user-unit" : "unit"
      )
    }
    match = matches.first ?? .onRequest
    var rule = CallerRule(title: "\(isOwn ? "user's " : "")rule \"\(self.name)\"")
    rule.accounts = try reader.takeOptional("accounts", Self.accounts)
    rule.scopes = try reader.takeOptional("scopes", CallerRule.scopes)
    rule.audiences = try reader.takeOptional("audiences", Self.words)
    rule.longestLifetime = try reader.takeOptional("lifetime", Policy.number(Self.lifetimes))
      .map { Int64($0) * 60 }
    let presence: CallerRule.Presence? = try reader.takeOptional(
      "presence",
      ProviderSettings.choice
    )
    rule.needsOwnCheck = presence == .each
    rule.neverAsks = presence == .neverAsk
    rule.needsReason = try reader.takeOptional("reason", Self.required) != nil
    let rate = try reader.takeOptional("rate", Policy.number(Self.rates))
    rule.rates = rate.map { [.init(rule: rule.title, number: $0)] } ?? []
    rule.desktop = try reader.takeOptional("desktop", ProviderSettings.choice)
    self.isOwn = isOwn
    self.rule = rule
    try reader.finish()
  }

  /// The key that decides for whom it holds, as it is written.
  package var condition: String {
    switch match {
    case .unit(let name): "unit = \(name)"
    case .userUnit(let name): "user-unit = \(name)"
    case .sandbox: "sandbox = yes"
    case .socket(let name): "socket = \(name)"
    case .onRequest: "named by the socket"
    }
  }

  // MARK: Matching

  /// Whether the rule holds for a caller.
  package func matches(_ marks: CallerMarks) -> Bool {
    if marks.rule == name { return true }
    return switch match {
    case .unit(let name): marks.unit.map { Self.fits(name, $0) } ?? false
    case .userUnit(let name): marks.userUnit.map { Self.fits(name, $0) } ?? false
    case .sandbox: marks.isSandboxed
    case .socket(let name): marks.socket == name
    case .onRequest: false
    }
  }

  /// The rule as it holds for a caller; `nil` if it does not.
  ///
  /// Only a rule of the machine for a unit of the system loosens. Units below `user.slice`, such as
  /// `session-1.scope`, run any program of the user. So do `UnitsOfUsers` and perhaps others, which
  /// only the administrator can know. A restricted socket that names the rule can be made by any
  /// program of the user.
  fileprivate func rule(for marks: CallerMarks) -> CallerRule? {
    guard matches(marks) else { return nil }
    var rule = rule
    if case .unit(let name) = match, !isOwn, !marks.isInUserSlice, let unit = marks.unit,
      Self.fits(name, unit)
    {
      rule.loosensDesktop = rule.desktop != nil
    }
    return rule
  }

  /// Whether the rule lets more prompts be shown than `desktop` of a policy.
  package func loosens(_ desktop: Policy.Desktop) -> Bool {
    guard case .unit = match, !isOwn else { return false }
    return rule.desktop.map { $0 > desktop } ?? false
  }

  /// Whether a unit has a name, in which one star stands for any characters.
  static func fits(_ pattern: String, _ name: String) -> Bool {
    guard let ends = ends(of: pattern) else { return pattern == name }
    return name.utf8.count >= ends.first.utf8.count + ends.last.utf8.count
      && name.hasPrefix(ends.first) && name.hasSuffix(ends.last)
  }

  /// Whether there can be a unit that has both names.
  static func overlap(_ one: String, _ other: String) -> Bool {
    let (ends, others) = (Self.ends(of: one), Self.ends(of: other))
    guard let ends, let others else { return fits(one, other) || fits(other, one) }
    return (ends.first.hasPrefix(others.first) || others.first.hasPrefix(ends.first))
      && (ends.last.hasSuffix(others.last) || others.last.hasSuffix(ends.last))
  }

  /// The parts before and after the star of a pattern; `nil` if it has none.
  private static func ends(of pattern: String) -> (first: Substring, last: Substring)? {
    let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  // MARK: Reading

  private static func unit(_ text: String) throws(ConfigurationError) -> String {
    let kinds = [".service", ".scope"]
    guard kinds.contains(where: text.hasSuffix), text.utf8.count <= 255,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }),
      text.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= 1
    else {
      let rule = "the name of a unit that ends with .service or .scope, with one * at most"
      throw ConfigurationError(.badValue(text: text, rule: rule))
    }
    return text
  }

  private static func socket(_ text: String) throws(ConfigurationError) -> String {
    try AccountName.checked(text, of: "socket")
  }

  private static func yes(_ text: String) throws(ConfigurationError) -> String {
    guard text == "yes" else { throw ConfigurationError(.badValue(text: text, rule: "yes")) }
    return text
  }

  private static func required(_ text: String) throws(ConfigurationError) -> String {
    guard text == "required" else {
      throw ConfigurationError(.badValue(text: text, rule: "required"))
    }
    return text
  }

  private static func accounts(_ text: String) throws(ConfigurationError) -> Set<String> {
    try CallerRule.accounts(text.split(separator: " ").map(String.init))
  }

  private static func words(_ text: String) throws(ConfigurationError) -> Set<String> {
    let words = text.split(separator: " ").map(String.init)
    guard !words.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw ConfigurationError(.badValue(text: text, rule: "audiences, separated by spaces"))
    }
    return Set(words)
  }
}

/// The facts that decide which rules apply to a caller.
package struct CallerMarks: Sendable, Equatable {
  /// The marks that are read from the process of a caller.
  package struct OfProcess: OptionSet, Sendable {
    package static let unit = OfProcess(rawValue: 1)
    package static let sandbox = OfProcess(rawValue: 2)
    package static let all: OfProcess = [.unit, .sandbox]

    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// The unit of the system's manager; `nil` if the caller is in none.
  package var unit: String?
  /// Whether that unit is below `user.slice`, where each user runs any program.
  package var isInUserSlice = false
  /// The unit of its user's manager; `nil` if the caller is in none.
  package var userUnit: String?
  /// Whether a sandbox marks the process.
  package var isSandboxed = false
  /// The name of the restricted socket; `nil` if there is none.
  package var socket: String?
  /// The rule that the restricted socket names; `nil` if it names none.
  package var rule: String?

  package init() {}
}

extension [NamedRule] {
  /// The marks to read from the process of a caller, to know which rules hold.
  package var marksOfProcess: CallerMarks.OfProcess {
    var marks: CallerMarks.OfProcess = []
    for rule in self {
      switch rule.match {
      case .unit, .userUnit: marks.insert(.unit)
      case .sandbox: marks.insert(.sandbox)
      // Only a restricted connection has such a mark.
      case .socket, .onRequest: break
      }
    }
    return marks
  }

  /// The rule that holds for a caller; `nil` if none does.
  package func rule(for marks: CallerMarks) -> CallerRule? {
    var result: CallerRule?
    for rule in lazy.compactMap({ $0.rule(for: marks) }) {
      result = result.map { $0.tightened(by: rule) } ?? rule
    }
    return result
  }
}
