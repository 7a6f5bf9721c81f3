import OAuth
import SecretMemory
import Testing

@Suite
struct TokenAnswerTests {
  private func answer(
    _ members: String,
    for purpose: TokenPurpose = .refresh
  ) throws -> String {
    try judged(200, "{\(members)}", for: purpose)
  }

  @Test
  func aWholeAnswerIsTaken() throws {
    let judgement = try client().judge(
      status: 201,
      retryAfter: nil,
      body: secret(
        """
        {"access_token": "at-1", "refresh_token": "rt-1", "token_type": "bearer", "expires_in": 900,
         "scope": "a b", "user": {"id": 7, "email": "a@b", "name": "Änn\\u001b[2J", "role": "admin",
         "created_at": "2026-01-01T00:00:00Z", "email_verified": true}}
        """
      ),
      for: .register
    )
    guard case .tokens(let answer) = judgement else {
      Issue.record("not taken: \(judgement)")
      return
    }
    #expect(answer.accessToken == "at-1")
    #expect(answer.tokenType == "Bearer")
    #expect(text(answer.refreshToken) == "rt-1")
    #expect(answer.expiresIn == 900)
    #expect(answer.scope == "a b")
    let user = UserFacts(
      id: "7",
      email: "a@b",
      name: "Änn [2J",
      role: "admin",
      emailVerified: true,
      createdAt: 1_767_225_600
    )
    #expect(answer.user == user)
  }

  @Test
  func aListOfGrantedScopesIsRead() throws {
    func scope(_ value: String) throws -> String? {
      let judgement = try client().judge(
        status: 200,
        retryAfter: nil,
        body: secret(#"{"access_token":"at","refresh_token":"rt","scope":\#(value)}"#),
        for: .refresh
      )
      guard case .tokens(let answer) = judgement else { return "\(judgement)" }
      return answer.scope
    }
    #expect(try scope(#"["a","b:c"]"#) == "a b:c")
    for value in ["[]", #"["a",7]"#, "{}", "null"] { #expect(try scope(value) == nil, "\(value)") }
  }

  @Test
  func theOldRefreshTokenStaysWhereNoneComes() throws {
    for members in [
      #""access_token":"at""#, #""access_token":"at","refresh_token":"""#,
      #""access_token":"at","refresh_token":null"#,
    ] {
      #expect(try answer(members) == "tokens at - -")
      #expect(try answer(members, for: .login) == "misconfigured -")
      #expect(try answer(members, for: .register) == "misconfigured -")
    }
    #expect(try answer(#""access_token":"at","refresh_token":"same""#) == "tokens at same -")
  }

  @Test(arguments: [
    ("3600", "3600"), ("\"3600\"", "3600"), ("\"-1\"", "0"), ("-1", "0"), ("0", "0"),
    ("3599.7", "3599"), ("-0.5", "0"), ("1e3", "1000"), ("9223372036854775807", "315360000"),
    ("99999999999999999999999", "315360000"), ("1e300", "315360000"), ("-1e300", "0"),
    ("\"soon\"", "-"), ("\"\"", "-"), ("\"3600s\"", "-"), ("null", "-"), ("true", "-"),
    ("[3600]", "-"), ("{}", "-"),
  ])
  func lifetimesComeInManyForms(_ json: String, _ seconds: String) throws {
    #expect(try answer(#""access_token":"at","expires_in":\#(json)"#) == "tokens at - \(seconds)")
  }

  @Test(arguments: [
    "", #""access_token":"""#, #""access_token":null"#, #""access_token":7"#,
    #""access_token":"a b""#, #""access_token":"a\nb""#, #""access_token":"a\u001b[2J""#,
    #""access_token":"ä""#, #""access_token":"at","token_type":"mac""#,
    #""access_token":"at","token_type":7"#, #""token":"at""#,
  ])
  func aRefreshTokenSurvivesAnAnswerThatIsOfNoUse(_ members: String) throws {
    let more = members.isEmpty ? "" : ","
    #expect(try answer("\(members)\(more)\"refresh_token\":\"rt-2\"") == "misconfigured rt-2")
    #expect(try answer(members) == "misconfigured -")
  }

  @Test(arguments: [#""a\nb""#, #""a\u0007""#, #""ä""#, "7", "[\"rt\"]", "{\"x\":1}", "true"])
  func aRefreshTokenThatCannotBeSentIsNotStored(_ json: String) throws {
    #expect(
      try answer(#""access_token":"at","refresh_token":\#(json)"#) == "misconfigured -"
    )
  }

  @Test
  func lengthsAreBounded() throws {
    let fits = String(repeating: "r", count: 16_384)
    #expect(try answer(#""access_token":"at","refresh_token":"\#(fits)""#) == "tokens at \(fits) -")
    #expect(
      try answer(#""access_token":"at","refresh_token":"\#(fits)r""#) == "misconfigured -"
    )
    let long = String(repeating: "a", count: 32_769)
    #expect(
      try answer(#""access_token":"\#(long)","refresh_token":"rt""#) == "misconfigured rt"
    )
  }

  @Test(arguments: [
    "", html, "[]", "null", "\"at\"", "{", "{\"access_token\":\"at\"",
    "{\"refresh_token\":\"a\",\"refresh_token\":\"a\"}",
    "{\"access_token\":\"at\",\"refresh_token\":\"a\\u0000\"}", "\0\0\0\0",
  ])
  func aSuccessThatCannotBeReadIsNeitherSuccessNorRefusal(_ body: String) throws {
    for purpose in [TokenPurpose.refresh, .login, .register] {
      #expect(try judged(200, body, for: purpose) == "failing 200 -")
    }
    #expect(try judged(204, body) == "failing 204 -")
  }

  @Test
  func garbageOfManyKindsNeverTraps() throws {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "1e9", "-", "null", "\0",
      "access_token", "refresh_token", "é", " ", "\n",
    ]
    for _ in 0..<2000 {
      let body = (0..<Int.random(in: 0..<40, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      for status in [200, 400, 500] {
        let judgement = try judged(status, body)
        #expect(judgement != "invalid grant")
      }
    }
  }

  @Test
  func theLargestBodyIsJudged() throws {
    let body = String(repeating: "x", count: SecretBytes.maximumCount)
    #expect(try judged(200, body) == "failing 200 -")
    #expect(try judged(401, body) == "unreadable 401")
    let deep = String(repeating: "[", count: 100_000)
    #expect(try judged(200, deep) == "failing 200 -")
  }

  @Test
  func fieldNamesAreTheProviders() throws {
    let settings = [
      "access_token_field": "access", "refresh_token_field": "refresh", "expires_in_field": "ttl",
    ]
    let body = #"{"access":"at","refresh":"rt","ttl":60,"access_token":"no","expires_in":1}"#
    #expect(try judged(200, body, settings: settings) == "tokens at rt 60")
  }
}
