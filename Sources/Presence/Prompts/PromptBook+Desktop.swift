package import PresenceTerms
package import System

// The additional steps of a prompt that is shown at the desktop.
extension PromptBook {
  /// Has a prompt wait for another one: it joins that one if both are for the same request.
  ///
  /// - Returns: what to wait for; `run` if one of them is over.
  package mutating func queue(
    _ name: String,
    behind other: String,
    at now: BootInstant
  ) -> Arming {
    guard let prompt = prompts[name], let running = prompts[other] else { return .run }
    guard mayJoin(running, prompt, at: now) else {
      follow(name, prompt, .waiting(other), running)
      return .wait(other)
    }
    follow(name, prompt, .joined(other), running)
    return .join(other)
  }

  /// Whether an agent shows the prompt at another location than its caller's.
  package func isShownElsewhere(_ name: String) -> Bool {
    prompts[name].map { $0.location != $0.origin } ?? false
  }

  /// Binds an open prompt to the location at which it is shown.
  ///
  /// - Returns: false if it is not open any more.
  package mutating func move(
    _ name: String,
    to location: String,
    impossible: Set<PresenceMethod>,
    at now: BootInstant
  ) -> Bool {
    guard prompts[name]?.state == .open, prompts[name]?.counts(at: now) == true else {
      return false
    }
    prompts[name]?.location = location
    prompts[name]?.impossible = impossible
    renew(name, at: now)
    return true
  }
}
