/// The result of examining one thing.
package struct VaultFinding: Sendable, Equatable {
  /// The severity of a finding.
  package enum Level: Sendable, Equatable {
    case ok
    case warning
    case problem
  }

  /// The stable name of the examined thing.
  package let name: String
  /// The severity.
  package let level: Level
  /// The finding, in one clause.
  package let message: String
  /// The remedy; `nil` if none is needed.
  package let remedy: String?
  /// The remedy as a program can offer it; `nil` if it takes more than one act.
  package let action: Action?

  /// An act that a program can offer to its person.
  package enum Action: Sendable, Equatable {
    /// A sign-in to an account that is there.
    case signIn(String)
    /// Presence protection of an account.
    case protect(String)
    /// A command to run at a terminal.
    case run(String)
  }

  init(
    _ name: String,
    _ level: Level,
    _ message: String,
    remedy: String? = nil,
    action: Action? = nil
  ) {
    self.name = name
    self.level = level
    self.message = message
    self.remedy = remedy
    self.action = action
  }

  /// A thing that could not be examined, for this reason.
  init(_ name: String, notExamined failure: VaultFailure) {
    guard case .vaultUnsafe(let message, let hint) = failure else {
      self.init(name, .problem, "could not be examined: \(failure)")
      return
    }
    self.init(name, .problem, message, remedy: hint?.text)
  }
}

/// The findings about one thing, in their order.
struct Findings {
  let name: String
  private(set) var all: [VaultFinding] = []

  init(_ name: String) { self.name = name }

  mutating func ok(_ message: String) { note(.ok, message, nil, nil) }

  mutating func warning(
    _ message: String,
    remedy: String?,
    action: VaultFinding.Action? = nil
  ) {
    note(.warning, message, remedy, action)
  }

  mutating func problem(
    _ message: String,
    remedy: String?,
    action: VaultFinding.Action? = nil
  ) {
    note(.problem, message, remedy, action)
  }

  private mutating func note(
    _ level: VaultFinding.Level,
    _ message: String,
    _ remedy: String?,
    _ action: VaultFinding.Action?
  ) {
    all.append(VaultFinding(name, level, message, remedy: remedy, action: action))
  }
}
