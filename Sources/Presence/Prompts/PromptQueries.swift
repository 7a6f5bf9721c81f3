internal import PresenceTerms
package import System

// Queries about the prompts.
extension PromptBook {
  /// The unarmed prompts for the same request; see `isSameRequest`.
  ///
  /// If the question may be shared, a passed check answers them too.
  package func sameRequests(of name: String) -> [String] {
    // The answer to a question of one connection counts for one request.
    guard let prompt = prompts[name], prompt.question.connection == nil else { return [] }
    return prompts.filter {
      $0.key != name && $0.value.state == .open && isSameRequest($0.value, prompt)
    }
    .map(\.key)
  }

  /// Whether another connection has this question open and this connection does not.
  ///
  /// If the question may be shared, a passed check answers both. A prompt that does not count
  /// cannot be joined: otherwise prompts that are opened and never shown would pay for one another.
  /// A prompt that is still being made ready cannot be joined either: it has not counted and may
  /// never be shown. `own` is ignored.
  package func isAsked(
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

  /// Whether a prompt counts toward the rate limit.
  package func isCounted(_ name: String) -> Bool { prompts[name]?.isCounted == true }

  /// Makes a prompt count from here on.
  ///
  /// `joined` says whether it counts as a further caller of another prompt's question.
  package mutating func count(_ name: String, joined: Bool) {
    prompts[name]?.isCounted = true
    prompts[name]?.hasJoined = joined
  }

  /// Whether a prompt counts as a further caller of another prompt's question.
  package func hasJoined(_ name: String) -> Bool { prompts[name]?.hasJoined == true }

  /// The device number of the calling program's terminal.
  package func terminal(of name: String) -> Int32? { prompts[name]?.terminal }

  /// Whether the check of a prompt was shown to the person.
  package func wasArmed(_ name: String) -> Bool { prompts[name]?.armedFirst != nil }

  /// The question of a prompt that was shown but not passed; `nil` for any other prompt.
  package func unansweredQuestion(of name: String) -> PromptQuestion? {
    guard let prompt = prompts[name], prompt.armedFirst != nil else { return nil }
    if case .passed = prompt.state { return nil }
    return prompt.question
  }

  /// Whether there are no prompts.
  package var isEmpty: Bool { prompts.isEmpty }

  /// Whether a prompt exists: open, armed, joined or passed.
  package func contains(_ name: String) -> Bool { prompts[name] != nil }

  /// The connection that a prompt belongs to.
  package func connection(of name: String) -> UInt64? { prompts[name]?.connection }

  package var names: [String] { Array(prompts.keys) }

  /// The prompts that may be shown.
  package var readyNames: [String] { prompts.filter { $0.value.state != .beginning }.map(\.key) }

  package func names(of connection: UInt64) -> [String] {
    prompts.filter { $0.value.connection == connection }.map(\.key)
  }

  /// The ready prompts that are shown at a location.
  package func names(at location: String) -> [String] {
    prompts.filter { $0.value.location == location }.map(\.key)
  }

  /// The prompts with a running check by a device, or with a passed one that was not used yet.
  package var namesByDevice: [String] {
    prompts.filter { _, prompt in
      switch prompt.state {
      case .armed(let method), .passed(let method): method.isDevice
      case .beginning, .open, .joined, .waiting: false
      }
    }
    .map(\.key)
  }

  /// The end of a prompt's wait for its next step.
  package func deadline(of name: String) -> BootInstant? { prompts[name]?.deadline }
}
