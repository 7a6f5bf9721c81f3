import Configuration
import OAuth
import SecretMemory
import Testing

/// The meaning of an answer for an access token.
struct VerificationTests {
  private func judged(
    _ provider: Provider,
    _ status: Int,
    _ body: String,
    retryAfter: Int? = nil,
    subject: String? = nil
  ) throws -> String {
    let judgement = ProviderClient(provider: provider).judgeVerification(
      status: status,
      retryAfter: retryAfter,
      body: try secret(body),
      subject: subject
    )
    return described(judgement)
  }

  private func described(_ judgement: VerificationJudgement) -> String {
    switch judgement {
    case .accepted(let user, let seconds):
      return "accepted \(user?.id ?? "-") \(seconds.map(String.init) ?? "-")"
    case .refused: return "refused"
    case .inactive: return "inactive"
    case .notThere: return "not there"
    case .rateLimited(let wait): return "rate limited \(wait.map(String.init) ?? "-")"
    case .unclear(let status, let message): return "unclear \(status) \(message)"
    case .failing(let status, let wait, _):
      return "failing \(status) \(wait.map(String.init) ?? "-")"
    }
  }

  @Test(arguments: [
    (200, #"{"valid":true,"expires_in":42,"user":{"id":"7"}}"#, "accepted 7 42"),
    (200, "{}", "accepted - -"), (204, "", "accepted - -"),
    (200, #"{"active":true,"expires_in":"9"}"#, "accepted - 9"),
    (200, #"{"valid":false}"#, "refused"), (200, #"{"active":false}"#, "refused"),
    (200, #"{"valid":"false"}"#, "accepted - -"), (401, "{}", "refused"), (401, "", "refused"),
    (403, #"{"message":"no"}"#, "unclear 403 no"), (404, "", "not there"), (405, "", "not there"),
    (429, "", "rate limited 5"), (503, "", "failing 503 5"),
    // A page for people says nothing about a token.
    (200, "<html>Welcome</html>", "failing 200 -"),
    (302, "", "unclear 302 the provider answered 302"),
  ])
  func aPasswordBackend(_ status: Int, _ body: String, _ expected: String) throws {
    let provider = try backend().provider
    #expect(try judged(provider, status, body, retryAfter: status >= 429 ? 5 : nil) == expected)
  }

  @Test
  func anAnswerAboutAnotherPersonAcceptsNothing() throws {
    let found = try judged(try openID(), 200, #"{"sub":"mallory"}"#, subject: "ada")
    #expect(found.hasPrefix("unclear 200"))
    #expect(try judged(try openID(), 200, #"{"sub":"ada"}"#, subject: "ada") == "accepted ada -")
  }

  @Test
  func eachKindOfProviderIsAskedWhereItCanAnswer() throws {
    let backend = try ProviderClient(provider: backend().provider)
    let request = try backend.verification(accessToken: "at")
    #expect(request.method == "GET" && request.url == "https://id.example.com/v1/auth/verify")
    #expect(request.headers.contains("Authorization: Bearer at"))
    let server = ProviderClient(provider: try openID())
    #expect(try server.verification(accessToken: "at").url == "https://id.example.com/me")
    #expect(throws: OAuthError.self) {
      try ProviderClient(provider: try plainOAuth()).verification(accessToken: "at")
    }
  }

  /// Introspection (RFC 7662): only `active` counts, and only the server's own yes or no.
  @Test(arguments: [
    (200, #"{"active":true,"exp":1763717400,"aud":"x"}"#, "accepted - -"),
    (200, #"{"active":false}"#, "inactive"), (200, #"{"active":"true"}"#, "not there"),
    (200, "{}", "not there"), (200, "", "not there"), (200, "<html>", "not there"),
    (200, #"{"active":false,"active":true}"#, "not there"),
    // Perhaps only resource servers may ask.
    (401, #"{"error":"invalid_client"}"#, "not there"), (403, "{}", "not there"),
    (400, "{}", "not there"), (404, "", "not there"), (302, "", "not there"),
    (429, "", "rate limited 5"), (503, #"{"active":true}"#, "failing 503 5"),
  ])
  func introspection(_ status: Int, _ body: String, _ expected: String) throws {
    let judgement = ProviderClient(provider: try plainOAuth()).judgeIntrospection(
      status: status,
      retryAfter: status >= 429 ? 5 : nil,
      body: try secret(body)
    )
    #expect(described(judgement) == expected)
  }

  @Test(arguments: ["post", "basic"])
  func aClientWithASecretAsksForIntrospection(_ how: String) throws {
    let endpoint = ["introspection_endpoint": "https://id.example.com/introspect"]
    let secret = ["client_secret": "s", "client_authentication": how]
    let client = ProviderClient(provider: try plainOAuth(endpoint.merging(secret) { $1 }))
    let request = try #require(try client.introspection(accessToken: "at+1"))
    #expect(request.method == "POST" && request.url == "https://id.example.com/introspect")
    #expect(!request.headers.contains { $0.contains("Authorization") })
    let own = how == "post" ? "&client_id=client-1&client_secret=s" : ""
    #expect(text(request.body) == "token=at%2B1&token_type_hint=access_token" + own)
    #expect((request.credentials == nil) == (how == "post"))
    // RFC 7662, section 2.1: the server must demand an authorization.
    for others in [endpoint, secret] {
      let client = ProviderClient(provider: try plainOAuth(others))
      #expect(try client.introspection(accessToken: "at") == nil)
    }
    let backend = try ProviderClient(provider: backend().provider)
    #expect(try backend.introspection(accessToken: "at") == nil)
  }
}
