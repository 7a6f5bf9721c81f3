import OAuth
import SecretMemory
import Testing

private let formHeaders = [
  "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
]

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
  func theTokenOfACodeOnAnotherDeviceIsForTheResource() throws {
    let client = ProviderClient(provider: try openID(["resource": "urn:a;urn:b"]))
    let request = try client.deviceToken(secret("dc-1"))
    let body = try #require(text(request.body))
    let resources = "&resource=urn%3Aa&resource=urn%3Ab"
    #expect(body.hasSuffix("&device_code=dc-1\(resources)&client_id=client-1"))
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

  /// An access token expires by itself, so the refresh token is revoked.
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
    #expect(client.judgeLogout(status: 200, body: try secret("")) == .revoked)
    #expect(
      client.judgeLogout(status: 404, body: try secret(""))
        == .notRevoked(reason: "the revocation endpoint is not there")
    )
    for status in [0, 302, 400, 401, 429, 503] {
      #expect(client.judgeLogout(status: status, body: try secret("")) != .revoked)
    }
  }

  @Test
  func anErrorWithASuccessStatusConfirmsNoRevocation() throws {
    let client = ProviderClient(provider: try openID())
    func judged(_ code: String) throws -> LogoutJudgement {
      client.judgeLogout(
        status: 200,
        body: try secret(#"{"ok":false,"error":"\#(code)"}"#),
        sent: try shared("rtverysecret")
      )
    }
    #expect(
      try judged("invalid_token")
        == .notRevoked(reason: "the provider answered 200 with the error invalid_token")
    )
    for code in ["rtverysecret", "not a code"] {
      #expect(try judged(code) == .notRevoked(reason: "the provider answered 200 with an error"))
    }
  }

  @Test
  func userinfoIsAskedWithOnlyTheAccessToken() throws {
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
