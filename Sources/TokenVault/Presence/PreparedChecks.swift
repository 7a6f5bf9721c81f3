internal import Presence
internal import PresenceTerms

/// The one helper that was started ahead, and the prompt whose check it waits for.
struct PreparedHelper {
  private var held: (prompt: String, program: (any PreparedCheck)?)?

  /// Keeps the place for a prompt; `false` if another one has it.
  mutating func reserve(for prompt: String) -> Bool {
    guard held == nil else { return false }
    held = (prompt, nil)
    return true
  }

  func isReserved(for prompt: String) -> Bool { held?.prompt == prompt }

  /// Puts the helper into the place that was kept.
  mutating func put(_ program: any PreparedCheck, for prompt: String) { held = (prompt, program) }

  /// Frees the place of a prompt, and returns the helper in it.
  mutating func take(for prompt: String) -> (any PreparedCheck)? {
    guard let held, held.prompt == prompt else { return nil }
    self.held = nil
    return held.program
  }
}

// When a prompt is opened that a finger can pass, a helper is started. It reports the desktop's
// fingers, and then runs the check, so that no other process is needed. There is one such helper
// for each vault: if there are more prompts at once, they start theirs when they are armed.
extension Vault {
  /// Starts a helper for a prompt, unless another prompt has one.
  func prepare(for prompt: String, _ purpose: PresencePurpose) async -> (any PreparedCheck)? {
    guard purpose.allowsDevices, prompting.prepared.reserve(for: prompt) else { return nil }
    let program = await check.prepare()
    // The prompt may have been given up during the wait.
    guard prompting.prepared.isReserved(for: prompt), let program, prompts.contains(prompt) else {
      program?.end()
      _ = prompting.prepared.take(for: prompt)
      return nil
    }
    prompting.prepared.put(program, for: prompt)
    return program
  }

  /// The helper of a prompt, for its check: the prompt has none any longer.
  func takePrepared(for prompt: String) -> (any PreparedCheck)? {
    prompting.prepared.take(for: prompt)
  }

  /// Ends the helper of a prompt that needs none.
  func endPrepared(of prompt: String) {
    takePrepared(for: prompt)?.end()
  }
}
