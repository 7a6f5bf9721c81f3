internal import PresenceTerms
internal import System

extension PromptBook {
  /// The rule for joining: whether the check of an armed prompt may answer another prompt as well.
  ///
  /// Both have the same question, from the same location, and its purpose may be shared. The result of
  /// the armed prompt must still count.
  func mayJoin(_ armed: Prompt, _ other: Prompt, at now: BootInstant) -> Bool {
    isSameRequest(armed, other) && now <= armed.deadline
  }

  /// Whether two prompts are for the same request, so that one check may answer both.
  func isSameRequest(_ one: Prompt, _ other: Prompt) -> Bool {
    one.question == other.question && one.location == other.location
      && one.question.purpose.mayBeShared
  }
}
