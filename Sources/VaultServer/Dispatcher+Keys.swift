internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `Rekey`, `Recover`, `Release`.
  func keys(_ request: VaultRequest, _ caller: Caller) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .rekey(let call):
      let facts = try await vault.rekey(prompt: call.prompt, caller: caller)
      return try Self.made(
        RekeyReply(accounts: facts.accounts, prints: facts.prints, records: facts.records)
      )
    case .recover(let call):
      let names = try await vault.acceptStore(prompt: call.prompt, caller: caller)
      return try Self.made(RecoverReply(loginRequired: names))
    case .release(let call):
      let (token, signedOut) = try await vault.release(
        account: call.account,
        keep: call.keep,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(ReleaseReply(refreshToken: token, signedOut: signedOut))
    default: throw .unexpected("a call was sorted wrongly")
    }
  }
}

extension VaultRequest {
  /// Whether it is refused while the store may be an old copy.
  var usesStore: Bool {
    switch self {
    case .getStatus, .check, .respond, .cancel, .audit, .examine, .recover: false
    default: true
    }
  }
}
