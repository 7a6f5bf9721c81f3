/// What a user has laid down for their own vault, beside what the machine does for all.
///
/// It tightens, and never loosens: `Policy.tightened(by:)`.
public struct OwnRules: Sendable, Equatable {
  /// How a check is made for a caller who is not at this machine; nil: as the machine has it.
  public let remote: Policy.Remote?
  /// How long the unlock window stays open after its last use, in minutes.
  public let window: Int?
  /// The longest that an unlock window stays open, in hours.
  public let windowLimit: Int?

  /// None.
  public init() {
    remote = nil
    window = nil
    windowLimit = nil
  }

  /// Reads what `text` has written, and nothing else.
  public init(bytes: [UInt8]) throws(ConfigurationError) {
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
    window = try reader.takeOptional("window", Policy.number(Policy.windows))
    windowLimit = try reader.takeOptional("window-limit", Policy.number(Policy.windowLimits))
    try reader.finish()
  }

  /// These rules, with another value for one of them; nil gives it up.
  ///
  /// - Throws: an error that names the key, for a value that a policy file could not have either and
  ///   for a key that is the machine's alone.
  public func setting(
    _ key: Policy.Key,
    to value: String?
  ) throws(ConfigurationError) -> OwnRules {
    var settings: [String: String] = [:]
    for known in Policy.Key.allCases { settings[known.rawValue] = self.value(of: known) }
    settings[key.rawValue] = value
    return try OwnRules(settings: settings)
  }

  /// The value of a rule, as a policy file would have it; `nil` if there is none.
  public func value(of key: Policy.Key) -> String? {
    switch key {
    case .remote: remote?.rawValue
    case .window: window.map { "\($0)" }
    case .windowLimit: windowLimit.map { "\($0)" }
    case .accounts, .store: nil
    }
  }

  /// What stands in the store: a policy file of these rules; empty where there are none.
  public var text: String {
    let lines = Policy.Key.allCases.compactMap { key in
      value(of: key).map { "\(key.rawValue) = \($0)\n" }
    }
    return lines.isEmpty ? "" : "[\(Policy.section)]\n" + lines.joined()
  }
}
