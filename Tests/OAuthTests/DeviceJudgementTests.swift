import Configuration
import OAuth
import Testing

@Suite
struct DeviceJudgementTests {
  private func polled(_ status: Int, _ code: String) throws -> String {
    try judged(openID(), status, #"{"error":"\#(code)"}"#, for: .device)
  }

  /// RFC 8628, section 3.5.
  @Test(arguments: [400, 401, 403])
  func answersBeforeTheConsent(_ status: Int) throws {
    #expect(try polled(status, "authorization_pending") == "pending")
    #expect(try polled(status, "slow_down") == "slow down")
    #expect(try polled(status, "access_denied") == "refused \(status) the sign-in was declined")
    #expect(try polled(status, "expired_token") == "refused \(status) the code has expired")
  }

  /// Auth0 uses this status for a poll that is too early, and for its own rate limit.
  @Test
  func aPollThatComesTooSoonIsNoRateLimit() throws {
    #expect(try polled(429, "slow_down") == "slow down")
    #expect(try polled(429, "too_many_requests") == "rate limited -")
    let refresh = try judged(openID(), 429, #"{"error":"slow_down"}"#, for: .refresh)
    #expect(refresh == "rate limited -")
  }

  @Test(arguments: [TokenPurpose.refresh, .code, .login])
  func noOtherCallerIsToldToWait(_ purpose: TokenPurpose) throws {
    for code in ["authorization_pending", "slow_down", "access_denied", "expired_token"] {
      #expect(
        try judged(openID(), 400, #"{"error":"\#(code)"}"#, for: purpose)
          .hasPrefix(purpose == .refresh ? "other error" : "misconfigured")
      )
    }
  }

  private func begun(_ status: Int, _ body: String, provider: Provider? = nil) throws -> String {
    let judgement = ProviderClient(provider: try provider ?? openID())
      .judgeDeviceAuthorization(status: status, retryAfter: 4, body: try secret(body))
    switch judgement {
    case .authorization(let codes):
      return "\(text(codes.deviceCode) ?? "-") \(codes.userCode) \(codes.verificationURI) "
        + "\(codes.verificationURIComplete ?? "-") \(codes.expiresIn) \(codes.interval)"
    case .rateLimited(let wait): return "rate limited \(wait ?? -1)"
    case .failing(let status, let wait, _): return "failing \(status) \(wait ?? -1)"
    case .scopeRefused(let status, let message): return "scope refused \(status) \(message ?? "-")"
    case .misconfigured(let message): return "misconfigured \(message)"
    }
  }

  private let codes =
    #""device_code":"dc","user_code":"AB-CD","verification_uri":"https://x.example/d""#

  @Test
  func codesAreHandedOn() throws {
    #expect(
      try begun(
        200,
        #"{\#(codes),"verification_uri_complete":"https://x.example/d?c=AB-CD","expires_in":600,"#
          + #""interval":7}"#
      ) == "dc AB-CD https://x.example/d https://x.example/d?c=AB-CD 600 7"
    )
    #expect(try begun(200, "{\(codes)}") == "dc AB-CD https://x.example/d - 900 5")
    let google = codes.split(separator: ",").dropLast().joined(separator: ",")
    #expect(
      try begun(200, #"{\#(google),"verification_url":"https://g.example/device"}"#)
        == "dc AB-CD https://g.example/device - 900 5"
    )
  }

  /// A page of one file shows the right part for the person by its fragment.
  @Test
  func theFragmentOfAPageIsKept() throws {
    let body =
      #"{"device_code":"dc","user_code":"c","verification_uri":"https://x.example/#/device","#
      + #""verification_uri_complete":"https://x.example/?a=b#code=c"}"#
    #expect(
      try begun(200, body) == "dc c https://x.example/#/device https://x.example/?a=b#code=c 900 5"
    )
  }

  @Test
  func timesAreBounded() throws {
    for (life, kept) in [("99999", 900), ("0", 1), ("-5", 1), ("\"60\"", 60), ("1e300", 900)] {
      #expect(
        try begun(200, #"{\#(codes),"expires_in":\#(life)}"#)
          == "dc AB-CD https://x.example/d - \(kept) 5"
      )
    }
    for (interval, kept) in [("0", 5), ("-1", 5), ("1", 1), ("99999", 300), ("null", 5)] {
      #expect(
        try begun(200, #"{\#(codes),"interval":\#(interval)}"#)
          == "dc AB-CD https://x.example/d - 900 \(kept)"
      )
    }
  }

  @Test(arguments: [
    "http://x.example/d", "javascript:alert(1)", "https://good.example@evil.example/",
    "file:///etc",
    "https://x.example/\\u001b[2J", "//x.example/d", "https://x.example/a b", "",
  ])
  func aPersonIsSentOnlyToWebPages(_ url: String) throws {
    let body = #"{"device_code":"dc","user_code":"c","verification_uri":"\#(url)"}"#
    #expect(try begun(200, body).hasPrefix("misconfigured"))
    #expect(
      try begun(200, #"{\#(codes),"verification_uri_complete":"\#(url)"}"#)
        .hasPrefix("misconfigured")
    )
  }

  @Test(arguments: [
    #"{}"#, #"{"device_code":"","user_code":"c","verification_uri":"https://x.example/"}"#,
    #"{"device_code":7,"user_code":"c","verification_uri":"https://x.example/"}"#,
    #"{"device_code":"d","user_code":"a\u001b[2J","verification_uri":"https://x.example/"}"#,
    #"{"device_code":"d","user_code":"","verification_uri":"https://x.example/"}"#,
    #"{"device_code":"d","user_code":"ä","verification_uri":"https://x.example/"}"#,
    #"{"device_code":"d","user_code":"c"}"#, #"{"error":"device_flow_disabled"}"#,
  ])
  func codesThatCannotBeUsedAreTheConfigurationsFault(_ body: String) throws {
    let judgement = try begun(200, body)
    #expect(judgement.hasPrefix("misconfigured") && isFitToBeShown(judgement))
  }

  @Test
  func otherAnswersAreToldApart() throws {
    #expect(try begun(429, "") == "rate limited 4")
    #expect(try begun(503, "") == "failing 503 4")
    #expect(try begun(200, "<html>") == "failing 200 -1")
    #expect(
      try begun(400, #"{"error":"unauthorized_client"}"#)
        == "misconfigured the device authorization endpoint answered 400 unauthorized_client; check "
        + "provider dev"
    )
    let described = #"{"error":"invalid_scope","error_description":"no offline_access\u001b"}"#
    let told = try begun(400, described)
    #expect(told.hasPrefix("scope refused 400 no offline_access"), "\(told)")
    #expect(isFitToBeShown(told))
    #expect(try begun(404, "").hasPrefix("misconfigured"))
    #expect(try begun(401, #"{"error":"x\u001b[2J\u202E"}"#).contains("\u{1B}") == false)
  }
}
