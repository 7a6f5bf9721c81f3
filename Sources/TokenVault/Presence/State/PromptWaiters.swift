internal import Presence
internal import PresenceTerms

/// A caller that joined the prompt of another.
struct JoinedWaiter {
  /// Its own prompt.
  let prompt: String
  let wake: CheckedContinuation<PresenceFailure?, Never>
}

/// The callers that wait for the check of another prompt, or for the use of its proof.
struct PromptWaiters {
  /// The callers that wait for a check, by the prompt that is checked.
  private(set) var joined: [String: [JoinedWaiter]] = [:]
  /// The callers that wait for the use of a proof, by its prompt.
  private(set) var forProof: [String: [CheckedContinuation<Void, Never>]] = [:]

  /// Has a prompt wait for the check of another one.
  mutating func join(_ leader: String, _ waiter: JoinedWaiter) {
    joined[leader, default: []].append(waiter)
  }

  mutating func waitForProof(of leader: String, _ wake: CheckedContinuation<Void, Never>) {
    forProof[leader, default: []].append(wake)
  }

  /// Tells the prompts that joined another one how its check ended; `failure` is `nil` if it passed.
  mutating func wakeJoined(_ leader: String, with failure: PresenceFailure?) {
    for waiter in joined.removeValue(forKey: leader) ?? [] {
      waiter.wake.resume(returning: failure)
    }
  }

  /// Ends the wait of one prompt that joined, and of no other one.
  mutating func cancelWait(of prompt: String) {
    for (leader, waiting) in joined where waiting.contains(where: { $0.prompt == prompt }) {
      joined[leader] = waiting.filter { $0.prompt != prompt }
      for waiter in waiting where waiter.prompt == prompt {
        waiter.wake.resume(returning: .cancelled)
      }
    }
  }

  mutating func wakeForProof(of prompt: String) {
    for wake in forProof.removeValue(forKey: prompt) ?? [] { wake.resume() }
  }
}
