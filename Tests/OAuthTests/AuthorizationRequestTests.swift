import Configuration
import OAuth
import Testing

@Suite
struct AuthorizationRequestTests {
  private func url(_ provider: Provider, scope: ScopeRequest? = nil) throws -> String {
    try ProviderClient(provider: provider).authorization(
      redirect: "http://127.0.0.1:4711/callback",
      state: "st-1",
      nonce: "no-1",
      challenge: "ch-1",
      scope: scope
    )
  }

  @Test
  func theURLIsTheseBytes() throws {
    #expect(
      try url(openID())
        == "https://id.example.com/authorize?response_type=code&client_id=client-1"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback&state=st-1&code_challenge=ch-1"
        + "&code_challenge_method=S256&nonce=no-1&scope=offline_access%20openid"
    )
    #expect(
      try url(plainOAuth())
        == "https://id.example.com/authorize?response_type=code&client_id=client-1"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback&state=st-1&code_challenge=ch-1"
        + "&code_challenge_method=S256"
    )
  }

  @Test
  func aQueryOfTheEndpointStays() throws {
    let provider = try plainOAuth(["authorization_endpoint": "https://id.example.com/a?tenant=7"])
    #expect(
      try url(provider).hasPrefix("https://id.example.com/a?tenant=7&response_type=code&")
    )
  }

  @Test
  func nothingThatIsGivenAddsParameters() throws {
    let provider = try openID([
      "client_id": "c&state=evil#x", "audience": "a&b=c",
      "resource": "https://api.example.com/?a=b",
      "authorization_parameters": "prompt=consent&login_hint=me%26state%3Devil",
    ])
    let url = try url(provider)
    #expect(url.contains("&client_id=c%26state%3Devil%23x&"))
    #expect(url.contains("&audience=a%26b%3Dc&resource=https%3A%2F%2Fapi.example.com%2F%3Fa%3Db"))
    #expect(url.hasSuffix("&login_hint=me%26state%3Devil&prompt=consent"))
    #expect(url.split(separator: "&").filter { $0.hasPrefix("state=") } == ["state=st-1"])
    #expect(!url.contains("#"))
  }

  @Test
  func whatIsAskedForReplacesTheProvidersOwnAndKeepsTheIDToken() throws {
    let provider = try openID(["audience": "first", "resource": "urn:a;urn:b"])
    let request = try ScopeRequest(scope: "write read", audience: "second", resources: ["urn:c"])
    let url = try url(provider, scope: request)
    #expect(url.hasSuffix("&scope=read%20write%20openid&audience=second&resource=urn%3Ac"))
    #expect(
      try self.url(provider)
        .hasSuffix(
          "&scope=offline_access%20openid&audience=first&resource=urn%3Aa&resource=urn%3Ab"
        )
    )
    #expect(
      try self.url(plainOAuth(), scope: request).hasSuffix(
        "&scope=read%20write&audience=second&resource=urn%3Ac"
      )
    )
  }

  @Test
  func withoutAnEndpointNothingIsAsked() throws {
    let provider = try Provider(
      name: ProviderName("dev"),
      settings: ["kind": "oidc", "issuer": "https://id.example.com", "client_id": "c"]
    )
    let client = ProviderClient(provider: provider)
    #expect(throws: OAuthError.notOffered(what: "provider dev has no `authorization_endpoint`")) {
      try url(provider)
    }
    #expect(throws: OAuthError.notOffered(what: "provider dev has no `token_endpoint`")) {
      try client.refresh(secret("rt"))
    }
    #expect(throws: OAuthError.notOffered(what: "provider dev has no `userinfo_endpoint`")) {
      try client.profile(accessToken: "at")
    }
    #expect(throws: OAuthError.self) { try client.deviceAuthorization() }
    #expect(try client.revocation(accessToken: "at", refreshToken: shared("rt")) == nil)
    #expect(client.flows == [])
  }

  @Test
  func flowsAreThoseThatHaveTheirEndpoints() throws {
    #expect(ProviderClient(provider: try openID()).flows == [.browser, .device])
    let withPassword = try openID(["password_grant": "true"])
    #expect(ProviderClient(provider: withPassword).flows == [.browser, .device, .password])
    #expect(ProviderClient(provider: try backend().provider).flows == [.password])
  }
}
