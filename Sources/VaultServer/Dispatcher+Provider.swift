internal import Configuration
internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `AccountProvider`, `ApplyProvider`.
  func boundProvider(
    _ request: VaultRequest,
    _ caller: Caller
  ) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .accountProvider(let call):
      let (account, provider) = try await vault.boundProvider(account: call.account)
      return try Self.made(
        AccountProviderReply(
          account: account,
          provider: VaultProvider(
            name: provider.name.text,
            settings: provider.settings,
            clientSecret: provider.oauth?.clientSecret?.secret
          )
        )
      )
    case .applyProvider(let call):
      let facts = try await vault.applyProvider(
        try Self.provider(call.provider),
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    default: throw .unexpected("a call was sorted wrongly")
    }
  }
}
