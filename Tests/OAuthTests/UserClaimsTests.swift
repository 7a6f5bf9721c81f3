import Configuration
import JSON
import OAuth
import SecretMemory
import Testing

/// The facts about a person that are kept from a provider's answer.
struct UserClaimsTests {
  private func user(
    _ body: String,
    settings: [String: String] = [:]
  ) throws -> UserFacts? {
    let judgement = try client(settings).judgeProfile(
      status: 200,
      retryAfter: nil,
      body: secret(body)
    )
    guard case .profile(let user, _) = judgement else { return nil }
    return user
  }

  private func claims(_ members: String) throws -> JSONObject {
    try #require(try user(#"{"id":"1",\#(members)}"#)).claims
  }

  @Test
  func factsThatHaveANameAreNoClaims() throws {
    let body = #"""
      {"id":"1","email":"a@b.c","name":"Ada","role":"admin","email_verified":true,
       "created_at":"2026-08-21T10:00:00Z","team":"x","level":7,"score":1.5,"none":null,
       "tags":["a",1],"address":{"city":"Turin"}}
      """#
    let user = try #require(try user(body))
    #expect(user.role == "admin" && user.emailVerified == true)
    #expect(user.createdAt == 1_787_306_400)
    #expect(
      user.claims == [
        "team": "x", "level": 7, "score": 1.5, "none": nil, "tags": ["a", 1],
        "address": .object(["city": "Turin"]),
      ]
    )
  }

  @Test
  func theMembersMayHaveOtherNames() throws {
    let settings = ["role_field": "rank", "created_at_field": "joined", "user_field": "person"]
    let found = try #require(
      try user(#"{"person":{"id":1,"rank":"x","joined":5,"role":"y"}}"#, settings: settings)
    )
    #expect(found.role == "x" && found.createdAt == 5)
    #expect(found.claims == ["role": "y"])
  }

  @Test
  func nothingAboutTokensIsAClaim() throws {
    let judgement = try client().judge(
      status: 200,
      retryAfter: nil,
      body: secret(
        #"{"access_token":"at","refresh_token":"rt","token_type":"Bearer","expires_in":9,"#
          + #""id":"1","plan":"free"}"#
      ),
      for: .login
    )
    guard case .tokens(let answer) = judgement else {
      Issue.record("\(judgement)")
      return
    }
    #expect(answer.user?.claims == ["plan": "free"])
  }

  @Test(arguments: [
    "api_token", "apiKey", "ACCESS_TOKEN_2", "clientSecret", "password_hash", "x-otp-seed",
    "session_id", "private_key",
  ])
  func whatLooksLikeASecretIsLeftOutAtAnyDepth(_ name: String) throws {
    #expect(try claims(#""\#(name)":"hidden","a":1"#) == ["a": 1])
    let nested = try claims(#""deep":[{"\#(name)":"hidden","b":2}]"#)
    #expect(nested == ["deep": .array([.object(["b": 2])])])
  }

  @Test
  func whatIsTooLargeIsLeftOutAndTheRestIsKept() throws {
    let picture = String(repeating: "A", count: 1025)
    let name = String(repeating: "n", count: 65)
    #expect(try claims(#""picture":"\#(picture)","\#(name)":1,"a":1"#) == ["a": 1])
    let groups = (0..<65).map { "\"g\($0)\"" }.joined(separator: ",")
    #expect(try claims(#""groups":[\#(groups)],"a":1"#) == ["a": 1])
    let deep = #"{"a":{"b":{"c":{"d":{"e":1}}}}}"#
    let kept = try claims(#""deep":\#(deep)"#)
    #expect(kept == ["deep": .object(["a": .object(["b": .object([:])])])])
    let text = String(repeating: "t", count: 1000)
    let many = (0..<50).map { #""m\#($0)":"\#(text)""# }.joined(separator: ",")
    let some = try claims(many + #","small":1"#)
    #expect(some.members.map(\.name) == ["m0", "m1", "m2", "m3", "small"])
    #expect(try JSONWriter.write(.object(some)).count <= 4096)
  }

  @Test
  func noMoreThanAFewHundredValuesAreLookedAt() throws {
    // Each list is left out because of its last element. It then uses no memory, so only a count
    // limits the work.
    let zeros = String(repeating: "0,", count: 59)
    func lists(_ count: Int) -> String {
      (0..<count).map { #""l\#($0)":[\#(zeros)[[[[0]]]]],"# }.joined()
    }
    #expect(try claims(lists(4) + #""last":1"#) == ["last": 1])
    #expect(try claims(lists(10) + #""last":1"#).members.isEmpty)
  }

  @Test
  func allOfItIsWithinTheBoundsHoweverItIsWritten() throws {
    let quotes = String(repeating: #"\""#, count: 900)
    let found = try claims(#""a":"\#(quotes)","b":"\#(quotes)","c":[[[["x"]]]],"d":[[1,2],[3]]"#)
    #expect(try JSONWriter.write(.object(found)).count <= 4096)
    #expect(found["d"] == .array([.array([1, 2]), .array([3])]))
  }
}

/// Times as backends write them.
struct MomentTests {
  private func createdAt(_ json: String) throws -> Int64? {
    let judgement = try client().judgeProfile(
      status: 200,
      retryAfter: nil,
      body: secret(#"{"id":"1","created_at":\#(json)}"#)
    )
    guard case .profile(let user, _) = judgement else { return nil }
    return user.createdAt
  }

  @Test(arguments: [
    (#""1970-01-01T00:00:00Z""#, 0 as Int64), (#""2026-08-21T10:00:00Z""#, 1_787_306_400),
    (#""2026-08-21T12:00:00.123456+02:00""#, 1_787_306_400),
    (#""2026-08-21t06:30:00-03:30""#, 1_787_306_400), (#""2026-08-21 10:00:00""#, 1_787_306_400),
    (#""2024-02-29""#, 1_709_164_800), (#""2000-03-01T00:00:00Z""#, 951_868_800),
    ("1787306400", 1_787_306_400), ("1787306400123", 1_787_306_400),
    ("1787306400.9", 1_787_306_400),
  ])
  func eachOfTheUsualFormsIsRead(_ json: String, _ seconds: Int64) throws {
    #expect(try createdAt(json) == seconds)
  }

  @Test(arguments: [
    #""yesterday""#, #""2026-13-01""#, #""2026-08-21T25:00:00Z""#, #""2026-08-21T10:00:00+1""#,
    #""2026-08-21T10:00:00ZZ""#, #""+026-08-21""#, #""""#, "-1", "1e300", "true", "{}", "[]",
    #""2026-08-2""#, #""2026-08-21T10:00:0""#, #""2026/08/21""#,
  ])
  func anythingElseIsNone(_ json: String) throws {
    #expect(try createdAt(json) == nil)
  }
}
