import Configuration
import JSON
import OAuth
import SecretMemory
import Testing

/// The requests to a provider that gives one token, and the meaning of its answers.
@Suite
struct OneTokenTests {
  private static let fields = ["access_token_field": "token", "refresh_token_field": "token"]

  private func one(_ more: [String: String] = [:]) throws -> ProviderClient {
    try client(Self.fields.merging(more) { $1 })
  }

  private func answer(_ body: String, _ more: [String: String] = [:]) throws -> TokenAnswer? {
    let judgement = try one(more).judge(
      status: 200,
      retryAfter: nil,
      body: try secret(body),
      for: .refresh
    )
    if case .tokens(let answer) = judgement { return answer }
    return nil
  }

  private func jwt(_ claims: String) -> String {
    "eyJhbGciOiJIUzI1NiJ9." + Base64.url.text(Array(claims.utf8)) + ".c2lnbmF0dXJl"
  }

  @Test
  func theTokenIsASecretAndNoTextBesides() throws {
    let found = try #require(try answer(#"{"token":"one-1","expiresIn":60}"#))
    #expect(text(found.refreshToken) == "one-1")
    #expect(found.accessToken.isEmpty)
    #expect(found.presentedToken == "one-1")
    #expect(found.expiresIn == nil)
    let named = ["expires_in_field": "expiresIn"]
    #expect(try answer(#"{"token":"one-1","expiresIn":60}"#, named)?.expiresIn == 60)
  }

  @Test(
    arguments: [
      (#"{"iat":1000,"exp":4600}"#, 3600), (#"{"iat":1000.5,"exp":4600.5}"#, 3600),
      (#"{"exp":4600}"#, nil), (#"{"iat":4600,"exp":4600}"#, nil), (#"{"iat":"1","exp":2}"#, nil),
      (#"{"iat":0,"exp":1e300}"#, nil), (#"{"iat":-9e18,"exp":9e18}"#, nil), ("[]", nil), ("", nil),
      (#"{"iat":1,"iat":2,"exp":9}"#, nil),
    ] as [(String, Int?)]
  )
  func aJWTSaysHowLongItLives(_ claims: String, _ lifetime: Int?) throws {
    let token = jwt(claims)
    #expect(try answer(#"{"token":"\#(token)"}"#)?.expiresIn == lifetime)
    // The answer's own lifetime takes precedence.
    #expect(try answer(#"{"token":"\#(token)","expires_in":7}"#)?.expiresIn == 7)
  }

  @Test(arguments: ["a", ".", "..", "...", "a.b", "a.!.c", "a..c", ".e30.", "e30.e30.e30"])
  func whatIsNoJWTSaysNothing(_ token: String) throws {
    let found = try #require(try answer(#"{"token":"\#(token)"}"#))
    #expect(found.expiresIn == nil && text(found.refreshToken) == token)
  }

  @Test(arguments: [
    "{}", #"{"token":""}"#, #"{"token":null}"#, #"{"token":7}"#, #"{"token":"a b"}"#,
    #"{"token":"a\u0000"}"#, #"{"access_token":"a","refresh_token":"b"}"#,
    #"{"token":"\#(String(repeating: "a", count: 16 * 1024 + 1))"}"#,
  ])
  func whatIsNoTokenIsNotTaken(_ body: String) throws {
    #expect(try answer(body) == nil)
  }

  @Test
  func aRefreshAndALogoutCarryItAsMemberAndAsBearer() throws {
    let refresh = try backend(Self.fields).refresh(try secret("one-1"))
    #expect(text(refresh.body) == #"{"token":"one-1"}"#)
    #expect(text(refresh.credentials) == "Bearer one-1")
    let logout = try backend(Self.fields).logout(
      accessToken: nil,
      refreshToken: try shared("one-1")
    )
    #expect(text(logout.body) == #"{"token":"one-1"}"#)
    #expect(text(logout.credentials) == "Bearer one-1")
    // With two tokens the refresh token must not be sent as a bearer.
    #expect(try backend().refresh(try secret("rt-1")).credentials == nil)
    #expect(try backend().logout(accessToken: nil, refreshToken: shared("rt-1")).credentials == nil)
  }

  @Test
  func anEndpointThatIsNotThereIsNamedWithTheRemedy() throws {
    let judgement = try one().judge(status: 404, retryAfter: nil, body: secret(""), for: .refresh)
    guard case .misconfigured(let why, nil, false) = judgement else {
      Issue.record("\(judgement)")
      return
    }
    #expect(why.contains("refresh_path = none"), "\(why)")
  }

  @Test(arguments: [TokenPurpose.login, .refresh])
  func theSameTokenUnderTwoNamesIsRefused(_ purpose: TokenPurpose) throws {
    let judgement = try client().judge(
      status: 200,
      retryAfter: nil,
      body: secret(#"{"access_token":"same","refresh_token":"same"}"#),
      for: purpose
    )
    guard case .misconfigured(let why, let token, true) = judgement else {
      Issue.record("\(judgement)")
      return
    }
    #expect(why.contains("refresh_token_field = access_token"), "\(why)")
    // The previous token may be dead by now.
    #expect(text(token) == (purpose == .refresh ? "same" : nil))
  }

  @Test
  func withoutARefreshTokenTheRemedyIsNamed() throws {
    for provider in [try backend().provider, try plainOAuth()] {
      let judged = try judged(provider, 200, #"{"access_token":"at"}"#, for: .login)
      #expect(judged.contains("refresh_token_field = access_token"), "\(judged)")
    }
  }

  @Test
  func anOAuthGrantWithoutARefreshTokenIsTakenWhereTheFileSaysSo() throws {
    let settings = ["refresh_token_field": "access_token"]
    let granted = try judged(
      try plainOAuth(settings),
      200,
      #"{"access_token":"gho_1","token_type":"bearer","scope":"repo"}"#,
      for: .code
    )
    #expect(granted == "tokens  gho_1 -")
    // A refresh token would be discarded, and stay valid.
    let more = try judged(
      try plainOAuth(settings),
      200,
      #"{"access_token":"gho_1","refresh_token":"ghr_1"}"#,
      for: .code
    )
    #expect(more.hasPrefix("misconfigured ghr_1 "), "\(more)")
    let form = try ProviderClient(provider: openID(settings)).revocation(
      accessToken: nil,
      refreshToken: shared("gho_1")
    )
    #expect(text(form?.body)?.contains("token_type_hint=access_token") == true)
  }
}
