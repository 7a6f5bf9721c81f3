public import System

// What the book says of its prompts.
extension PromptBook {
  /// The prompts that ask the same as this one and are not armed: what passes it answers them, where
  /// that may be shared.
  public func twins(of name: String) -> [String] {
    guard let prompt = prompts[name], prompt.question.purpose.mayBeShared else { return [] }
    return prompts.filter {
      $0.key != name && $0.value.state == .open && $0.value.question == prompt.question
        && $0.value.place == prompt.place
    }
    .map(\.key)
  }

  /// Whether another connection is asked the same right now, and this one is not yet: what passes that
  /// check answers this one too, where it may be shared.
  ///
  /// A prompt that does not count is no question to join: prompts that are opened and never shown
  /// would pay for one another. Nor is one that is still made ready: it has not counted, and may never be
  /// shown. `own` is left out.
  public func isAsked(
    _ question: PromptQuestion,
    otherwiseThanBy connection: UInt64,
    besides own: String? = nil,
    at now: BootInstant
  ) -> Bool {
    guard question.purpose.mayBeShared else { return false }
    var isAskedElsewhere = false
    for (name, prompt) in prompts
    where name != own && prompt.question == question && prompt.state != .beginning
      && prompt.counts(at: now)
    {
      if prompt.connection == connection { return false }
      guard prompt.isCounted else { continue }
      switch prompt.state {
      case .open, .armed, .waiting: isAskedElsewhere = true
      case .beginning, .joined, .passed: break
      }
    }
    return isAskedElsewhere
  }

  /// Whether a prompt counts against the limit of prompts.
  public func isCounted(_ name: String) -> Bool { prompts[name]?.isCounted == true }

  /// From here on a prompt counts.
  public mutating func count(_ name: String) { prompts[name]?.isCounted = true }

  /// The device number of the terminal that a prompt was asked from.
  public func terminal(of name: String) -> Int32? { prompts[name]?.terminal }

  /// Whether the person saw the check of a prompt.
  public func wasArmed(_ name: String) -> Bool { prompts[name]?.wasArmed == true }

  /// What a person was asked who has not passed it; nil for a prompt that nobody saw the check of.
  public func unansweredQuestion(of name: String) -> PromptQuestion? {
    guard let prompt = prompts[name], prompt.wasArmed else { return nil }
    if case .passed = prompt.state { return nil }
    return prompt.question
  }

  /// Whether there is none.
  public var isEmpty: Bool { prompts.isEmpty }

  /// Whether a prompt is still there: open, armed, joined or passed.
  public func contains(_ name: String) -> Bool { prompts[name] != nil }

  /// The connection that a prompt belongs to.
  public func connection(of name: String) -> UInt64? { prompts[name]?.connection }

  /// All prompts.
  public var names: [String] { Array(prompts.keys) }

  /// The prompts of a connection.
  public func names(of connection: UInt64) -> [String] {
    prompts.filter { $0.value.connection == connection }.map(\.key)
  }

  /// The prompts of a place that are ready.
  public func names(at place: String) -> [String] {
    prompts.filter { $0.value.place == place }.map(\.key)
  }

  /// The prompts for which a check by this method runs, or was passed and not used yet.
  public func names(by method: PresenceMethod) -> [String] {
    prompts.filter { $0.value.state == .armed(method) || $0.value.state == .passed(method) }
      .map(\.key)
  }

  /// Until when a prompt waits for its next step.
  public func deadline(of name: String) -> BootInstant? { prompts[name]?.deadline }
}
