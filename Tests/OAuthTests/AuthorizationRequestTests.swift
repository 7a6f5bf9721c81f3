import Configuration
import OAuth
import SecretMemory
import Testing

private let formHeaders = [
  "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
]

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

@Suite
struct TokenRequestTests {
  @Test
  func requestsAreTheseBytesEachTime() throws {
    let client = ProviderClient(provider: try openID())
    for _ in 0..<3 {
      let code = try client.code(
        secret("c/+ 1"),
        redirect: "http://[::1]:80/cb",
        verifier: secret("v-1")
      )
      #expect(code.method == "POST" && code.url == "https://id.example.com/token")
      #expect(code.headers == formHeaders)
      #expect(
        text(code.body)
          == "grant_type=authorization_code&code=c%2F%2B%201"
          + "&redirect_uri=http%3A%2F%2F%5B%3A%3A1%5D%3A80%2Fcb&code_verifier=v-1"
          + "&client_id=client-1"
      )
      let refresh = try client.refresh(secret("rt&client_id=x"))
      #expect(refresh.url == "https://id.example.com/token")
      #expect(
        text(refresh.body)
          == "grant_type=refresh_token&refresh_token=rt%26client_id%3Dx&client_id=client-1"
      )
      let device = try client.deviceAuthorization()
      #expect(device.url == "https://id.example.com/device")
      #expect(text(device.body) == "scope=offline_access%20openid&client_id=client-1")
      let poll = try client.deviceToken(secret("dc-1"))
      #expect(poll.url == "https://id.example.com/token")
      #expect(
        text(poll.body)
          == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc-1"
          + "&client_id=client-1"
      )
    }
  }

  @Test
  func aRefreshAsksForLessWhereThatIsWanted() throws {
    let client = ProviderClient(provider: try openID(["resource": "urn:a"]))
    let less = try ScopeRequest(scope: "b a", audience: "api", resources: [])
    #expect(
      text(try client.refresh(secret("rt"), scope: less).body)
        == "grant_type=refresh_token&refresh_token=rt&scope=a%20b&audience=api&resource=urn%3Aa"
        + "&client_id=client-1"
    )
    #expect(
      text(try client.refresh(secret("rt"), scope: .standard).body)
        == "grant_type=refresh_token&refresh_token=rt&resource=urn%3Aa&client_id=client-1"
    )
    // If that would be permanent, it cannot be requested.
    let whole = ProviderClient(provider: try openID(["refresh_scope": "whole"]))
    #expect(
      text(try whole.refresh(secret("rt"), scope: less).body)
        == "grant_type=refresh_token&refresh_token=rt&audience=api&client_id=client-1"
    )
  }

  @Test
  func whatALoginAsksForIsKnown() throws {
    let client = ProviderClient(provider: try openID(["scope": "openid mail"]))
    #expect(client.loginScopes(nil) == ["mail", "openid"])
    #expect(client.loginScopes(try ScopeRequest(scope: "read")) == ["read", "openid"])
    #expect(ProviderClient(provider: try backend().provider).loginScopes(nil) == [])
  }

  /// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
  @Test
  func aClientWithASecretShowsIt() throws {
    let settings = ["client_id": "a:b+c", "client_secret": "p%/:"]
    let basic = ProviderClient(provider: try openID(settings))
    let request = try basic.refresh(secret("rt"))
    // a%3Ab%2Bc:p%25%2F%3A
    #expect(request.headers == formHeaders)
    #expect(text(request.credentials) == "Basic YSUzQWIlMkJjOnAlMjUlMkYlM0E=")
    #expect(text(request.body) == "grant_type=refresh_token&refresh_token=rt")
    let post = ProviderClient(
      provider: try openID(settings.merging(["client_authentication": "post"]) { $1 })
    )
    let posted = try post.refresh(secret("rt"))
    #expect(posted.headers == formHeaders && posted.credentials == nil)
    #expect(
      text(posted.body)
        == "grant_type=refresh_token&refresh_token=rt&client_id=a%3Ab%2Bc"
        + "&client_secret=p%25%2F%3A"
    )
  }

  @Test
  func aPasswordGoesOutOnlyWhereTheProviderIsSetUpForIt() throws {
    let error = #expect(throws: OAuthError.self) {
      try ProviderClient(provider: openID()).login(email: "me@example.com", password: secret("p"))
    }
    guard case .notOffered? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    let client = ProviderClient(provider: try openID(["password_grant": "true"]))
    let request = try client.login(email: "me@example.com", password: secret("p&\u{0} ä"))
    #expect(
      text(request.body)
        == "grant_type=password&username=me%40example.com&password=p%26%00%20%C3%A4"
        + "&scope=offline_access%20openid&client_id=client-1"
    )
    #expect(throws: OAuthError.self) {
      try client.register(email: "a@b", name: nil, password: secret("p"))
    }
    #expect(throws: OAuthError.self) { try client.login(email: "a\nb", password: secret("p")) }
  }

  /// An access token may end by itself, so the refresh token is the one that is revoked.
  @Test
  func aRevocationNamesTheRefreshTokenWhereThereIsOne() throws {
    let client = ProviderClient(provider: try openID())
    let both = try #require(
      try client.revocation(accessToken: "at", refreshToken: shared("rt"))
    )
    #expect(both.url == "https://id.example.com/revoke" && both.headers == formHeaders)
    #expect(text(both.body) == "token=rt&token_type_hint=refresh_token&client_id=client-1")
    let one = try #require(try client.revocation(accessToken: "at", refreshToken: nil))
    #expect(text(one.body) == "token=at&token_type_hint=access_token&client_id=client-1")
    #expect(try client.revocation(accessToken: nil, refreshToken: nil) == nil)
    #expect(client.judgeLogout(status: 200) == .revoked)
    #expect(
      client.judgeLogout(status: 404)
        == .notRevoked(reason: "the revocation endpoint is not there")
    )
    for status in [0, 302, 400, 401, 429, 503] {
      #expect(client.judgeLogout(status: status) != .revoked)
    }
  }

  @Test
  func userinfoIsAskedWithTheAccessTokenAlone() throws {
    let client = ProviderClient(provider: try openID())
    let request = try client.profile(accessToken: "at")
    #expect(request.method == "GET" && request.url == "https://id.example.com/me")
    #expect(request.headers == ["Accept: application/json", "Authorization: Bearer at"])
    #expect(request.body == nil)
    #expect(try client.profileFallback(accessToken: "at") == nil)
    for token in ["", "a b", "a\r\nX-Evil: 1", "a\0"] {
      #expect(throws: OAuthError.self) { try client.profile(accessToken: token) }
    }
  }

  @Test
  func whatIsTooLongIsNotSent() throws {
    let client = ProviderClient(provider: try openID())
    let long = String(repeating: "x", count: 16_385)
    #expect(throws: OAuthError.self) { try client.refresh(secret(long)) }
    #expect(throws: OAuthError.self) { try client.refresh(secret("")) }
    #expect(throws: OAuthError.self) { try client.deviceToken(secret(long)) }
    #expect(throws: OAuthError.self) {
      try client.code(secret(""), redirect: "http://127.0.0.1/", verifier: secret("v"))
    }
    // Each byte becomes three, and still fits.
    let wide = String(repeating: "/", count: 16_384)
    #expect(try client.refresh(secret(wide)).body?.bytes.count ?? 0 > 3 * 16_384)
  }

  @Test
  func aPasswordBackendIsSpokenToAsBefore() throws {
    let backend = try backend()
    let client = ProviderClient(provider: backend.provider)
    let refresh = try client.refresh(secret("rt"))
    #expect(text(refresh.body) == #"{"refresh_token":"rt"}"#)
    #expect(refresh.url == "https://id.example.com/v1/auth/refresh")
    #expect(try client.login(email: "a@b", password: secret("p")).url.hasSuffix("/auth/login"))
    #expect(try client.profileFallback(accessToken: "at")?.url.hasSuffix("/user/profile") == true)
    #expect(try client.refresh(secret("rt"), scope: .standard).method == "POST")
    let scoped = try ScopeRequest(scope: "a")
    #expect(throws: OAuthError.self) { try client.refresh(secret("rt"), scope: scoped) }
    #expect(throws: OAuthError.self) { try client.deviceAuthorization() }
    #expect(throws: OAuthError.self) {
      try client.authorization(redirect: "", state: "", nonce: "", challenge: "")
    }
  }
}

