import OAuth
import SecretMemory
import Testing

/// A judgement in a form that can be compared.
func judged(
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
  case .misconfigured(_, let token, _): return "misconfigured \(text(token) ?? "-")"
  case .otherError(let status, let code, _): return "other error \(status) \(code ?? "-")"
  case .signInWanted(let status, let code, _): return "sign-in wanted \(status) \(code)"
  case .pending(let slowDown): return "pending \(slowDown)"
  case .unexplained(let status, let isEmpty):
    return (isEmpty ? "unexplained" : "unreadable") + " \(status)"
  case .scopeRefused(let status, _): return "scope refused \(status)"
  }
}

let html = "<html><body>502 Bad Gateway</body></html>"

@Suite
struct RefreshRefusalTests {
  @Test(arguments: [400, 401, 403])
  func onlyTheConfiguredErrorSaysThatTheTokenIsDead(_ status: Int) throws {
    #expect(try judged(status, #"{"error":"invalid_grant"}"#) == "invalid grant")
    #expect(
      try judged(status, #"{"message":"no","error":"invalid_grant","x":[1]}"#) == "invalid grant"
    )
    #expect(try judged(status, #"{"error":{"code":"invalid_grant"}}"#) == "invalid grant")
    for body in [#"{"error":"invalid_client"}"#, #"{"error":"invalid_request"}"#] {
      #expect(try judged(status, body) == "misconfigured -")
    }
    #expect(
      try judged(status, #"{"error":"INVALID_GRANT"}"#) == "other error \(status) INVALID_GRANT"
    )
    for body in [
      #"{"error":null}"#, #"{"error":["invalid_grant"]}"#, #"{"detail":"invalid_grant"}"#, "{}",
    ] {
      #expect(try judged(status, body) == "other error \(status) -")
    }
  }

  @Test(arguments: [400, 401, 403])
  func anEmptyOrUnreadableRefusalCountsOnlyWhereThatIsSet(_ status: Int) throws {
    for body in ["", " ", html, "invalid_grant", "\"invalid_grant\"", "[]", "{\"error\":"] {
      // An empty answer may be a refusal. A page may come from a server in front of the provider.
      #expect(
        try judged(status, body) == (body.isEmpty ? "unexplained" : "unreadable") + " \(status)"
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
    #expect(
      try judged(401, #"{"error":"invalid_grant"}"#, settings: settings) == "other error 401 -"
    )
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
