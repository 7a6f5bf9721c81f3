import Configuration
import OAuth
import SecretMemory
import Testing

private let tokens = #"{"access_token":"at","token_type":"bearer","refresh_token":"rt""#

@Suite
struct OAuthJudgementTests {
  @Test
  func tokensComeWithTheirIDToken() throws {
    for purpose in [TokenPurpose.code, .device, .login, .refresh] {
      #expect(
        try judged(openID(), 200, tokens + #","id_token":"a.b.c"}"#, for: purpose)
          == "tokens at rt a.b.c"
      )
      #expect(try judged(openID(), 200, tokens + "}", for: purpose) == "tokens at rt -")
      #expect(
        try judged(openID(), 200, tokens + #","id_token":null}"#, for: purpose)
          == "tokens at rt -"
      )
      // If no ID token is requested, none is read.
      #expect(
        try judged(plainOAuth(), 200, tokens + #","id_token":"a.b.c"}"#, for: purpose)
          == "tokens at rt -"
      )
    }
  }

  /// A value that cannot be an ID token must not count as a missing one.
  @Test(arguments: [#""""#, "7", "{}", #"["a.b.c"]"#, "true"])
  func anIDTokenOfAWrongKindIsNoMissingOne(_ json: String) throws {
    #expect(
      try judged(openID(), 200, tokens + #","id_token":\#(json)}"#, for: .code) == "tokens at rt "
    )
    let long = String(repeating: "a", count: IDToken.maximumCount + 1)
    #expect(
      try judged(openID(), 200, tokens + #","id_token":"\#(long)"}"#, for: .code)
        == "tokens at rt "
    )
  }

  @Test
  func thePersonIsNotReadFromAnUnsignedAnswer() throws {
    let body = tokens + #","sub":"u1","email":"a@b","user":{"sub":"u2"}}"#
    let judgement = ProviderClient(provider: try openID()).judge(
      status: 200,
      retryAfter: nil,
      body: try secret(body),
      for: .code
    )
    guard case .tokens(let answer) = judgement else {
      Issue.record("not taken: \(judgement)")
      return
    }
    #expect(answer.user == nil)
  }

  @Test
  func aLoginWithoutARefreshTokenSaysWhatToDo() throws {
    for purpose in [TokenPurpose.code, .device, .login] {
      let judgement = try judged(openID(), 200, #"{"access_token":"at"}"#, for: purpose)
      #expect(judgement.hasPrefix("misconfigured - the answer has no `refresh_token`: provider"))
      #expect(judgement.contains("offline_access"))
    }
    #expect(try judged(openID(), 200, #"{"access_token":"at"}"#, for: .refresh) == "tokens at - -")
  }

  /// Some providers grant `offline_access` without listing it.
  @Test
  func aLoginWithoutTheScopeThatDiscoveryLeftOutSaysSo() throws {
    let provider = try openID(["discovery": "auto"]).completed(
      with: [:],
      responseIssuerRequired: false,
      offeredScopes: ["openid"]
    )
    let judgement = try judged(provider, 200, #"{"access_token":"at"}"#, for: .code)
    #expect(judgement.contains("was not asked for"), "\(judgement)")
    #expect(judgement.contains("scope = openid profile offline_access"), "\(judgement)")
    // A file that names these two scopes asks for no more than the default.
    #expect(judgement.contains("openid offline_access counts as the default"), "\(judgement)")
    #expect(
      try !judged(openID(), 200, #"{"access_token":"at"}"#, for: .code).contains("not asked for")
    )
  }

  @Test(arguments: [400, 401, 403])
  func aDeadGrantIsARefusalOfWhatWasSent(_ status: Int) throws {
    let body = #"{"error":"invalid_grant","error_description":"gone\u001b[2J"}"#
    #expect(try judged(openID(), status, body, for: .refresh) == "invalid grant")
    for purpose in [TokenPurpose.code, .device, .login] {
      #expect(try judged(openID(), status, body, for: purpose) == "refused \(status) gone [2J")
      #expect(
        try judged(openID(), status, #"{"error":"invalid_grant"}"#, for: purpose)
          == "refused \(status) invalid_grant"
      )
    }
  }

  @Test(arguments: [
    "invalid_client", "invalid_request", "unauthorized_client", "unsupported_grant_type",
    "invalid_target", "something_else",
  ])
  func anotherErrorIsTheConfigurationsFaultAndNotTheTokens(_ code: String) throws {
    // Some providers have a word of their own for a dead token.
    let isOfClient = code != "something_else"
    for purpose in [TokenPurpose.refresh, .code, .device, .login] {
      for status in [400, 401, 403] {
        let judgement = try judged(openID(), status, #"{"error":"\#(code)"}"#, for: purpose)
        let isOther = purpose == .refresh && !isOfClient
        #expect(
          judgement
            == (isOther ? "other error \(status) \(code)" : "misconfigured -")
            + " the token endpoint answered \(status) \(code); check client, "
            + "scope and endpoints of provider dev"
        )
      }
    }
  }

  /// RFC 9449: this client has no key to which a token could be bound.
  @Test(arguments: [TokenPurpose.refresh, .code, .device, .login])
  func aDemandForBoundTokensIsToldAsSuch(_ purpose: TokenPurpose) throws {
    let remedy = "DPoP-bound tokens (RFC 9449) are not supported"
    for code in ["use_dpop_nonce", "invalid_dpop_proof"] {
      let error = try judged(openID(), 400, #"{"error":"\#(code)"}"#, for: purpose)
      #expect(error.hasPrefix("misconfigured - ") && error.contains(remedy), "\(error)")
    }
    let body = #"{"access_token":"a","refresh_token":"r","token_type":"dpop"}"#
    let answer = try judged(openID(), 200, body, for: purpose)
    #expect(answer.contains("is DPoP: \(remedy)") && !answer.contains("field names"), "\(answer)")
  }

  @Test
  func whatTheProviderSaysAboutAnErrorIsShownAndCannotQuoteTheToken() throws {
    let sent = SharedSecret(try secret("rt-very-secret"))
    func said(
      _ description: String,
      _ sent: SharedSecret?,
      _ code: String = "invalid_client"
    ) throws
      -> String
    {
      let body = #"{"error":"\#(code)","error_description":"\#(description)"}"#
      return try judged(openID(), 401, body, for: .refresh, sent: sent)
    }
    #expect(
      try said("Client is disabled", sent)
        == "misconfigured - the token endpoint answered 401 invalid_client (Client is disabled); check"
        + " client, scope and endpoints of provider dev"
    )
    let hostile = try said(#"a\u001b[2J\u202E\u0000"# + String(repeating: "x", count: 5000), sent)
    #expect(isFitToBeShown(hostile) && hostile.utf8.count < 400, "\(hostile)")
    #expect(try !said("token rt-very-secret is odd", sent).contains("rt-very-secret"))
    // Judged by the next engine, which does not know the sent request: no part of the answer is
    // shown.
    #expect(try !said("token rt-very-secret is odd", nil).contains("odd"))
    #expect(try said("no such scope", sent, "invalid_scope") == "scope refused 401 no such scope")
  }

  /// OpenID Connect defines these errors for the browser, and some providers send them here.
  @Test(arguments: [
    "interaction_required", "login_required", "account_selection_required", "consent_required",
  ])
  func aProviderMayWantThePersonForARefresh(_ code: String) throws {
    let sent = SharedSecret(try secret("rt-1"))
    let body = #"{"error":"\#(code)","error_description":"Use MFA"}"#
    #expect(
      try judged(openID(), 400, body, for: .refresh, sent: sent)
        == "sign-in wanted 400 \(code) Use MFA"
    )
    // A sign-in is refused as by any other error.
    #expect(try judged(openID(), 400, body, for: .code).hasPrefix("misconfigured -"))
    // For a password backend these words have no meaning.
    #expect(
      try judged(backend().provider, 400, body, for: .refresh).hasPrefix("other error 400 \(code)")
    )
  }

  /// A backend without an error code may explain itself in words.
  @Test
  func anErrorWithoutACodeIsToldInTheProvidersWords() throws {
    let sent = SharedSecret(try secret("rt-very-secret"))
    func said(_ words: String) throws -> String {
      try judged(openID(), 403, #"{"message":"\#(words)"}"#, for: .refresh, sent: sent)
    }
    #expect(
      try said("The session is closed")
        == "other error 403 - the token endpoint answered 403 without a known `error` (The session is"
        + " closed); check client, scope and endpoints of provider dev"
    )
    #expect(try !said("no rt-very-secret").contains("rt-very-secret"))
  }

  @Test(arguments: [TokenPurpose.refresh, .code, .device, .login])
  func scopesThatAreNotGrantedAreAnErrorOfTheirOwn(_ purpose: TokenPurpose) throws {
    for status in [400, 401, 403] {
      let judgement = try judged(openID(), status, #"{"error":"invalid_scope"}"#, for: purpose)
      #expect(judgement == "scope refused \(status) -")
    }
  }

  @Test(arguments: ["temporarily_unavailable", "server_error"])
  func aProviderThatCannotJustNowIsAskedLater(_ code: String) throws {
    for purpose in [TokenPurpose.refresh, .code, .device] {
      #expect(
        try judged(openID(), 400, #"{"error":"\#(code)"}"#, retryAfter: 7, for: purpose)
          == "failing 400 7"
      )
    }
  }

  @Test
  func anOutageIsNeverARefusal() throws {
    for purpose in [TokenPurpose.refresh, .code, .device, .login] {
      for body in ["", "<html>", #"{"error":"invalid_grant"}"#, #"{"error":"access_denied"}"#] {
        for status in [500, 502, 503, 504, 599, 408] {
          #expect(try judged(openID(), status, body, for: purpose) == "failing \(status) -")
        }
        #expect(try judged(openID(), 429, body, retryAfter: 9, for: purpose) == "rate limited 9")
        #expect(try judged(openID(), 302, body, for: purpose).hasPrefix("misconfigured"))
        #expect(try judged(openID(), 404, body, for: purpose).hasPrefix("misconfigured"))
      }
    }
    #expect(try judged(openID(), 400, "", for: .refresh) == "unexplained 400")
    #expect(try judged(openID(), 400, "<html>", for: .refresh) == "unreadable 400")
    #expect(
      try judged(openID(["empty_refusal": "true"]), 403, "no", for: .refresh) == "invalid grant"
    )
  }

  /// GitHub refuses with a success.
  @Test
  func aSuccessThatHoldsAnErrorIsARefusal() throws {
    let provider = try plainOAuth(["invalid_grant_value": "bad_refresh_token"])
    let dead = #"{"error":"bad_refresh_token","error_description":"d","error_uri":"u"}"#
    #expect(try judged(provider, 200, dead, for: .refresh) == "invalid grant")
    #expect(
      try judged(provider, 200, #"{"error":"bad_verification_code"}"#, for: .code)
        == "refused 400 bad_verification_code"
    )
    #expect(
      try judged(provider, 200, #"{"error":"incorrect_client_credentials"}"#, for: .code)
        .hasPrefix("misconfigured - the token endpoint answered 400 incorrect_client_credentials")
    )
    #expect(
      try judged(provider, 200, #"{"error":"authorization_pending"}"#, for: .device) == "pending"
    )
    // With a token it is no refusal: the provider has forgotten the one before.
    #expect(
      try judged(
        provider,
        200,
        #"{"error":"bad_refresh_token","refresh_token":"rt"}"#,
        for: .refresh
      )
      .hasPrefix("misconfigured rt")
    )
    // A password backend is judged by its status, as ever.
    #expect(
      try judged(backend().provider, 200, #"{"error":"invalid_grant"}"#, for: .refresh)
        .hasPrefix("misconfigured -")
    )
  }

  @Test
  func whatWasSentIsNotShown() throws {
    let sent = try shared("rt-secret-1")
    let body = #"{"error":"rt-secret-1","error_description":"rt-secret-1 is unknown"}"#
    for purpose in [TokenPurpose.refresh, .code, .device] {
      let judgement = try judged(openID(), 400, body, for: purpose, sent: sent)
      #expect(!judgement.contains("rt-secret-1"))
    }
    let quoted = #"{"error":"invalid_grant","error_description":"no rt-secret-1"}"#
    #expect(
      try judged(openID(), 400, quoted, for: .code, sent: sent) == "refused 400 invalid_grant"
    )
  }
}
