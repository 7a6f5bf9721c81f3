internal import Presence

// The part of the prompts that files outside this folder read. They change no prompt directly: to
// give one up or to show it, they call functions of the vault in this folder.
extension Vault {
  /// The open prompts, to look at.
  var prompts: PromptBook { prompting.book }

  /// The count of failed fingers.
  var fingerLockout: FingerLockout { prompting.attempts.tries.lockout }

  /// Whether the check of another prompt has answered a prompt.
  func isAnswered(_ prompt: String) -> Bool { prompting.leader(of: prompt) != nil }

  /// Whether the vault must stay open for a prompt.
  var mustKeepPrompts: Bool { prompting.mustBeKept(at: clock.boot) }
}
