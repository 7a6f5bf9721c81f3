internal import Configuration
internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `BeginLogin`, `FinishLogin`, `AwaitLogin`, `CancelLogin`, `TestProvider`.
  func logins(
    _ request: VaultRequest,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .beginLogin(let call): return try await beginLogin(call, caller)
    case .finishLogin(let call):
      let facts = try await vault.finishLogin(
        call.login,
        query: call.query,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .awaitLogin(let call):
      let facts = try await vault.awaitLogin(
        call.login,
        prompt: call.prompt,
        caller: caller
      ) { interval in
        let waiting = AwaitLoginReply(event: .waiting, interval: Int(clamping: interval))
        guard more, let part = try? VarlinkReply(waiting, continues: true) else { return }
        reply(part)
      }
      return try Self.made(AwaitLoginReply(event: .done, account: VaultAccount(facts)))
    case .cancelLogin(let call):
      await vault.cancelLogin(call.login, caller: caller)
      return try Self.made(EmptyReply())
    case .testProvider(let call):
      let facts = try await vault.test(
        try Self.provider(call.provider),
        isTrying: call.tries ?? false
      )
      return try Self.made(
        TestProviderReply(
          issuer: facts.issuer,
          discovered: facts.isDiscovered,
          endpoints: facts.endpoints,
          flows: facts.flows,
          keys: facts.keys,
          warnings: facts.warnings,
          scopes: facts.offeredScopes,
          askedScopes: facts.askedScopes
        )
      )
    default: throw .unexpected("a call was sorted wrongly")
    }
  }

  private func beginLogin(
    _ call: BeginLoginCall,
    _ caller: Caller
  ) async throws(VaultFailure) -> VarlinkReply {
    let flow: TokenVault.LoginFlow
    switch (call.flow, call.redirect) {
    case (.browser, let redirect?): flow = .browser(redirect: redirect)
    case (.browser, nil): throw .invalidArgument("a login in a browser needs a redirect")
    case (.device, nil): flow = .device
    case (.device, _?): throw .invalidArgument("a device login has no redirect")
    }
    let start = try await vault.beginLogin(
      account: call.account,
      provider: try call.provider.map { given throws(VaultFailure) in try Self.provider(given) },
      flow: flow,
      scope: call.scope,
      exportable: call.exportable ?? false,
      prompt: call.prompt,
      caller: caller
    )
    return try Self.made(
      BeginLoginReply(
        login: start.login,
        url: start.url,
        userCode: start.userCode,
        verificationURI: start.verificationURI,
        verificationURIComplete: start.verificationURIComplete,
        expiresIn: Int(clamping: start.expiresIn),
        interval: start.interval.map { Int(clamping: $0) }
      )
    )
  }
}
