extension PromptBook {
  /// What a prompt is when it is ready.
  public enum Opening: Sendable, Equatable {
    /// One whose check can be run.
    case asks
    /// One that this other one's check has answered meanwhile.
    case answered(by: String)
  }

  /// What to do with a request to arm.
  public enum Arming: Sendable, Equatable {
    /// Run the check.
    case run
    /// Another connection runs it; wait for what comes of this prompt.
    case join(String)
    /// Another question is armed; wait for its end, then ask to arm again.
    case wait(String)
  }

  /// What a call that names a prompt may do now.
  public enum Standing: Sendable, Equatable {
    /// The check was passed; the proof can be taken.
    case passed
    /// It shares another prompt's check.
    case joined(String)
    /// Not passed.
    case open
  }
}
