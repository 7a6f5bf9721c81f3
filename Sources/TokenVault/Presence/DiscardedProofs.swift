internal import Presence
internal import PresenceTerms

extension Vault {
  /// Ends what the fingers and keys of before have opened, or may still open: the unlock windows,
  /// a finger that is being awaited, and one that was seen and not yet used.
  ///
  /// A helper that waits holds a copy of the prints of its beginning: a finger that was deleted
  /// meanwhile would pass.
  func withdrawPresence() {
    windows.closeAll(now: clock.boot)
    for prompt in prompts.names(by: .fingerprint) { giveUp(prompt, as: .cancelled) }
  }
}
