/// The result of one check.
public struct Finding: Sendable, Equatable {
  /// The severity of a finding.
  public enum Severity: String, Sendable, CaseIterable {
    /// Nothing is wrong.
    case ok
    /// Thumblatch works, but a person should know this.
    case warning
    /// Thumblatch does not work, or is not safe.
    case problem
  }

  /// The stable name of the checked thing, such as `state-directory`.
  public let name: String
  /// The severity.
  public let severity: Severity
  /// The finding, in one clause.
  ///
  /// It may hold text from outside, such as a path. Escape it before you print it.
  public let message: String
  /// What the person can do; `nil` if nothing needs to be done, or nothing is known.
  public let remedy: String?
  /// The remedy as a program can offer it; `nil` if it takes more than one act, or a judgment.
  public let action: FindingAction?

  static func ok(_ name: String, _ message: String) -> Finding {
    Finding(name: name, severity: .ok, message: message, remedy: nil, action: nil)
  }

  static func warning(
    _ name: String,
    _ message: String,
    remedy: String,
    action: FindingAction? = nil
  ) -> Finding {
    Finding(name: name, severity: .warning, message: message, remedy: remedy, action: action)
  }

  static func problem(
    _ name: String,
    _ message: String,
    remedy: String?,
    action: FindingAction? = nil
  ) -> Finding {
    Finding(name: name, severity: .problem, message: message, remedy: remedy, action: action)
  }
}
