internal import Configuration
internal import TokenVault
internal import VaultInterface

// Methods for providers.
extension Dispatcher {
  func accountProvider(
    _ call: AccountProviderCall
  ) async throws(VaultFailure) -> AccountProviderReply {
    let (account, provider) = try await vault.boundProvider(account: call.account)
    return AccountProviderReply(
      account: account,
      provider: VaultProvider(
        name: provider.name.text,
        settings: provider.settings,
        clientSecret: provider.oauth?.clientSecret?.secret
      )
    )
  }

  func applyProvider(_ call: ApplyProviderCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.applyProvider(
      try Self.provider(call.provider),
      account: call.account,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func testProvider(_ call: TestProviderCall) async throws(VaultFailure) -> TestProviderReply {
    let provider = try Self.provider(call.provider)
    let facts = try await vault.test(provider, isTrying: call.tries ?? false)
    return TestProviderReply(
      issuer: facts.issuer,
      discovered: facts.isDiscovered,
      endpoints: facts.endpoints,
      flows: facts.flows,
      keys: facts.keys,
      warnings: facts.warnings,
      scopes: facts.offeredScopes,
      askedScopes: facts.askedScopes,
      pkce: facts.takesS256,
      registration: facts.registrationEndpoint,
      clientMetadata: facts.takesClientMetadata,
      clientAuthentication: facts.clientAuthentication
    )
  }
}
