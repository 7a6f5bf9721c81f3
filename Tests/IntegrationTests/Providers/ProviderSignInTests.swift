import JSON
import System
import TestSupport
import Testing

/// Signing in at real identity providers, by each flow, and their facts about the account.
@Suite(.serialized)
struct ProviderSignInTests {
  /// Expects that the account has tokens which the provider accepts, and that they can be
  /// refreshed.
  private func isSignedIn(
    _ member: Member,
    sourceLocation: SourceLocation = #_sourceLocation
  )
    throws
  {
    #expect(try member.standing() == "ready", sourceLocation: sourceLocation)
    let who = try object(try member.run("whoami", "work", "--json").succeeded())
    #expect(
      try who.object("profile").string("email") == IdentityProvider.user,
      sourceLocation: sourceLocation
    )
    _ = try member.newerToken()
  }

  /// Expects that an attempt left no account that could give a token.
  private func isNotSignedIn(_ member: Member) throws {
    #expect([.exited(4), .exited(9)].contains(try member.run("token", "work").end))
  }

  @Test
  func aBrowserSignsInByCodeAndPKCE() throws {
    let member = try Member()
    try member.login().succeeded()
    let all = try member.provider.requests()
    let asked = try #require(all.first { $0.path == "/o/authorize/" }).query
    #expect(asked["response_type"] == "code" && asked["client_id"] == IdentityProvider.client)
    #expect(asked["code_challenge_method"] == "S256" && asked["code_challenge"]?.count == 43)
    #expect((asked["state"]?.count ?? 0) >= 22 && (asked["nonce"]?.count ?? 0) >= 22)
    #expect(asked["redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true)
    #expect(asked["scope"] == "email openid profile read")
    // The code was redeemed once, with the verifier, by a client without a secret.
    let redeemed = all.filter { $0.grant != nil }
    #expect(redeemed.map(\.grant) == ["authorization_code"])
    #expect(redeemed.first?.form["code_verifier"]?.hasPrefix("sha256:") == true)
    #expect(redeemed.first?.form["client_secret"] == nil)
    #expect(redeemed.first?.form["redirect_uri"] == asked["redirect_uri"])
    try isSignedIn(member)
    #expect(try member.account().string("subject") == "1")
  }

  @Test
  func whatTheProviderCallsItselfInTheRedirectIsChecked() throws {
    let member = try Member(.toolkit, ["--response-iss"])
    try member.login().succeeded()
    try isSignedIn(member)
    // RFC 9207: an answer that another provider sends, with the right state.
    try member.provider.call("set", ["OIDC_ISS_ENDPOINT": .string(member.provider.url + "/other")])
    let mixed = try member.login("other")
    #expect(mixed.end != .exited(0), "\(mixed.text)")
    #expect(try member.run("token", "other").end != .exited(0))
    let redeemed = try member.provider.requests().filter { $0.grant == "authorization_code" }
    #expect(redeemed.count == 1, "the code of another provider's answer was redeemed")
  }

  @Test
  func aDenialSignsNoUserIn() throws {
    let member = try Member(.toolkit, ["--consent"])
    let denied = try member.login(browser: ["--deny"])
    #expect(denied.end == .exited(8), "\(denied.text)")
    #expect(denied.text.contains("denied"), "\(denied.text)")
    try isNotSignedIn(member)
    #expect(try member.provider.count("token_requests") == 0)
    try member.login().succeeded()
    try isSignedIn(member)
  }

  @Test(arguments: ["post", "basic"])
  func aProviderThatDemandsASecretGetsIt(_ authentication: String) throws {
    let member = try Member(
      settings: [
        "client_id": "thumblatch-confidential", "client_secret": "client-secret",
        "client_authentication": authentication,
      ]
    )
    try member.login().succeeded()
    let redeemed = try #require(try member.provider.requests().first { $0.grant != nil })
    #expect((redeemed.form["client_secret"] != nil) == (authentication == "post"))
    try isSignedIn(member)
    let shown = try member.run("provider", "show", "idp").succeeded()
    #expect(!shown.contains("client-secret"), "\(shown)")
  }

  @Test
  func aRedirectThatWasPastedSignsIn() throws {
    let member = try Member()
    let terminal = try member.terminal("login", "work", "--provider", "idp", "--paste")
    let url = try terminal.link()
    let redirect = try member.visit(url, ["--print-redirect"]).succeeded()
    // Input that is typed before the question is dropped.
    try terminal.expect("Paste it here")
    try terminal.enter(String(redirect.dropLast()))
    try terminal.end()
    try isSignedIn(member)
    // The address of the redirect is valid for only one sign-in.
    let other = try member.terminal("login", "other", "--provider", "idp", "--paste")
    _ = try other.link()
    try other.expect("Paste it here")
    try other.enter(String(redirect.dropLast()))
    _ = try other.failed()
    #expect(try member.run("token", "other").end != .exited(0))
  }

  @Test
  func aDeviceCodeSignsIn() throws {
    let member = try Member()
    let terminal = try member.terminal("login", "work", "--provider", "idp", "--device")
    let url = try terminal.link()
    #expect(url.hasPrefix(member.provider.issuer + "/device"), "\(url)")
    try member.visit(url, ["--user-code", try terminal.userCode()]).succeeded()
    try terminal.end()
    try isSignedIn(member)
    let asked = try member.provider.requests().filter { $0.path == "/o/device-authorization/" }
    #expect(asked.map { $0.form["scope"] } == ["email openid profile read"])
  }

  @Test
  func aDeviceCodeThatIsDeniedOrExpiresSignsNoUserIn() throws {
    let member = try Member()
    let denied = try member.terminal("login", "work", "--provider", "idp", "--device", columns: 120)
    let page = try denied.link()
    try member.visit(page, ["--deny", "--user-code", try denied.userCode()]).succeeded()
    try denied.end(8)
    try isNotSignedIn(member)
    let expired = try member.terminal("login", "work", "--provider", "idp", "--device")
    _ = try expired.link()
    try member.provider.age(seconds: 3600)
    _ = try expired.failed()
    try isNotSignedIn(member)
    // Ctrl-C ends the polling, and a late consent signs no user in.
    let left = try member.terminal("login", "work", "--provider", "idp", "--device")
    let url = try left.link()
    let code = try left.userCode()
    try left.type("\u{3}")
    try left.end(130)
    try member.visit(url, ["--user-code", code]).succeeded()
    try isNotSignedIn(member)
  }

  @Test
  func thePasswordGrantSignsInWhereItIsAllowed() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try isSignedIn(member)
    let wrong = try member.run(
      "login",
      "other",
      "--provider",
      "idp",
      "--password",
      "--email",
      IdentityProvider.user,
      "--password-stdin",
      input: "wrong\n"
    )
    #expect(wrong.end == .exited(8), "\(wrong.text)")
    #expect(!wrong.text.contains("wrong\n"))
    try member.configure(settings: ["password_grant": ""])
    try member.provider.clear()
    let forbidden = try member.signIn("other")
    #expect([.exited(2), .exited(11)].contains(forbidden.end), "\(forbidden.text)")
    #expect(try member.provider.requests().isEmpty)
  }

  @Test
  func aProviderOfAnotherMakeSignsIn() throws {
    let member = try Member(.mock)
    try member.login().succeeded()
    try isSignedIn(member)
    // This provider does not rotate: its answers have no refresh token, and the first one stays.
    _ = try member.newerToken()
    let sent = try member.provider.refreshes().compactMap { $0.form["refresh_token"] }
    #expect(sent.count == 2 && Set(sent).count == 1)
  }

  @Test
  func metadataOfAnotherIssuerIsRefused() throws {
    let member = try Member()
    try member.provider.call("set", ["OIDC_ISS_ENDPOINT": .string(member.provider.url + "/other")])
    for arguments in [["provider", "test", "idp"], ["login", "work", "--provider", "idp"]] {
      let refused = try member.run(arguments, variables: [try member.browser()])
      #expect(refused.end == .exited(2), "\(refused.text)")
      #expect(refused.text.contains("issuer"), "\(refused.text)")
    }
    #expect(try member.provider.count("token_requests") == 0)
    try isNotSignedIn(member)
  }

  @Test
  func anIDTokenThatIsNotForUsSignsNoUserIn() throws {
    let member = try Member()
    let faults: [JSONObject] = [
      ["claims": ["aud": "somebody-else"]], ["claims": ["iss": "https://elsewhere.example"]],
      ["claims": ["nonce": "another"]], ["claims": ["nonce": nil]], ["claims": ["exp": -120]],
      ["claims": ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]], ["claims": [:], "key": "other"],
      ["claims": [:], "key": "none"], ["edit": ["id_token": nil]],
      ["edit": ["id_token": "not.a.token"]],
    ]
    for fault in faults {
      try member.provider.fail(fault.at(grant: "authorization_code"))
      let refused = try member.login()
      #expect(refused.end == .exited(2) || refused.end == .exited(8), "\(fault): \(refused.text)")
      try isNotSignedIn(member)
    }
    // Within the tolerated clock skew.
    try member.provider.fail(["grant": "authorization_code", "claims": ["exp": -20]])
    try member.login().succeeded()
    try isSignedIn(member)
  }

  @Test
  func aNewKeyOfTheProviderIsFetchedWhenItIsMetButNotAgainAndAgain() throws {
    let member = try Member()
    func fetched() throws -> Int {
      try member.provider.requests().filter { $0.path == "/o/.well-known/jwks.json" }.count
    }
    // An unknown key is looked up at once, although the keys were read a moment ago, but at most
    // three times in any minute. After that, invented key names cause no requests.
    try member.login().succeeded()
    try member.provider.clear()
    var looked = [BootInstant.now]
    try member.provider.call("rotate-keys", ["keep": false])
    try member.login("zero").succeeded()
    var count = try fetched()
    #expect(count == 1)
    // On a slow machine a minute may pass between two sign-ins. Then the keys are read again.
    var refused = 0
    for number in 1...20 where refused < 2 {
      let begun = BootInstant.now
      try member.provider.call("rotate-keys", ["keep": false])
      let outcome = try member.login("other\(number)")
      let now = BootInstant.now
      if try fetched() == count {
        refused += 1
        #expect(outcome.end == .exited(2), "\(outcome.text)")
        #expect(outcome.text.contains("unknown key"), "\(outcome.text)")
      } else {
        #expect(looked.count < 3 || now.seconds(since: looked[looked.count - 3]) >= 60)
        try outcome.succeeded()
        count += 1
        looked.append(begun)
        #expect(try fetched() == count)
      }
    }
    #expect(refused == 2)
    let before = try fetched()
    // An engine that has no keys yet reads them, for a refresh and for a sign-in.
    try member.expireTokens()
    try member.run("token", "work").succeeded()
    try member.login("one").succeeded()
    #expect(try fetched() == before + 1)
    try isSignedIn(member)
  }
}
