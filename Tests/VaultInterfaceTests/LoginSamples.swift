import Varlink
import VaultInterface

/// `BeginLogin`, `FinishLogin`, `AwaitLogin`, `CancelLogin`, `TestProvider`, `Watch`,
/// `VerifyToken`, and the refusal of input that a person typed.
func loginSamples(
  _ account: VaultAccount,
  _ provider: VaultProvider
) throws -> [Sample] {
  try stepSamples(account, provider) + providerSamples(provider) + watchSamples(account)
}

private func stepSamples(
  _ account: VaultAccount,
  _ provider: VaultProvider
) throws -> [Sample] {
  try [
    call(
      BeginLoginCall(
        account: "me",
        provider: provider,
        flow: .browser,
        redirect: "http://127.0.0.1:4711/callback",
        scope: "openid offline_access",
        exportable: true,
        prompt: "p1"
      )
    ),
    reply(
      to: BeginLoginCall.self,
      BeginLoginReply(
        login: "l1",
        url: "https://id.example/authorize?state=\"é\"",
        userCode: "WDJB-MJHT",
        verificationURI: "https://id.example/device",
        verificationURIComplete: "https://id.example/device?user_code=WDJB-MJHT",
        expiresIn: 300,
        interval: 5
      )
    ),
    call(
      FinishLoginCall(login: "l1", query: secret("code=hunter2&state=\"é\""), prompt: "p1")
    ),
    reply(to: FinishLoginCall.self, AccountReply(account: account)),
    call(AwaitLoginCall(login: "l1", prompt: "p1")),
    reply(
      to: AwaitLoginCall.self,
      AwaitLoginReply(event: .waiting, account: account, interval: 10)
    ),
    call(CancelLoginCall(login: "l1")),
    reply(to: CancelLoginCall.self, EmptyReply()),
  ]
}

private func providerSamples(_ provider: VaultProvider) throws -> [Sample] {
  try [
    call(TestProviderCall(provider: provider, tries: true)),
    reply(
      to: TestProviderCall.self,
      TestProviderReply(
        issuer: "https://id.example",
        discovered: true,
        endpoints: ["token_endpoint": "https://id.example/token"],
        flows: ["browser", "device"],
        keys: 2,
        warnings: ["no revocation endpoint"],
        scopes: ["openid", "read"],
        askedScopes: ["openid"],
        pkce: true,
        registration: "https://id.example/register",
        clientMetadata: true,
        clientAuthentication: ["client_secret_post", "none"]
      )
    ),
  ]
}

private func watchSamples(_ account: VaultAccount) throws -> [Sample] {
  try [
    call(WatchCall(account: "me", refreshAhead: 300)),
    reply(to: WatchCall.self, WatchReply(account: account, unlocked: true)),
    call(VerifyTokenCall(account: "me", prompt: "p1", ask: false)),
    reply(
      to: VerifyTokenCall.self,
      VerifyTokenReply(account: account, accepted: true, expiresAt: 1_800_000_000)
    ),
    error(
      .providerRefused(
        status: 422,
        message: "m",
        reason: .addressTaken,
        fields: [VaultFieldProblem(field: "email", message: "taken")]
      )
    ),
  ]
}
