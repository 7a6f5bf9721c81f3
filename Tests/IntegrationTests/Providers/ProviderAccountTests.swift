import JSON
import System
import TestSupport
import Testing

/// The life of an account at a real provider: its providers, its scopes and its end.
@Suite(.serialized)
struct ProviderAccountTests {
  private func member(_ options: [String] = []) throws -> Member {
    let member = try Member(.toolkit, options)
    try member.signIn().succeeded()
    return member
  }

  @Test
  func aSignOutRevokesAtTheProvider() throws {
    let member = try member()
    let out = try object(try member.run("logout", "work", "--json").succeeded())
    #expect(try out.boolean("revoked") && out.boolean("erased"))
    let revoked = try member.provider.requests().filter { $0.path == "/o/revoke_token/" }
    #expect(revoked.map { $0.form["token_type_hint"] } == ["refresh_token"])
    #expect(try member.provider.count("live_refresh_tokens") == 0)
    #expect(try member.provider.count("live_access_tokens") == 0)
    #expect(try member.standing() == "signed-out")
    #expect(try member.run("token", "work").end == .exited(4))
  }

  @Test
  func aSignOutThatTheProviderRefusesIsToldAndErasedHere() throws {
    let member = try member()
    // This provider refuses revocation to a public client.
    let refusal = #"{"error": "invalid_client"}"#
    try member.provider.fail(["path": "/o/revoke_token/", "status": 401, "body": .string(refusal)])
    let refused = try member.run("logout", "work", "--json")
    #expect(refused.end == .exited(12))
    let text = refused.text
    #expect(try !object(text).boolean("revoked") && object(text).boolean("erased"), "\(text)")
    #expect(try object(text).string("grant") == "valid")
    #expect(try member.provider.count("live_refresh_tokens") == 1)
    #expect(try member.standing() == "signed-out")

    // A provider without such an endpoint, and one that cannot be reached.
    try member.configure(settings: ["revocation_endpoint": ""])
    try member.signIn().succeeded()
    let without = try member.run("logout", "work", "--json").text
    #expect(try !object(without).boolean("revoked") && object(without).boolean("erased"))
    try member.configure()
    try member.signIn().succeeded()
    try member.provider.call("offline")
    let offline = try member.run("logout", "work", "--json").text
    #expect(try !object(offline).boolean("revoked"), "\(offline)")
  }

  @Test
  func whoamiTellsWhatTheProviderSays() throws {
    let member = try member()
    let who = try object(try member.run("whoami", "work", "--json").succeeded())
    let profile = try who.object("profile")
    #expect(try profile.string("sub") == "1" && profile.string("name") == "Ada")
    #expect(try profile.string("email") == IdentityProvider.user)
    // A GET is repeated, unlike a token request.
    try member.provider.clear()
    try member.provider.fail(["path": "/o/userinfo/", "status": 503])
    try member.run("whoami", "work").succeeded()
    #expect(try member.provider.requests().filter { $0.path == "/o/userinfo/" }.count == 2)
  }

  @Test
  func whoIsSignedInIsKnownFromTheFirstIDTokenOn() throws {
    // The answer to a password has no ID token: the first refresh brings one.
    let member = try member()
    #expect(try member.account().optionalString("subject") == nil)
    _ = try member.newerToken()
    #expect(try member.account().string("subject") == "1")
    try member.expireTokens()
    try member.provider.fail(["grant": "refresh_token", "claims": ["sub": "2"]])
    let refused = try member.run("token", "work")
    #expect(refused.end == .exited(2), "\(refused.text)")
    #expect(refused.text.contains("ID token"), "\(refused.text)")
    try member.run("token", "work").succeeded()
  }

  @Test
  func userinfoOfAnotherPersonIsNotShown() throws {
    let member = try Member()
    try member.login().succeeded()
    try member.provider.fail(["path": "/o/userinfo/", "edit": ["sub": "2", "name": "Mallory"]])
    let refused = try member.run("whoami", "work")
    #expect(refused.end != .exited(0) && !refused.text.contains("Mallory"), "\(refused.text)")
  }

  /// This metadata has no userinfo endpoint: a client with a secret asks whether a token is active.
  @Test(arguments: ["post", "basic"])
  func introspectionTellsWhetherATokenIsActive(_ authentication: String) throws {
    let member = try Member()
    try member.configure(
      settings: [
        "kind": "oauth2", "scope": "read", "client_id": "thumblatch-confidential",
        "client_secret": "client-secret", "client_authentication": authentication,
      ]
    )
    try member.signIn().succeeded()
    func isAccepted() throws -> Bool {
      try object(try member.run("whoami", "work", "--verify", "--json").text).boolean("accepted")
    }
    #expect(try isAccepted())
    let old = try member.run("token", "work").succeeded()
    // The provider ends it before its time.
    try member.provider.call("age", ["seconds": 3600])
    #expect(try !isAccepted())
    let new = try member.run("token", "work").succeeded()
    #expect(try new != old && isAccepted())
    let asked = try member.provider.requests().filter { $0.path == "/o/introspect/" }
    #expect(asked.map(\.status) == [200, 200, 200])
    #expect(asked.allSatisfy { ($0.form["client_secret"] != nil) == (authentication == "post") })
  }

