/// What a program that acts alone may get, besides what the policy says of all callers.
package struct CallerRule: Sendable, Equatable {
  /// When an access token needs a presence check.
  package enum Presence: String, Sendable, CaseIterable {
    /// As for other callers: a stored token needs none, and an unlock window counts.
    case window
    /// Each token needs a check of its own.
    case each
  }

  /// The most characters of a stated reason.
  package static let longestReason = 200

  /// What it is called in prompts, in messages and in the audit log, such as
  /// `restricted socket "build"`.
  package let title: String
  /// The accounts; `nil` for any.
  package let accounts: Set<String>?
  /// The scopes that may be asked for; `nil` for any.
  package let scopes: [String]?
  package let presence: Presence

  package init(
    title: String,
    accounts: Set<String>? = nil,
    scopes: [String]? = nil,
    presence: Presence = .window
  ) {
    self.title = title
    self.accounts = accounts
    self.scopes = scopes
    self.presence = presence
  }

  /// The rule of a restricted socket.
  ///
  /// - Throws: an error that names what is wrong.
  package init(
    socket name: String,
    accounts: [String],
    scope: String?
  ) throws(ConfigurationError) {
    let name = try AccountName(name).text
    guard !accounts.isEmpty else {
      throw ConfigurationError(.badValue(text: nil, rule: "at least one account"), key: "accounts")
    }
    for account in accounts { _ = try AccountName(account) }
    let scopes = try scope.map { text throws(ConfigurationError) in
      guard let scopes = ScopeList.scopes(in: text), !scopes.isEmpty else {
        throw ConfigurationError(
          .badValue(text: text, rule: "scopes, separated by spaces"),
          key: "scope"
        )
      }
      return scopes
    }
    self.init(
      title: "restricted socket \"\(name)\"",
      accounts: Set(accounts),
      scopes: scopes,
      presence: .each
    )
  }
}
