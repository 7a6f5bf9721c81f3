public import Presence

extension PresenceOutcome {
  /// The stable name of an outcome.
  public var name: String {
    switch self {
    case .cancelled: "cancelled"
    case .passwordChosen: "password_chosen"
    case .notAvailable: "not_available"
    case .notEnrolled: "not_enrolled"
    case .lockedOut: "locked_out"
    case .noMatch: "no_match"
    case .timedOut: "timed_out"
    case .busy: "busy"
    case .denied: "denied"
    }
  }

  var auditName: String {
    switch self {
    case .notAvailable(let why), .busy(let why), .denied(let why): "\(name) (\(why))"
    default: name
    }
  }
}
