import JSON
import OAuth
import SecretMemory
import Testing

@Suite
struct ProfileTests {
  private func judged(_ status: Int, _ body: String, retryAfter: Int? = nil) throws -> String {
    let judgement = try client().judgeProfile(
      status: status,
      retryAfter: retryAfter,
      body: secret(body)
    )
    switch judgement {
    case .profile(let facts, let object):
      let json = String(decoding: try JSONWriter.write(.object(object)), as: UTF8.self)
      return "profile \(facts.id ?? "-") \(facts.email ?? "-") \(json)"
    case .unauthorized: return "unauthorized"
    case .notThere: return "not there"
    case .rateLimited(let wait): return "rate limited \(wait.map(String.init) ?? "-")"
    case .refused(let status, let message): return "refused \(status) \(message)"
    case .failing(let status, let wait, _):
      return "failing \(status) \(wait.map(String.init) ?? "-")"
    }
  }

  @Test
  func theProvidersObjectIsHandedOn() throws {
    #expect(
      try judged(200, #"{"id":"u1","email":"a@b","x":[1,{"y":null}]}"#)
        == #"profile u1 a@b {"id":"u1","email":"a@b","x":[1,{"y":null}]}"#
    )
    #expect(
      try judged(200, #"{"user":{"id":"u1","email":"a@b"}}"#)
        == #"profile u1 a@b {"user":{"id":"u1","email":"a@b"}}"#
    )
    #expect(try judged(200, "{}") == "profile - - {}")
  }

  @Test
  func secretsInAProfileAreLeftOut() throws {
    let body = #"{"id":"u","refresh_token":"rt","a":{"password":"p","b":1},"c":[{"password":"p"}]}"#
    #expect(try judged(200, body) == #"profile u - {"id":"u","a":{"b":1},"c":[{}]}"#)
  }

  @Test
  func otherAnswersAreToldApart() throws {
    #expect(try judged(401, "") == "unauthorized")
    #expect(try judged(404, "") == "not there")
    #expect(try judged(405, "") == "not there")
    #expect(try judged(429, "", retryAfter: 3) == "rate limited 3")
    #expect(try judged(403, #"{"detail":"no"}"#) == "refused 403 no")
    #expect(try judged(302, "") == "refused 302 the provider answered 302")
    #expect(try judged(503, "", retryAfter: 9) == "failing 503 9")
    #expect(try judged(200, "<html>") == "failing 200 -")
    #expect(try judged(200, "") == "failing 200 -")
  }

  @Test
  func onlyASuccessConfirmsASignOut() throws {
    let client = try client()
    for (status, body) in [
      (200, ""), (204, ""), (200, "OK"), (200, #"{"message":"bye"}"#), (200, #"{"error":null}"#),
      (200, #"{"error":""}"#),
    ] {
      #expect(client.judgeLogout(status: status, body: try secret(body)) == .revoked, "\(body)")
    }
    for status in [0, 302, 400, 401, 404, 429, 500] {
      #expect(client.judgeLogout(status: status, body: try secret("")) != .revoked)
    }
  }
}
