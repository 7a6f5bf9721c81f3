internal import Presence
internal import PresenceTerms

extension Vault {
  /// Ends what the former fingers and keys have opened, or may still open: the unlock windows, a check
  /// that waits for a device, and a proof that is not used yet.
  ///
  /// A helper that waits holds a copy of the prints of its beginning. A finger that was deleted since
  /// then would pass.
  func discardProofs() {
    closeWindows()
    for prompt in prompts.namesByDevice { giveUp(prompt, as: .cancelled) }
  }
}
