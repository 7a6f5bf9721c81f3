internal import Presence
internal import PresenceTerms

// A helper is started when a prompt is opened that a finger can pass, and tells the desktop's fingers:
// so the check that follows needs no other process. One for each vault: more prompts at once start
// theirs when they are armed.
extension Vault {
  /// Starts a helper for a prompt, unless another prompt has one.
  func prepare(for prompt: String, _ purpose: PresencePurpose) async -> (any PreparedCheck)? {
    guard purpose.allowsDevices, prepared == nil else { return nil }
    prepared = (prompt, nil)
    let program = await check.prepare()
    // The prompt may have been given up during the wait.
    guard prepared?.prompt == prompt, let program, prompts.contains(prompt) else {
      program?.end()
      if prepared?.prompt == prompt { prepared = nil }
      return nil
    }
    prepared = (prompt, program)
    return program
  }

  /// The helper of a prompt, for its check: the prompt has none any longer.
  func takePrepared(for prompt: String) -> (any PreparedCheck)? {
    guard let prepared, prepared.prompt == prompt else { return nil }
    self.prepared = nil
    return prepared.program
  }

  /// Ends the helper of a prompt that needs none.
  func endPrepared(of prompt: String) {
    takePrepared(for: prompt)?.end()
  }
}
