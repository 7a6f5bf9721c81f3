import Presence
import Testing

@testable import TokenVault

// Introspection (RFC 7662) judges the token of a repeated call, if no other endpoint can.
extension HelperRepeatTests {
  private static let endpoint = "https://id.example.com/introspect"

  /// An account whose client has a secret, at a provider with introspection.
  private func introspected(_ settings: [String: String] = [:]) async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    let client = [
      "client_secret": "s", "client_authentication": "post",
      "introspection_endpoint": Self.endpoint,
    ]
    try await bench.signInOAuth(vault, settings: client.merging(settings) { $1 })
    return (bench, vault)
  }

  @Test(arguments: [
    [:], ["resource": "https://mcp.example.com/mcp", "resource_only": "true"],
  ])
  func anActiveTokenIsNotRefreshed(_ settings: [String: String]) async throws {
    let (bench, vault) = try await introspected(settings)
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: #"{"active":true}"#))
    #expect(try await token(of: vault) == "at-1")
    let request = try #require(bench.exchange.requests.last)
    #expect(request.url == Self.endpoint && bench.forms.isEmpty)
    #expect(request.body?.hasPrefix("token=at-1&token_type_hint=access_token&client_id=") == true)
  }

  /// A token of other scopes is judged too, which the userinfo endpoint would refuse.
  @Test
  func aTokenOfOtherScopesIsJudged() async throws {
    let (bench, vault) = try await introspected(["userinfo_endpoint": "https://id.example.com/me"])
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", scope: "read"))
    #expect(try await token(scope: "read", of: vault) == "at-read")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: #"{"active":true}"#))
    #expect(try await token(scope: "read", of: vault) == "at-read")
    #expect(bench.exchange.requests.last?.url == Self.endpoint)
    #expect(bench.forms.count == 1)
  }

  /// No other endpoint can judge such a token.
  @Test
  func aTokenOfOtherScopesGetsOneRefreshWithoutIntrospection() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: ["userinfo_endpoint": "https://id.example.com/me"])
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", scope: "read"))
    #expect(try await token(scope: "read", of: vault) == "at-read")
    bench.clock.advance(5)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-3", scope: "read"))
    #expect(try await token(scope: "read", of: vault) == "at-read-2")
    #expect(bench.forms.map { $0["scope"] } == ["read", "read"])
    #expect(bench.exchange.requests.allSatisfy { $0.url == "https://id.example.com/token" })
  }

  /// The newer token serves, without another refresh.
  @Test
  func aTokenMayBeReplacedWhileTheProviderIsAsked() async throws {
    let (bench, vault) = try await introspected()
    bench.clock.advance(1800)
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.hold()
    let requests = bench.exchange.requests.count
    async let newer = vault.token(minimum: 3000).accessToken
    await bench.exchange.untilRequested(requests + 1)
    async let repeated = token(of: vault)
    await bench.exchange.untilRequested(requests + 2)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await newer == "at-2")
    bench.exchange.plan(.answer(status: 200, body: #"{"active":false}"#))
    #expect(try await repeated == "at-2")
    #expect(bench.forms.count == 1)
  }

  /// The userinfo endpoint is asked first: it judges as a resource server does.
  @Test
  func userinfoComesFirst() async throws {
    let userinfo = "https://id.example.com/me"
    let (bench, vault) = try await introspected(["userinfo_endpoint": userinfo])
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token(of: vault) == "at-1")
    #expect(bench.exchange.requests.last?.url == userinfo)
  }

  /// The same answer is given about a token that the client may not know of.
  @Test(arguments: [(200, #"{"active":false}"#), (403, "{}")])
  func anInactiveTokenGetsOneRefresh(_ status: Int, _ body: String) async throws {
    let (bench, vault) = try await introspected()
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(
      .answer(status: status, body: body),
      oauthTokens("at-2", refresh: "rt-2")
    )
    #expect(try await token(of: vault) == "at-2")
    // One look in a minute.
    bench.clock.advance(10)
    #expect(try await token(of: vault) == "at-2")
    #expect(bench.forms.count == 1)
  }

  @Test
  func anInactiveTokenOpensNoPrompt() async throws {
    let (bench, vault) = try await introspected()
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: #"{"active":false}"#))
    #expect(try await token(of: vault) == "at-1")
    #expect(await vault.prompts.isEmpty)
  }

  @Test(arguments: [429, 500])
  func aServerInTroubleSaysNothing(_ status: Int) async throws {
    let (bench, vault) = try await introspected()
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: status, body: "{}"))
    #expect(try await token(of: vault) == "at-1")
    #expect(bench.forms.isEmpty)
  }

  /// A provider without userinfo and introspection cannot tell.
  @Test
  func withoutAnEndpointATokenOfOAuthGetsOneRefresh() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await token(of: vault) == "at-2")
    #expect(bench.forms.count == 1)
  }

  /// `whoami --verify` asks there as well.
  @Test
  func aPersonMayAskToo() async throws {
    let (bench, vault) = try await introspected()
    func verify() async throws -> Bool {
      try await vault.verification(account: "me", prompt: nil, caller: caller()).verification
        .isAccepted
    }
    bench.exchange.plan(.answer(status: 200, body: #"{"active":true}"#))
    #expect(try await verify())
    bench.exchange.plan(.answer(status: 200, body: #"{"active":false}"#))
    #expect(try await !verify())
    // The answer is about the token that programs have. From then on, they get a newer one.
    #expect(bench.forms.isEmpty)
    #expect(try bench.scratch.files()["tokens/me"] == nil)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    let nowhere = await failure { _ = try await verify() }
    guard case .misconfigured(let why)? = nowhere, why.contains("introspection_endpoint") else {
      Issue.record("\(String(describing: nowhere))")
      return
    }
  }
}