@Suite
struct ProofKeyTests {
  /// RFC 7636, appendix B.
  @Test
  func theChallengeIsTheDigestOfTheVerifier() throws {
    let verifier = try secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(
      try ProofKey.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
  }

  @Test
  func verifiersAndIdentifiersAreWellFormedAndNeverTheSame() throws {
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var seen: Set<String> = []
    for _ in 0..<500 {
      let verifier = try #require(text(SharedSecret(try ProofKey.verifier())))
      for text in [verifier, try ProofKey.identifier()] {
        #expect(text.count == 43 && text.allSatisfy(letters.contains))
        #expect(seen.insert(text).inserted)
      }
    }
    // Every letter occurs, and the last one stands for only four bits.
    #expect(Set(seen.joined()) == letters)
    #expect(Set(seen.compactMap(\.last)).count == 16)
  }
}

@Suite
struct ScopeRequestTests {
  @Test
  func whatMeansTheSameHasTheSameKey() throws {
    let one = try ScopeRequest(scope: "b  a b", audience: "x", resources: ["urn:b", "urn:a"])
    let other = try ScopeRequest(
      scope: "a b",
      audience: "x",
      resources: ["urn:a", "urn:b", "urn:a"]
    )
    #expect(one == other && one.key == other.key)
    #expect(one.scopes == ["a", "b"] && one.resources == ["urn:a", "urn:b"])
    #expect(one.key == "a b\naudience=x\nresource=urn:a\nresource=urn:b")
  }

