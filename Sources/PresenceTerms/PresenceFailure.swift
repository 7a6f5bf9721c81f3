/// A presence check that was not passed.
public struct PresenceFailure: Error, Equatable {
  /// Why it was not passed.
  public let outcome: PresenceOutcome
  /// What the outcome does not say; empty if there is nothing to add.
  public let detail: String

  /// Makes a failure.
  public init(_ outcome: PresenceOutcome, detail: String = "") {
    self.outcome = outcome
    self.detail = detail
  }

  /// The failure as a text for the audit log.
  public var auditText: String {
    detail.isEmpty ? outcome.rawValue : "\(outcome.rawValue) (\(detail))"
  }
}

extension PresenceFailure {
  /// The person cancelled, or the caller disconnected.
  public static let cancelled = PresenceFailure(.cancelled)
  /// The person chose the password instead.
  public static let passwordChosen = PresenceFailure(.passwordChosen)
  /// No finger is enrolled.
  public static let notEnrolled = PresenceFailure(.notEnrolled)
  /// Only the password is accepted.
  public static let lockedOut = PresenceFailure(.lockedOut)
  /// Another finger, or a wrong password.
  public static let noMatch = PresenceFailure(.noMatch)
  /// The person did not answer in time.
  public static let timedOut = PresenceFailure(.timedOut)

  /// The detail of a check or an enrollment for which the security key wants its PIN.
  package static let keyWantsPIN = "the security key wants its PIN"

  /// The method cannot be used, for this reason.
  public static func notAvailable(_ detail: String) -> PresenceFailure {
    PresenceFailure(.notAvailable, detail: detail)
  }

  /// The reader or the prompt is in use.
  public static func busy(_ detail: String) -> PresenceFailure {
    PresenceFailure(.busy, detail: detail)
  }

  /// The person may not pass this check, for this reason.
  public static func denied(_ detail: String) -> PresenceFailure {
    PresenceFailure(.denied, detail: detail)
  }
}
