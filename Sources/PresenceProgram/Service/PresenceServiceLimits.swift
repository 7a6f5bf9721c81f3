internal import FingerprintReader
internal import PresenceTerms
internal import SecurityKey

/// Cancellation of the running operation, and its time limit.
extension PresenceService {
  func cancel() {
    switch running {
    case .check(let operation): operation.cancel()
    case .enrollment(let operation): operation.cancel()
    case .deletion(let operation): operation.cancel()
    case .password(let dialogue): if dialogue.isAsking { dialogue.give(nil) }
    case .key(let use):
      use.request.cancel()
      if use.dialogue.isAsking { use.dialogue.give(nil) }
    case .look, .fingers, nil: break
    }
  }

  /// Milliseconds until a check by password or key has taken too long; -1 without a limit.
  func timeLeft() -> Int32 {
    guard let dialogue = running?.dialogue, !dialogue.isExpired else { return -1 }
    return dialogue.timeLeft
  }

  func timeIsUp() {
    guard let dialogue = running?.dialogue else { return }
    dialogue.expire()
    if case .key(let use) = running {
      // Its last event reports the timeout.
      if !dialogue.isAsking { use.request.cancel() }
      return
    }
    // While a question is open, no call waits for a reply: the call with the answer will get this
    // one.
    guard !dialogue.isAsking else { return }
    // A module hangs and cannot be interrupted, so the process must end.
    refuse(.timedOut, nil)
    connection.close()
  }
}
