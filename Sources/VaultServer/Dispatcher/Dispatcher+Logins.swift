internal import Configuration
internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods for sign-ins that a person completes at the provider.
extension Dispatcher {
  func beginLogin(_ call: BeginLoginCall) async throws(VaultFailure) -> BeginLoginReply {
    let flow: TokenVault.LoginFlow
    switch (call.flow, call.redirect) {
    case (.browser, let redirect?): flow = .browser(redirect: redirect)
    case (.browser, nil): throw .invalidArgument("a browser login needs a redirect")
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
    return BeginLoginReply(
      login: start.login,
      url: start.url,
      userCode: start.userCode,
      verificationURI: start.verificationURI,
      verificationURIComplete: start.verificationURIComplete,
      expiresIn: Int(clamping: start.expiresIn),
      interval: start.interval.map { Int(clamping: $0) }
    )
  }

  func finishLogin(_ call: FinishLoginCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.finishLogin(
      call.login,
      query: call.query,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func awaitLogin(_ call: AwaitLoginCall) async throws(VaultFailure) -> AwaitLoginReply {
    let facts = try await vault.awaitLogin(call.login, prompt: call.prompt, caller: caller) {
      context.send(AwaitLoginReply(event: .waiting, interval: Int(clamping: $0)))
    }
    return AwaitLoginReply(event: .done, account: VaultAccount(facts))
  }

  func cancelLogin(_ call: CancelLoginCall) async throws(VaultFailure) -> EmptyReply {
    await vault.cancelLogin(call.login, caller: caller)
    return EmptyReply()
  }
}
