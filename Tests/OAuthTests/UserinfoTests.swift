import OAuth
import Testing

@Suite
struct UserinfoTests {
  private func judged(_ status: Int, _ body: String, subject: String? = nil) throws -> String {
    let judgement = ProviderClient(provider: try openID()).judgeProfile(
      status: status,
      retryAfter: nil,
      body: try secret(body),
      subject: subject
    )
    switch judgement {
    case .profile(let facts, _): return "profile \(facts.id ?? "-") \(facts.email ?? "-")"
    case .unauthorized: return "unauthorized"
    case .notThere: return "not there"
    case .rateLimited: return "rate limited"
    case .refused(let status, let message): return "refused \(status) \(message)"
    case .failing(let status, _, _): return "failing \(status)"
    }
  }

  @Test
  func factsAreNamedByOpenIDConnect() throws {
    let body = #"{"sub":"u1","email":"a@b","name":"Ann","email_verified":true}"#
    #expect(try judged(200, body) == "profile u1 a@b")
    #expect(try judged(200, body, subject: "u1") == "profile u1 a@b")
  }

  /// OpenID Connect Core 1.0, section 5.3.2.
  @Test
  func factsAboutSomeoneElseAreRefused() throws {
    for body in [#"{"sub":"u2","email":"a@b"}"#, #"{"email":"a@b"}"#, "{}", #"{"sub":["u1"]}"#] {
      #expect(
        try judged(200, body, subject: "u1")
          == "refused 200 the provider answered about another person"
      )
    }
  }

  /// Some answer 400 instead of 401 (RFC 6750), although only the token was sent.
  @Test
  func aTokenThatIsNotAcceptedIsRefreshed() throws {
    #expect(try judged(401, "") == "unauthorized")
    #expect(try judged(400, "") == "unauthorized")
    #expect(try judged(403, "") == "refused 403 the provider answered 403")
    #expect(try judged(404, "") == "not there")
    #expect(try judged(503, "") == "failing 503")
    // A signed answer (application/jwt) was not requested.
    #expect(try judged(200, "eyJhbGciOiJSUzI1NiJ9.e30.AAAA") == "failing 200")
  }
}
