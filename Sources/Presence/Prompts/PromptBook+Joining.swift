internal import PresenceTerms
internal import System

extension PromptBook {
  /// The rule for joining: whether the check of an armed prompt may answer another prompt as well.
  ///
  /// Both are for the same request, and the result of the armed prompt must still count.
  func mayJoin(_ armed: Prompt, _ other: Prompt, at now: BootInstant) -> Bool {
    isSameRequest(armed, other) && now <= armed.deadline
  }

  /// Whether two prompts are for the same request, so that one check may answer both.
  ///
  /// Both have the same question, whose purpose may be shared. Both are shown at the same location,
  /// or their callers are at the same one: an agent shows one of two prompts of a system unit
  /// elsewhere.
  func isSameRequest(_ one: Prompt, _ other: Prompt) -> Bool {
    one.question == other.question && one.question.purpose.mayBeShared
      && (one.location == other.location || one.origin == other.origin)
  }
}
