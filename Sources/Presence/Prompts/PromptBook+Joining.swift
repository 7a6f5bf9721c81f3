internal import PresenceTerms
internal import System

extension PromptBook {
  /// The rule for joining: whether the check of an armed prompt may answer another prompt as well.
  ///
  /// Both have the same question, from the same location, and its purpose may be shared. The result of
  /// the armed prompt must still count.
  func mayJoin(_ armed: Prompt, _ other: Prompt, at now: BootInstant) -> Bool {
    armed.question == other.question && armed.location == other.location
      && other.question.purpose.mayBeShared && now <= armed.deadline
  }
}
