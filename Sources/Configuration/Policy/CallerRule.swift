/// The limits for a caller, in addition to the policy for all callers.
///
/// Of two rules the stricter limit holds. A rule only tightens, but for `desktop`.
package struct CallerRule: Sendable, Equatable {
  /// When an access token needs a presence check, as a policy file says it.
  enum Presence: String, CaseIterable {
    /// As for other callers: a stored token needs none, and an unlock window counts.
    case window
    /// Each token needs a check of its own.
    case each
    /// No prompt is shown: a call that needs a check is refused.
    case neverAsk = "never-ask"
  }

  /// How many tokens a rule gives in an hour.
  package struct Rate: Sendable, Equatable {
    /// The title of the rule that says so.
    package let rule: String
    package let number: Int

    package init(rule: String, number: Int) {
      self.rule = rule
      self.number = number
    }
  }

  /// The most characters of a stated reason.
  package static let longestReason = 200

  /// Its name in prompts, in messages and in the audit log, such as `rule "ci"`.
  package var title: String
  /// The accounts; `nil` for any.
  package var accounts: Set<String>?
  /// The scopes that may be asked for; `nil` for any.
  package var scopes: Set<String>?
  /// The audiences that may be asked for; `nil` for any.
  package var audiences: Set<String>?
  /// The longest life of a token that is handed out, in seconds; `nil` for any.
  package var longestLifetime: Int64?
  /// Whether each token needs a check of its own.
  package var needsOwnCheck = false
  /// Whether no prompt is shown.
  package var neverAsks = false
  /// Whether a call must state a reason.
  package var needsReason = false
  /// The numbers of tokens in an hour, one for each rule that has one.
  package var rates: [Rate] = []
  /// Which prompts of the callers the desktop shows; `nil` for those that the policy says.
  package var desktop: Policy.Desktop?
  /// Whether `desktop` holds also where the machine's policy is stricter.
  package var loosensDesktop = false

  package init(title: String) { self.title = title }

  /// The rule of a restricted socket, where each token needs a check of its own.
  ///
  /// - Throws: an error that names what is wrong.
  package init(
    socket name: String,
    accounts: [String],
    scope: String?
  ) throws(ConfigurationError) {
    self.init(title: "restricted socket \"\(try AccountName.checked(name, of: "socket"))\"")
    self.accounts = try Self.accounts(accounts)
    scopes = try scope.map(Self.scopes)
    needsOwnCheck = true
  }

  /// Both rules together.
  package func tightened(by other: CallerRule) -> CallerRule {
    var rule = self
    rule.title += ", " + other.title
    rule.accounts = Self.both(accounts, other.accounts)
    rule.scopes = Self.both(scopes, other.scopes)
    rule.audiences = Self.both(audiences, other.audiences)
    rule.longestLifetime = [longestLifetime, other.longestLifetime].compactMap(\.self).min()
    rule.needsOwnCheck = needsOwnCheck || other.needsOwnCheck
    rule.neverAsks = neverAsks || other.neverAsks
    rule.needsReason = needsReason || other.needsReason
    rule.rates += other.rates
    rule.desktop = [desktop, other.desktop].compactMap(\.self).min()
    rule.loosensDesktop = loosensDesktop || other.loosensDesktop
    return rule
  }

  private static func both(_ one: Set<String>?, _ other: Set<String>?) -> Set<String>? {
    guard let one, let other else { return one ?? other }
    return one.intersection(other)
  }

  /// The limits by the keys of a policy file.
  package var settings: [String: String] {
    var settings: [String: String] = [:]
    settings["accounts"] = accounts.map(Self.listed)
    settings["scopes"] = scopes.map(Self.listed)
    settings["audiences"] = audiences.map(Self.listed)
    settings["lifetime"] = longestLifetime.map { "\($0 / 60)" }
    let presence = [needsOwnCheck ? Presence.each : nil, neverAsks ? .neverAsk : nil]
    settings["presence"] = Self.listed(Set(presence.compactMap(\.self?.rawValue)))
    if settings["presence"] == "" { settings["presence"] = Presence.window.rawValue }
    settings["reason"] = needsReason ? "required" : nil
    settings["rate"] = rates.map(\.number).min().map { "\($0)" }
    settings["desktop"] = desktop?.rawValue
    return settings
  }

  /// Words as a policy file lists them.
  package static func listed(_ words: Set<String>) -> String {
    words.sorted().joined(separator: " ")
  }

  // MARK: Reading

  static func accounts(_ names: [String]) throws(ConfigurationError) -> Set<String> {
    guard !names.isEmpty else {
      throw ConfigurationError(.badValue(text: nil, rule: "at least one account"), key: "accounts")
    }
    for name in names { _ = try AccountName(name) }
    return Set(names)
  }

  static func scopes(_ text: String) throws(ConfigurationError) -> Set<String> {
    guard let scopes = ScopeList.scopes(in: text), !scopes.isEmpty else {
      throw ConfigurationError(
        .badValue(text: text, rule: "scopes, separated by spaces"),
        key: "scope"
      )
    }
    return Set(scopes)
  }
}
