/// Why a presence check was not passed.
///
/// The cases are those of LAError.
public enum PresenceOutcome: String, Sendable, CaseIterable {
  /// The person cancelled, or the caller disconnected.
  case cancelled
  /// The person chose the password instead.
  case passwordChosen = "password_chosen"
  /// There is no reader, or it cannot be used.
  case notAvailable = "not_available"
  /// No finger is enrolled.
  case notEnrolled = "not_enrolled"
  /// Too many fingers did not match, so only the password is accepted.
  case lockedOut = "locked_out"
  /// Another finger, or a wrong password.
  case noMatch = "no_match"
  /// The person did not answer in time.
  case timedOut = "timed_out"
  /// The reader or the prompt is in use.
  case busy
  /// The system refuses this user even with the right password.
  case denied
}

extension PresenceOutcome {
  /// Whether the device of the failed try could still pass the prompt after this outcome.
  public var leavesDevice: Bool {
    switch self {
    case .noMatch, .timedOut, .passwordChosen: true
    case .cancelled, .notAvailable, .notEnrolled, .lockedOut, .busy, .denied: false
    }
  }

  /// Whether the password may be tried again in the prompt after this outcome.
  package var leavesPassword: Bool {
    switch self {
    case .notAvailable, .denied: false
    case .noMatch, .timedOut, .passwordChosen, .cancelled, .notEnrolled, .lockedOut, .busy: true
    }
  }
}
