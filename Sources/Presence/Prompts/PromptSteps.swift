// The answers of the book to each step of a prompt.
extension PromptBook {
  /// The state of a prompt that is ready.
  package enum PromptState: Sendable, Equatable {
    /// Its check can be run.
    case asks
    /// The check of this other prompt has already answered it.
    case answered(by: String)
  }

  /// The answer to a request to arm.
  package enum Arming: Sendable, Equatable {
    /// Run the check.
    case run
    /// Another connection runs the check; wait for the outcome of this prompt.
    case join(String)
    /// Another question is armed; wait for its end, then arm again.
    case wait(String)
  }

  /// The status of a prompt for a call that names it.
  package enum Status: Sendable, Equatable {
    /// The check was passed, and the proof can be taken.
    case passed
    /// The prompt shares the check of this other prompt.
    case joined(String)
    /// The check was not passed.
    case open
  }
}
