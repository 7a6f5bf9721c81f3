internal import Presence
internal import PresenceTerms

// The proofs of passed prompts, which end with the prompt.
extension Vault {
  /// A passed prompt's proof, taken for one use.
  func spendable(
    _ prompt: String,
    question: PromptQuestion,
    caller: Caller
  ) throws(VaultFailure) -> PresenceProof {
    do throws(PresenceFailure) {
      let proof = try prompting.takeProof(prompt, question, caller, at: clock.boot)
      prompting.waiters.wakeForProof(of: prompt)
      endGuardLater()
      return proof
    } catch {
      throw refusal(of: prompt, error, caller)
    }
  }

  /// The proofs of a passed prompt that named several accounts.
  func spendableForEach(
    _ prompt: String,
    _ caller: Caller
  ) throws(VaultFailure) -> [([UInt8], Authority)] {
    var proofs: [([UInt8], Authority)] = []
    try outcome(of: prompt, caller) { () throws(PresenceFailure) in
      guard let question = prompts.question(of: prompt), question.purpose == .signOut else {
        throw .denied("no passed presence check for this")
      }
      try prompting.takeProofs(prompt, question, caller, at: clock.boot) { account, proof in
        proofs.append((account, Authority(proof)))
      }
    }
    prompting.waiters.wakeForProof(of: prompt)
    endGuardLater()
    return proofs
  }
}
