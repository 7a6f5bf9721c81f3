import Configuration
import OAuth
import SecretMemory
import Testing

/// A judgement in a form that can be compared.
private func judged(
  _ status: Int,
  _ body: String,
  retryAfter: Int? = nil,
  for purpose: TokenPurpose = .refresh,
  settings: [String: String] = [:]
) throws -> String {
  let judgement = try client(settings).judge(
    status: status,
    retryAfter: retryAfter,
    body: secret(body),
    for: purpose
  )
  switch judgement {
  case .tokens(let answer):
    return "tokens \(answer.accessToken) \(text(answer.refreshToken) ?? "-") "
      + (answer.expiresIn.map(String.init) ?? "-")
  case .invalidGrant: return "invalid grant"
  case .refused(let status, let message, _): return "refused \(status) \(message)"
  case .rateLimited(let wait): return "rate limited \(wait.map(String.init) ?? "-")"
  case .failing(let status, let wait, _):
    return "failing \(status) \(wait.map(String.init) ?? "-")"
  case .misconfigured(_, let token): return "misconfigured \(text(token) ?? "-")"
  case .pending(let slowDown): return "pending \(slowDown)"
  case .unexplained(let status): return "unexplained \(status)"
  case .scopeRefused(let status, _): return "scope refused \(status)"
  }
}

private let html = "<html><body>502 Bad Gateway</body></html>"

@Suite
struct RefreshRefusalTests {
  @Test(arguments: [400, 401, 403])
  func onlyTheConfiguredErrorSaysThatTheTokenIsDead(_ status: Int) throws {
    #expect(try judged(status, #"{"error":"invalid_grant"}"#) == "invalid grant")
    #expect(
      try judged(status, #"{"message":"no","error":"invalid_grant","x":[1]}"#) == "invalid grant"
    )
    #expect(try judged(status, #"{"error":{"code":"invalid_grant"}}"#) == "invalid grant")
    for body in [
      #"{"error":"invalid_client"}"#, #"{"error":"invalid_request"}"#,
      #"{"error":"INVALID_GRANT"}"#,
      #"{"error":null}"#, #"{"error":["invalid_grant"]}"#, #"{"detail":"invalid_grant"}"#, "{}",
    ] {
      #expect(try judged(status, body) == "misconfigured -")
    }
  }

  @Test(arguments: [400, 401, 403])
  func anEmptyOrUnreadableRefusalCountsOnlyWhereThatIsSet(_ status: Int) throws {
    for body in ["", " ", html, "invalid_grant", "\"invalid_grant\"", "[]", "{\"error\":"] {
      // An empty answer may be a refusal. A page may come from a server in front of the provider.
      #expect(
        try judged(status, body) == (body.isEmpty ? "unexplained" : "failing") + " \(status)"
          + (body.isEmpty ? "" : " -")
      )
      #expect(try judged(status, body, settings: ["empty_refusal": "true"]) == "invalid grant")
    }
    let other = try judged(
      status,
      #"{"error":"invalid_client"}"#,
      settings: ["empty_refusal": "true"]
    )
    #expect(other == "misconfigured -")
  }

  @Test
  func theFieldAndValueOfARefusalAreTheProviders() throws {
    let settings = ["error_field": "code", "invalid_grant_value": "token_not_valid"]
    #expect(
      try judged(401, #"{"detail":"x","code":"token_not_valid"}"#, settings: settings)
        == "invalid grant"
    )
    #expect(try judged(401, #"{"error":"invalid_grant"}"#, settings: settings) == "misconfigured -")
  }

  @Test(arguments: [402, 404, 405, 406, 410, 415, 422, 418, 301, 302, 307])
  func otherAnswersNeverKillTheToken(_ status: Int) throws {
    #expect(try judged(status, #"{"error":"invalid_grant"}"#) == "misconfigured -")
  }

  @Test(arguments: [500, 502, 503, 504, 599, 408, 425, 0, 100, -1, 600, 999])
  func serversOutOfOrderAreTriedAgain(_ status: Int) throws {
    for body in ["", html, #"{"error":"invalid_grant"}"#] {
      for settings in [[:], ["empty_refusal": "true"]] {
        #expect(
          try judged(status, body, retryAfter: 7, settings: settings) == "failing \(status) 7"
        )
      }
    }
  }

  @Test
  func tooManyRequestsSayHowLongToWait() throws {
    #expect(try judged(429, "", retryAfter: 30) == "rate limited 30")
    #expect(try judged(429, html) == "rate limited -")
    #expect(try judged(429, "{}", retryAfter: -5) == "rate limited 0")
    #expect(try judged(429, "{}", retryAfter: .max) == "rate limited 86400")
  }

  @Test
  func aMessageDoesNotQuoteTheTokenThatWasSent() throws {
    // One token that looks like a word, and one that does not.
    for sent in ["deadbeefcafe", "9f86d081884c"] {
      let body = #"{"error":"\#(sent)","message":"bad token \#(sent)"}"#
      for status in [400, 401, 422, 500] {
        let judgement = try client().judge(
          status: status,
          retryAfter: nil,
          body: secret(body),
          for: .refresh,
          sent: SharedSecret(secret(sent))
        )
        #expect(!"\(judgement)".contains(sent))
      }
    }
  }
}

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
    #expect(try judged(401, body) == "failing 401 -")
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

@Suite
struct LoginRefusalTests {
  @Test(arguments: [400, 401, 403, 409, 422])
  func aPersonIsToldWhatTheProviderSays(_ status: Int) throws {
    for purpose in [TokenPurpose.login, .register] {
      #expect(
        try judged(status, #"{"error":"x","message":"e-mail is taken"}"#, for: purpose)
          == "refused \(status) e-mail is taken"
      )
      #expect(
        try judged(status, #"{"detail":"Not\u001b[31m\nfound"}"#, for: purpose)
          == "refused \(status) Not [31m found"
      )
      #expect(
        try judged(status, #"{"error":"invalid_credentials"}"#, for: purpose)
          == "refused \(status) invalid_credentials"
      )
      for body in ["", html, "{}", #"{"message":7}"#, #"{"detail":[{"input":"hunter2"}]}"#] {
        #expect(
          try judged(status, body, for: purpose)
            == "refused \(status) the provider gave no reason"
        )
      }
    }
  }

  @Test
  func aLongMessageIsCut() throws {
    let long = String(repeating: "m", count: 5000)
    let judgement = try judged(401, #"{"message":"\#(long)"}"#, for: .login)
    #expect(judgement == "refused 401 " + String(repeating: "m", count: 200))
  }

  @Test
  func aMessageThatQuotesThePasswordIsDropped() throws {
    let judgement = try client().judge(
      status: 401,
      retryAfter: nil,
      body: secret(#"{"message":"the password hunter2 is wrong","error":"wrong_password"}"#),
      for: .login,
      sent: SharedSecret(secret("hunter2"))
    )
    guard case .refused(401, let message, _) = judgement else {
      Issue.record("not refused: \(judgement)")
      return
    }
    #expect(message == "wrong_password")
  }

  @Test
  func aMissingEndpointIsTheConfigurationsFault() throws {
    #expect(try judged(404, html, for: .login) == "misconfigured -")
    #expect(try judged(429, "", retryAfter: 5, for: .login) == "rate limited 5")
    #expect(try judged(503, "", retryAfter: 5, for: .login) == "failing 503 5")
  }
}
