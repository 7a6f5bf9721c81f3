internal import Presence
internal import PresenceTerms

extension Vault {
  /// Ends everything that the former fingers and keys have opened, or may still open: the unlock
  /// windows, a check that waits for a device, and a proof that is not used yet.
  ///
  /// A waiting helper holds a copy of the prints from its start, so a finger that was deleted since
  /// would pass.
  func discardProofs() {
    closeWindows()
    for prompt in prompts.namesByDevice { giveUp(prompt, as: .cancelled) }
  }
}
