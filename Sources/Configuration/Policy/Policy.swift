/// The administrator's rules for all users of a machine: `/etc/thumblatch/thumblatch.conf`.
package struct Policy: Sendable, Equatable {
  /// How a remote caller may prove to be the user.
  package enum Remote: String, Sendable, CaseIterable {
    /// No check is made for a remote caller.
    case deny
    /// By the system password.
    case password
  }

  /// Which callers without a terminal have their prompts shown at the person's desktop.
  package enum Desktop: String, Sendable, CaseIterable, Comparable {
    /// None.
    case off
    /// Those of the desktop's own session.
    case session
    /// Also programs of the user that belong to no session, such as system units.
    case user

    package static func < (one: Desktop, other: Desktop) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// Which uses of accounts the person's desktop shows afterwards.
  package enum Notify: String, Sendable, CaseIterable, Comparable {
    /// None.
    case off
    /// Released refresh tokens, and accounts that need a login.
    case release
    /// Also each use of a protected account.
    case all

    package static func < (one: Notify, other: Notify) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// The proof that a security key must give in a presence check.
  package enum SecurityKey: String, Sendable, CaseIterable, Comparable {
    /// That it was touched.
    case touch
    /// Also that it has verified its person, by its PIN or by itself.
    case verify

    package static func < (one: SecurityKey, other: SecurityKey) -> Bool {
      one == .touch && other == .verify
    }
  }

  /// Which accounts have presence protection.
  package enum Presence: String, Sendable, CaseIterable, Comparable {
    /// Those of which the user wants it.
    case optional
    /// Each one, from its sign-in.
    case required

    package static func < (one: Presence, other: Presence) -> Bool {
      one == .optional && other == .required
    }
  }

  /// Whether something may be done at all.
  package enum Permission: String, Sendable, CaseIterable, Comparable {
    case never
    case allowed

    package static func < (one: Permission, other: Permission) -> Bool {
      one == .never && other == .allowed
    }
  }

  /// The accounts with presence protection.
  package var presence = Presence.optional
  /// Where users may sign in.
  package var providers = AllowedProviders.any
  /// Whether a refresh token may leave the vault.
  package var exportable = Permission.allowed
  /// Whether users may have vaults of their own beside the service.
  ///
  /// It is called `private` in the file.
  package var privateVaults = Permission.allowed
  /// Whether audit records go to the journal too.
  package var journal = true
  /// The check for a caller that is not at this machine.
  package var remote = Remote.password
  /// The callers whose prompts are shown at the desktop.
  package var desktop = Desktop.session
  /// The uses that the desktop shows afterwards.
  package var notify = Notify.release
  /// What a security key must prove.
  package var key = SecurityKey.touch
  package var accounts = 1000
  /// The most MiB of a user's store before it refuses new data.
  package var store = 64
  /// How long the unlock window stays open after its last use, in minutes.
  package var window = 10
  /// The longest that an unlock window stays open, in hours.
  package var windowLimit = 12
  /// The rules for some callers, in the order of the file.
  package var callers: [NamedRule] = []

  /// A rule, identified by its key in the file.
  package enum Key: String, Sendable, CaseIterable {
    case remote
    case desktop
    case notify
    case key
    case window
    case windowLimit = "window-limit"
    case presence
    case providers
    case exportable
    case privateVaults = "private"
    case journal
    case accounts
    case store

    /// Whether a user may set a stricter value for themselves.
    package var isForUsers: Bool {
      switch self {
      case .remote, .desktop, .notify, .key, .window, .windowLimit, .presence, .providers,
        .exportable:
        true
      case .privateVaults, .journal, .accounts, .store: false
      }
    }

    /// The unit of a duration, in seconds and by name; `nil` for other rules.
    package var unit: (seconds: Int64, name: String)? {
      switch self {
      case .window: (60, "minutes")
      case .windowLimit: (3600, "hours")
      case .remote, .desktop, .notify, .key, .presence, .providers, .exportable, .privateVaults,
        .journal, .accounts, .store:
        nil
      }
    }

    /// A value with its unit, for people.
    package func shown(_ value: String) -> String {
      switch self {
      case .remote, .desktop, .notify, .key, .presence, .providers, .exportable, .privateVaults,
        .journal, .accounts:
        value
      case .window: value + " min"
      case .windowLimit: value + " h"
      case .store: value + " MiB"
      }
    }
  }

  package static let file = "/etc/thumblatch/thumblatch.conf"
  static let section = "Policy"
  static let windows = 1...60
  static let windowLimits = 1...12

  package init() {}

  /// Reads a policy of one file: a section `[Policy]`, in which every key is optional, and sections
  /// `[Caller NAME]`.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - file: the name of the file in errors.
  /// - Throws: an error with file and line.
  package init(bytes: [UInt8], file: String) throws(ConfigurationError) {
    var files = PolicyFiles()
    try files.add(PolicyFiles.Source(file: file, bytes: bytes))
    self = try files.policy()
  }

  /// Reads the settings of a section.
  mutating func read(
    _ settings: [String: String],
    of section: String
  ) throws(ConfigurationError) {
    if section == Self.section {
      let callers = callers
      self = try Policy(settings: settings)
      self.callers = callers
    } else if section.hasPrefix(NamedRule.section) {
      let name = String(section.dropFirst(NamedRule.section.count))
      callers.append(try NamedRule(name: name, settings: settings))
    } else {
      throw ConfigurationError(.unknownSection(section))
    }
  }

  private init(settings: [String: String]) throws(ConfigurationError) {
    var reader = ProviderSettings(settings)
    remote = try reader.takeOptional("remote", ProviderSettings.choice) ?? remote
    desktop = try reader.takeOptional("desktop", ProviderSettings.choice) ?? desktop
    notify = try reader.takeOptional("notify", ProviderSettings.choice) ?? notify
    key = try reader.takeOptional("key", ProviderSettings.choice) ?? key
    presence = try reader.takeOptional("presence", ProviderSettings.choice) ?? presence
    providers = try reader.takeOptional("providers", AllowedProviders.init(parsing:)) ?? providers
    exportable = try reader.takeOptional("exportable", ProviderSettings.choice) ?? exportable
    privateVaults = try reader.takeOptional("private", ProviderSettings.choice) ?? privateVaults
    journal = try reader.takeOptional("journal", Self.yesOrNo) ?? journal
    accounts = try reader.takeOptional("accounts", Self.number(1...10_000)) ?? accounts
    store = try reader.takeOptional("store", Self.number(1...4096)) ?? store
    window = try reader.takeOptional("window", Self.number(Self.windows)) ?? window
    windowLimit =
      try reader.takeOptional("window-limit", Self.number(Self.windowLimits)) ?? windowLimit
    try reader.finish()
  }

  /// The value of a rule in the spelling of the file.
  package func value(of key: Key) -> String {
    switch key {
    case .remote: remote.rawValue
    case .desktop: desktop.rawValue
    case .notify: notify.rawValue
    case .key: self.key.rawValue
    case .presence: presence.rawValue
    case .providers: providers.text
    case .exportable: exportable.rawValue
    case .privateVaults: privateVaults.rawValue
    case .journal: journal ? "yes" : "no"
    case .window: "\(window)"
    case .windowLimit: "\(windowLimit)"
    case .accounts: "\(accounts)"
    case .store: "\(store)"
    }
  }

  /// Which prompts of a caller under a rule the desktop shows.
  ///
  /// The user's own rules tighten in each case.
  package func desktop(for caller: CallerRule?, own: UserRules) -> Desktop {
    let machine =
      caller?.desktop.map { caller?.loosensDesktop == true ? $0 : min(desktop, $0) } ?? desktop
    return min(machine, own.desktop ?? machine)
  }

  /// The stricter value of each rule.
  package func tightened(by own: UserRules) -> Policy {
    var policy = self
    if own.remote == .deny { policy.remote = .deny }
    policy.desktop = min(desktop, own.desktop ?? desktop)
    policy.notify = max(notify, own.notify ?? notify)
    policy.key = max(key, own.key ?? key)
    policy.presence = max(presence, own.presence ?? presence)
    policy.providers = own.providers.map(providers.both) ?? providers
    policy.exportable = min(exportable, own.exportable ?? exportable)
    policy.window = min(window, own.window ?? window)
    policy.windowLimit = min(windowLimit, own.windowLimit ?? windowLimit)
    return policy
  }

  private static func yesOrNo(_ text: String) throws(ConfigurationError) -> Bool {
    try ProviderSettings.truth(text, yes: "yes", no: "no")
  }

  /// Accepts decimal digits without a sign or a leading zero.
  static func number(_ range: ClosedRange<Int>) -> (String) throws(ConfigurationError) -> Int {
    { text throws(ConfigurationError) in
      guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        !text.hasPrefix("0"), let number = Int(text), range.contains(number)
      else {
        let rule = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        throw ConfigurationError(.badValue(text: text, rule: rule))
      }
      return number
    }
  }
}
