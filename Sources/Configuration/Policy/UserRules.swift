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
  /// How long the unlock window stays open after its last use, in minutes.
  package let window: Int?
  /// The longest that an unlock window stays open, in hours.
  package let windowLimit: Int?

  package init() {
    remote = nil
    desktop = nil
    notify = nil
    window = nil
    windowLimit = nil
  }

  /// Reads only what `text` has written.
  package init(bytes: [UInt8]) throws(ConfigurationError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter)
    }
    let keyFile = try KeyFile(text: text, file: "own rules")
    try self.init(settings: try keyFile.only(Policy.section).values)
    guard self.text == text else { throw ConfigurationError(.badLine) }
  }

  private init(settings: [String: String]) throws(ConfigurationError) {
    var reader = ProviderSettings(settings)
    remote = try reader.takeOptional("remote", ProviderSettings.choice)
    desktop = try reader.takeOptional("desktop", ProviderSettings.choice)
    notify = try reader.takeOptional("notify", ProviderSettings.choice)
    window = try reader.takeOptional("window", Policy.number(Policy.windows))
    windowLimit = try reader.takeOptional("window-limit", Policy.number(Policy.windowLimits))
    try reader.finish()
  }

  /// These rules with one value changed; `nil` removes it.
  ///
  /// - Throws: an error that names the key, for a value that a policy file could not have, and for
  ///   a key that belongs to the machine only.
  package func setting(
    _ key: Policy.Key,
    to value: String?
  ) throws(ConfigurationError) -> UserRules {
    var settings: [String: String] = [:]
    for known in Policy.Key.allCases { settings[known.rawValue] = self.value(of: known) }
    settings[key.rawValue] = value
    return try UserRules(settings: settings)
  }

  /// The value of a rule in the spelling of a policy file; `nil` if it is not set.
  package func value(of key: Policy.Key) -> String? {
    switch key {
    case .remote: remote?.rawValue
    case .desktop: desktop?.rawValue
    case .notify: notify?.rawValue
    case .window: window.map { "\($0)" }
    case .windowLimit: windowLimit.map { "\($0)" }
    case .accounts, .store: nil
    }
  }

  /// The text for the store: a policy file of these rules; empty if no rule is set.
  package var text: String {
    let lines = Policy.Key.allCases.compactMap { key in
      value(of: key).map { "\(key.rawValue) = \($0)\n" }
    }
    return lines.isEmpty ? "" : "[\(Policy.section)]\n" + lines.joined()
  }
}
