/// A user's own rules for their vault, in addition to the machine's policy.
///
/// They can tighten the policy but never loosen it: `Policy.tightened(by:)`.
package struct UserRules: Sendable, Equatable {
  /// The check for a remote caller; `nil` to follow the machine's policy.
  package let remote: Policy.Remote?
  /// The callers whose prompts are shown at the desktop; `nil` to follow the machine's policy.
  package let desktop: Policy.Desktop?
  /// The uses that the desktop shows afterwards; `nil` to follow the machine's policy.
  package let notify: Policy.Notify?
  /// What a security key must prove; `nil` to follow the machine's policy.
  package let key: Policy.SecurityKey?
  /// The accounts with presence protection; `nil` to follow the machine's policy.
  package let presence: Policy.Presence?
  /// Where the user may sign in; `nil` to follow the machine's policy.
  package let providers: AllowedProviders?
  /// Whether a refresh token may leave the vault; `nil` to follow the machine's policy.
  package let exportable: Policy.Permission?
  /// How long the unlock window stays open after its last use, in minutes.
  package let window: Int?
  /// The longest that an unlock window stays open, in hours.
  package let windowLimit: Int?
  /// The user's rules for callers, sorted by name.
  package let callers: [NamedRule]

  private static let mostCallers = 64
  /// The most bytes of all rules.
  private static let longest = 16 * 1024

  package init() {
    remote = nil
    desktop = nil
    notify = nil
    key = nil
    presence = nil
    providers = nil
    exportable = nil
    window = nil
    windowLimit = nil
    callers = []
  }

  /// Reads only what `text` has written.
  package init(bytes: [UInt8]) throws(ConfigurationError) {
    guard bytes.count <= Self.longest else { throw ConfigurationError(.tooLarge(Self.longest)) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter)
    }
    let keyFile = try KeyFile(text: text, file: "own rules")
    guard !keyFile.sections.isEmpty else {
      throw ConfigurationError(.missingSection(Policy.section))
    }
    var settings: [String: String] = [:]
    var callers: [String: [String: String]] = [:]
    for section in keyFile.sections {
      if section.name == Policy.section {
        settings = section.values
      } else if section.name.hasPrefix(NamedRule.section) {
        callers[String(section.name.dropFirst(NamedRule.section.count))] = section.values
      } else {
        throw ConfigurationError(.unknownSection(section.name))
      }
    }
    try self.init(settings: settings, callers: callers)
    guard self.text == text else { throw ConfigurationError(.badLine) }
  }

  private init(
    settings: [String: String],
    callers: [String: [String: String]]
  ) throws(ConfigurationError) {
    var reader = ProviderSettings(settings)
    remote = try reader.takeOptional("remote", ProviderSettings.choice)
    desktop = try reader.takeOptional("desktop", ProviderSettings.choice)
    notify = try reader.takeOptional("notify", ProviderSettings.choice)
    key = try reader.takeOptional("key", ProviderSettings.choice)
    presence = try reader.takeOptional("presence", ProviderSettings.choice)
    providers = try reader.takeOptional("providers", AllowedProviders.init(parsing:))
    exportable = try reader.takeOptional("exportable", ProviderSettings.choice)
    window = try reader.takeOptional("window", Policy.number(Policy.windows))
    windowLimit = try reader.takeOptional("window-limit", Policy.number(Policy.windowLimits))
    try reader.finish()
    guard callers.count <= Self.mostCallers else {
      throw ConfigurationError(
        .badValue(text: nil, rule: "one of at most \(Self.mostCallers) rules for callers")
      )
    }
    self.callers = try callers.sorted { $0.key < $1.key }.map { rule throws(ConfigurationError) in
      try NamedRule(name: rule.key, settings: rule.value, isOwn: true)
    }
  }

  /// These rules with one value changed; `nil` removes it.
  ///
  /// - Throws: an error that names the key, for a value that a policy file could not have, and for
  ///   a key that belongs to the machine only.
  package func setting(
    _ key: Policy.Key,
    to value: String?
  ) throws(ConfigurationError) -> UserRules {
    var settings = settings
    settings[key.rawValue] = value
    return try Self.made(settings, callerSettings, after: key.rawValue)
  }

  /// These rules with one setting of a rule for callers changed; `nil` removes it, and the rule
  /// with its last setting.
  ///
  /// - Throws: an error that names the key, for a value that a policy file could not have.
  package func setting(
    _ key: CallerRuleKey,
    to value: String?
  ) throws(ConfigurationError) -> UserRules {
    var callers = callerSettings
    callers[key.rule, default: [:]][key.key] = value
    if callers[key.rule]?.isEmpty == true { callers[key.rule] = nil }
    return try Self.made(settings, callers, after: key.key)
  }

  /// Makes rules that can be read again: otherwise a change would make the store unreadable.
  private static func made(
    _ settings: [String: String],
    _ callers: [String: [String: String]],
    after key: String
  ) throws(ConfigurationError) -> UserRules {
    let rules = try UserRules(settings: settings, callers: callers)
    let text = rules.text
    guard text.utf8.count <= longest else {
      throw ConfigurationError(.tooLarge(longest), key: key)
    }
    guard text.isEmpty || (try? UserRules(bytes: Array(text.utf8))) == rules else {
      throw ConfigurationError(
        .badValue(text: nil, rule: "one line without spaces around it"),
        key: key
      )
    }
    return rules
  }

  private var settings: [String: String] {
    var settings: [String: String] = [:]
    for key in Policy.Key.allCases { settings[key.rawValue] = value(of: key) }
    return settings
  }

  private var callerSettings: [String: [String: String]] {
    Dictionary(uniqueKeysWithValues: callers.map { ($0.name, $0.settings) })
  }

  /// A setting of a rule for callers; `nil` if it is not set.
  package func value(of key: CallerRuleKey) -> String? {
    callers.first { $0.name == key.rule }?.settings[key.key]
  }

  /// The value of a rule in the spelling of a policy file; `nil` if it is not set.
  package func value(of key: Policy.Key) -> String? {
    switch key {
    case .remote: remote?.rawValue
    case .desktop: desktop?.rawValue
    case .notify: notify?.rawValue
    case .key: self.key?.rawValue
    case .presence: presence?.rawValue
    case .providers: providers?.text
    case .exportable: exportable?.rawValue
    case .window: window.map { "\($0)" }
    case .windowLimit: windowLimit.map { "\($0)" }
    case .privateVaults, .journal, .accounts, .store: nil
    }
  }

  /// The text for the store: a policy file of these rules; empty if no rule is set.
  package var text: String {
    let lines = Policy.Key.allCases.compactMap { key in
      value(of: key).map { "\(key.rawValue) = \($0)\n" }
    }
    let policy = lines.isEmpty ? "" : "[\(Policy.section)]\n" + lines.joined()
    return callers.reduce(into: policy) { text, rule in
      text += "[\(NamedRule.section)\(rule.name)]\n"
      for setting in rule.settings.sorted(by: { $0.key < $1.key }) {
        text += "\(setting.key) = \(setting.value)\n"
      }
    }
  }
}

/// The name of a setting of a rule for callers, such as `caller.ci.rate`.
package struct CallerRuleKey: Sendable, Equatable, CustomStringConvertible {
  private static let prefix = "caller."

  /// The name of the rule, which may hold dots.
  package let rule: String
  /// The key in the section of the rule, without a dot.
  package let key: String

  /// Reads a name; `nil` if it is not the name of such a setting.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), let dot = text.lastIndex(of: "."),
      dot >= text.index(text.startIndex, offsetBy: Self.prefix.count)
    else { return nil }
    rule = String(text[..<dot].dropFirst(Self.prefix.count))
    key = String(text[text.index(after: dot)...])
  }

  package init(rule: String, key: String) {
    self.rule = rule
    self.key = key
  }

  package var description: String { "\(Self.prefix)\(rule).\(key)" }
}