  @Test
  func eachSetOfScopesHasATokenOfItsOwn() throws {
    let member = try member()
    let usual = try member.run("token", "work").succeeded()
    let narrow = try member.run("token", "work", "--scope", "openid read").succeeded()
    #expect(narrow != usual)
    // In any order, and repeated. No token replaces another.
    #expect(try member.run("token", "work", "--scope", "read openid read").succeeded() == narrow)
    #expect(try member.provider.refreshes().map { $0.form["scope"] } == ["openid read"])
    let told = try object(
      try member.run("token", "work", "--scope", "openid read", "--json").succeeded()
    )
    #expect(try told.string("access_token") + "\n" == narrow)
    let asked = try member.provider.refreshes().count
    _ = try member.run("token", "work").succeeded()
    #expect(try member.provider.refreshes().count == asked)

    let newer = try member.run(
      "token",
      "work",
      "--scope",
      "openid read",
      "--rejected",
      input: narrow
    )
    .succeeded()
    #expect(newer != narrow)
    #expect(try member.run("token", "work", "--scope", "openid read").succeeded() == newer)
  }

  @Test
  func anAudienceIsSentAndKeptApart() throws {
    let member = try Member(.toolkit, ["--refresh", "fixed"])
    try member.signIn().succeeded()
    let usual = try member.run("token", "work").succeeded()
    let other = try member.run("token", "work", "--audience", "https://api.example").succeeded()
    #expect(other != usual)
    #expect(try member.provider.refreshes().last?.form["audience"] == "https://api.example")
    #expect(
      try member.run("token", "work", "--audience", "https://api.example").succeeded() == other
    )
    #expect(try member.provider.refreshes().count == 1)
  }

  @Test
  func resourcesOfTheProviderAreAskedForOneByOne() throws {
    let member = try Member(settings: ["resource": "https://a.example/; https://b.example/"])
    try member.signIn().succeeded()
    _ = try member.newerToken()
    let asked = try member.provider.requests().filter { $0.grant != nil }
    #expect(asked.count == 2)
    #expect(asked.allSatisfy { $0.form["resource"] == "https://a.example/ https://b.example/" })
  }

  @Test
  func aScopeThatIsNotGrantedIsRefusedAndNothingIsLost() throws {
    let member = try member()
    let usual = try member.run("token", "work").succeeded()
    let refused = try member.run("token", "work", "--scope", "openid admin")
    #expect(refused.end == .exited(2), "\(refused.text)")
    #expect(try member.run("token", "work").succeeded() == usual)
    _ = try member.newerToken()
    // A line break that would inject a parameter into the request.
    for scope in ["openid\nread", "open\"id", ""] {
      #expect(try member.run("token", "work", "--scope", scope).end == .exited(2))
    }
  }

  @Test
  func scopesThatTheProviderNarrowsAreKeptAndTold() throws {
    let member = try member()
    try member.provider.fail(["grant": "refresh_token", "edit": ["scope": "openid"]])
    try member.expireTokens()
    let told = try object(try member.run("token", "work", "--json").succeeded())
    #expect(try told.string("scope") == "openid")
    // The same from the store.
    let again = try object(try member.run("token", "work", "--json").succeeded())
    #expect(try again.string("scope") == "openid")
    #expect(try member.provider.refreshes().count == 1)
  }

  @Test
  func anEditedProviderChangesNothingUntilALogin() throws {
    let member = try member()
    let elsewhere = try member.provider.call("elsewhere").string("url")
    try member.configure(
      settings: [
        "discovery": "off", "token_endpoint": elsewhere + "/token",
        "userinfo_endpoint": elsewhere + "/userinfo", "revocation_endpoint": elsewhere + "/revoke",
        "authorization_endpoint": elsewhere + "/authorize", "jwks_uri": elsewhere + "/jwks",
        "issuer": elsewhere, "proxy": elsewhere,
      ]
    )
    try member.expireTokens()
    try member.run("token", "work").succeeded()
    try member.run("whoami", "work").succeeded()
    let status = try member.run("status", "work").succeeded()
    #expect(status.contains("provider file differs"), "\(status)")
    let out = try object(try member.run("logout", "work", "--json").succeeded())
    #expect(try out.boolean("revoked"))
    #expect(try member.provider.call("elsewhere").integer("connections") == 0)
  }

  @Test
  func anEditedProviderIsAppliedToItsAccountsOnlyByThePassword() throws {
    let member = try member()
    try member.configure(settings: ["scope": "openid read"])
    let without = try member.run("provider", "apply", "idp")
    #expect(without.end == .exited(7), "\(without.text)")
    let apply = try member.terminal("provider", "apply", "idp")
    try apply.expect("openid read")
    try apply.expect("System password for")
    try apply.enter(Someone.systemPassword)
    try apply.end()
    #expect(try !member.run("status", "work").succeeded().contains("provider file differs"))
    // The tokens stay valid, under the new settings.
    try member.run("token", "work").succeeded()
    #expect(try member.provider.refreshes().count == 1)
    _ = try member.newerToken()
  }

  @Test
  func aTestOfAProviderSaysWhatItOffers() throws {
    let member = try Member()
    let report = try object(try member.run("provider", "test", "idp", "--json").succeeded())
    #expect(try report.string("issuer") == member.provider.issuer)
    #expect(try report.array("flows").count == 3)
    #expect(try report.integer("keys") == 1)
    let endpoints = try report.object("endpoints")
    #expect(try endpoints.string("token_endpoint") == member.provider.issuer + "/token/")
    // The test neither signs in nor requests a token.
    #expect(try member.provider.count("token_requests") == 0)
    try member.provider.fail(["path": "/o/.well-known/openid-configuration", "status": 404])
    let without = try member.run("provider", "test", "idp")
    #expect(without.end != .exited(1), "\(without.text)")
  }
}
