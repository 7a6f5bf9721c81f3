internal import Configuration
internal import Cryptography
internal import Presence
internal import Storage
internal import System

// What entitles a call to a refresh.
extension Vault {
  /// Refuses before a person is asked, if a refresh could not be made anyway.
  func mayRefresh(_ account: AccountRow) throws(VaultFailure) {
    switch account.state {
    case .signedOut:
      let isSecret = keepsSecret(account)
      let message = isSecret ? "it no longer has a secret" : "signed out"
      throw .loginRequired(account: account.name, message: message)
    case .loginRequired:
      throw .loginRequired(
        account: account.name,
        message: account.cause ?? "the provider ended its login"
      )
    case .signedIn: break
    }
    try demandProtection(of: account)
    try demandRetryAfter(try intent(of: account), of: account)
  }

  /// The authority of a call: no protection, the open window, or the prompt that it names.
  ///
  /// `nil` if a person has to be asked.
  func authority(
    for account: AccountRow,
    _ question: PromptQuestion,
    _ call: TokenCall,
    at location: CallerLocation?
  ) throws(VaultFailure) -> Authority? {
    if let prompt = call.prompt, try protectionClass(of: account) == .presence {
      return Authority(try spendable(prompt, question: question, caller: call.caller))
    }
    return try authorityWithoutAsking(for: account, call.caller, at: location, extending: true)
  }

  /// The authority of a call without a presence check: no protection, or the window that is open at
  /// the location of the caller.
  func authorityWithoutAsking(
    for account: AccountRow,
    _ caller: Caller,
    at location: CallerLocation?,
    extending: Bool
  ) throws(VaultFailure) -> Authority? {
    guard try protectionClass(of: account) == .presence else { return Authority() }
    guard
      let location,
      let proof = proofOfWindow(at: location.name, for: account.id, caller, extending: extending)
    else { return nil }
    return Authority(proof)
  }

  func isCoveredByWindow(_ account: AccountRow) throws(VaultFailure) -> Bool {
    try protectionClass(of: account) == .presence
      && isAnyWindowOpen(for: account.id)
  }

  /// The authority of the engine to refresh ahead: no protection, or an open window of the user.
  func authorityAhead(
    for account: AccountRow,
    _ engine: Caller
  ) throws(VaultFailure) -> Authority? {
    guard try protectionClass(of: account) == .presence else {
      return (try? demandProtection(of: account)).map { Authority() }
    }
    guard let proof = proofOfWindowAhead(for: account.id, engine) else { return nil }
    return Authority(proof)
  }
}
