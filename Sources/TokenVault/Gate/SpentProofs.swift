internal import Presence
internal import PresenceTerms

// How a call spends the check that its prompt has passed. Each proof is spent once, for the
// question that it was made for.
extension Vault {
  /// The proof of a passed check; a call that names no prompt gets one to show.
  ///
  /// - Throws: `presenceNeeded` if there is no prompt, `presenceFailed` if its check has not
  ///   passed.
  func proof(
    of question: PromptQuestion,
    account: String? = nil,
    by prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> PresenceProof {
    guard let prompt else {
      throw try await askForPresence(question, account: account, caller: caller)
    }
    return try spendable(prompt, question: question, caller: caller)
  }

  /// Spends a check for something that opens no token; returns how it was passed.
  func spend(
    _ question: PromptQuestion,
    account: String? = nil,
    by prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> PresenceMethod {
    let proof = try await proof(of: question, account: account, by: prompt, caller)
    return try method(of: try spend(proof, for: question.purpose, question.account, caller))
  }

  /// Spends a check that must have been passed by password, for something that opens no token.
  func spendPassword(
    for question: PromptQuestion,
    account: String? = nil,
    by prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) {
    guard try await spend(question, account: account, by: prompt, caller) == .password else {
      throw .needsPassword(methods: [.password])
    }
  }

  /// Spends the check of a prompt for something that opens no token; returns how it was passed.
  func spend(
    _ prompt: String,
    _ question: PromptQuestion,
    _ caller: Caller
  ) throws(VaultFailure) -> PresenceMethod {
    try method(of: try spendForOrigin(prompt, question, caller))
  }

  /// Spends the check of a prompt; returns the origin of its proof.
  func spendForOrigin(
    _ prompt: String,
    _ question: PromptQuestion,
    _ caller: Caller
  ) throws(VaultFailure) -> PresenceProof.Origin {
    let proof = try spendable(prompt, question: question, caller: caller)
    return try spend(proof, for: question.purpose, question.account, caller)
  }

  /// Spends a proof that must be for this purpose and this account; returns its origin.
  func spend(
    _ proof: consuming PresenceProof,
    for purpose: PresencePurpose,
    _ account: [UInt8]?,
    _ caller: Caller
  ) throws(VaultFailure) -> PresenceProof.Origin {
    do throws(PresenceFailure) {
      return try proof.spend(
        for: purpose,
        account: account,
        connection: caller.connection,
        at: clock.boot
      )
    } catch {
      throw .presenceFailed(error, methods: [])
    }
  }

  private func method(of origin: PresenceProof.Origin) throws(VaultFailure) -> PresenceMethod {
    guard case .check(let method) = origin else {
      throw .unexpected("a prompt gave the proof of an unlock window")
    }
    return method
  }
}

extension VaultFailure {
  /// A presence check does not count for this, and no method can be tried again.
  static func denied(_ why: String) -> VaultFailure { .presenceFailed(.denied(why), methods: []) }

  /// Another call has changed the account since the question about it was asked.
  static var accountChanged: VaultFailure {
    denied("the account changed after the prompt was opened: try again")
  }

  /// Another method than the password was used for something that only the password allows.
  static func needsPassword(methods: [PresenceMethod]) -> VaultFailure {
    .presenceFailed(.denied("this needs the system password"), methods: methods)
  }
}
