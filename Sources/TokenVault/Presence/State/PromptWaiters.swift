internal import Presence
internal import PresenceTerms

/// A caller that joined the prompt of another.
struct JoinedWaiter {
  /// Distinguishes it from a later wait of the same prompt.
  let number: UInt64
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

  private var last: UInt64 = 0

  /// The number of the next wait.
  mutating func next() -> UInt64 {
    last += 1
    return last
  }

  /// Has a prompt wait for the check of another one.
  mutating func join(_ leader: String, _ waiter: JoinedWaiter) {
    joined[leader, default: []].append(waiter)
  }

  mutating func waitForProof(of leader: String, _ wake: CheckedContinuation<Void, Never>) {
    forProof[leader, default: []].append(wake)
  }

  /// Tells the prompts that joined another one how its check ended; `failure` is `nil` if it
  /// passed.
  mutating func wakeJoined(_ leader: String, with failure: PresenceFailure?) {
    for waiter in joined.removeValue(forKey: leader) ?? [] {
      waiter.wake.resume(returning: failure)
    }
  }

  /// Ends the waits of one prompt that joined, and of no other one.
  mutating func cancelWaits(of prompt: String) { cancel { $0.prompt == prompt } }

  /// Ends one wait.
  mutating func cancelWait(_ number: UInt64) { cancel { $0.number == number } }

  private mutating func cancel(_ isMeant: (JoinedWaiter) -> Bool) {
    for (leader, waiting) in joined where waiting.contains(where: isMeant) {
      joined[leader] = waiting.filter { !isMeant($0) }
      for waiter in waiting where isMeant(waiter) { waiter.wake.resume(returning: .cancelled) }
    }
  }

  mutating func wakeForProof(of prompt: String) {
    for wake in forProof.removeValue(forKey: prompt) ?? [] { wake.resume() }
  }
}