  @Test
  func theStandardRequestHasNoKey() throws {
    #expect(ScopeRequest.standard.key == "")
    #expect(try ScopeRequest(scope: nil) == .standard)
    #expect(try ScopeRequest(scope: "  ") == .standard)
    #expect(ScopeRequest(key: "") == .standard)
  }

  @Test
  func keysAreReadBackAndNothingElseIs() throws {
    let requests = [
      try ScopeRequest(scope: "a"), try ScopeRequest(scope: nil, audience: "a=b"),
      try ScopeRequest(scope: nil, resources: ["https://x.example/"]),
      try ScopeRequest(scope: "b a", audience: "audience=x", resources: ["urn:a"]),
    ]
    #expect(Set(requests.map(\.key)).count == requests.count)
    for request in requests { #expect(ScopeRequest(key: request.key) == request) }
    for key in [
      "b a", "a a", "a\n", "\n", "a\naudience=", "a\naudience=x\naudience=y", "a\nresource=x",
      "a\nresource=urn:b\nresource=urn:a", "a\nresource=urn:a\naudience=x", "a\u{0}", "a\nb",
    ] {
      #expect(ScopeRequest(key: key) == nil)
    }
  }

  /// NQCHAR of RFC 6749, appendix A.4.
  @Test(arguments: ["a\"b", "a\\b", "a\u{7F}", "ä", "a\tb", "a\nb", "a\u{0}", "a\u{A0}b"])
  func whatIsNoScopeIsRefused(_ scope: String) {
    #expect(throws: OAuthError.self) { try ScopeRequest(scope: scope) }
  }

  @Test
  func whatIsNoAudienceOrResourceIsRefused() {
    for audience in ["", "a b", "a\nb", "ä", String(repeating: "a", count: 1025)] {
      #expect(throws: OAuthError.self) { try ScopeRequest(scope: nil, audience: audience) }
    }
    for resource in ["", "api", "/path", "https://x/#f", "1a:b", "a b:c", "urn:", "urn:\n"] {
      #expect(throws: OAuthError.self) { try ScopeRequest(scope: nil, resources: [resource]) }
    }
  }

  @Test
  func thereIsAnEndToIt() throws {
    let many = (0..<65).map { "s\($0)" }
    #expect(throws: OAuthError.self) { try ScopeRequest(scope: many.joined(separator: " ")) }
    #expect(throws: OAuthError.self) {
      try ScopeRequest(scope: String(repeating: "a", count: 1025))
    }
    #expect(throws: OAuthError.self) {
      try ScopeRequest(scope: nil, resources: many.map { "urn:\($0)" })
    }
  }
}
