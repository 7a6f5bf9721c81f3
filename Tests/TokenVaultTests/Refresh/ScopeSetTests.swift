import Presence
import Testing

@testable import TokenVault

/// Access tokens by their requested scopes and audience.
@Suite(.timeLimit(.minutes(10)))
struct ScopeSetTests {
  func signedIn(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: settings)
    return vault
  }

  @Test
  func eachSetHasATokenOfItsOwnAndOnlyTheUsualOneAFile() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", lifetime: 600))
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
    #expect(bench.forms.map { $0["scope"] } == ["read"])
    // Neither has replaced the other's token, and nothing is fetched twice.
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
    #expect(try await vault.cachedToken() == "at-1")
    #expect(try await vault.sets() == ["", "read"])
    bench.clock.advance(600)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-3"))
    #expect(try await vault.token(scope: "read").accessToken == "at-read-2")
    #expect(bench.forms.map { $0["refresh_token"] } == ["rt-1", "rt-2"])
    bench.clock.advance(3000)
    bench.exchange.plan(oauthTokens("at-4", refresh: "rt-4"))
    #expect(try await vault.token().accessToken == "at-4")
    #expect(bench.forms.last?["refresh_token"] == "rt-3")
    // The usual token is requested without a scope: it has the scopes of the sign-in.
    #expect(bench.forms.last?["scope"] == nil)
    #expect(try await vault.cachedToken() == "at-4")
    #expect(try await vault.token(scope: "read").accessToken == "at-read-2")
  }

  @Test(arguments: ["a b", "b a", " b  a ", "a b a"])
  func theSameScopesInAnyOrderAreOneSet(_ scope: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-ab", refresh: "rt-2"))
    #expect(try await vault.token(scope: "b a").accessToken == "at-ab")
    #expect(try await vault.token(scope: scope).accessToken == "at-ab")
    #expect(bench.forms.map { $0["scope"] } == ["a b"])
    #expect(try await vault.token(scope: "").accessToken == "at-1")
  }

  @Test
  func aTokenForOneResourceIsForNoOther() async throws {
    let resource = "https://mcp.example.com/mcp"
    let bench = try Bench()
    let vault = try await signedIn(
      bench,
      settings: ["resource": resource, "resource_only": "true"]
    )
    let terms = try await vault.requestTerms(account: "me", caller: caller())
    #expect(terms.resource == resource && terms.hosts.isEmpty)
    #expect(!terms.isForAnyHost)
    #expect(try await vault.isTokenForAnyHost() == false)
    let other = try Bench()
    let usual = try await signedIn(other)
    #expect(try await usual.isTokenForAnyHost() == true)
    #expect(try await usual.requestTerms(account: "me", caller: caller()).isForAnyHost)
    #expect(other.forms.isEmpty)
    for audience in ["https://api.example.com/", "api", resource + "/x"] {
      let refused = await failure { _ = try await vault.token(scope: nil, audience: audience) }
      guard case .invalidArgument? = refused else {
        Issue.record("\(audience): \(String(describing: refused))")
        continue
      }
    }
    #expect(bench.forms.isEmpty)
    #expect(try await vault.token(scope: nil, audience: resource).accessToken == "at-1")
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
    #expect(bench.forms.map { $0["resource"] } == [resource])
  }

  @Test
  func anAudienceIsASetOfItsOwnAndIsNamedAsTheProviderKnowsIt() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-api", refresh: nil))
    #expect(try await vault.token(scope: nil, audience: "api").accessToken == "at-api")
    #expect(bench.forms.last?["audience"] == "api" && bench.forms.last?["resource"] == nil)
    bench.exchange.plan(oauthTokens("at-api-read", refresh: nil))
    #expect(try await vault.token(scope: "read", audience: "api").accessToken == "at-api-read")

    let resource = "https://api.example.com/"
    let other = try Bench()
    let next = try await signedIn(other, settings: ["resource": "https://usual.example.com"])
    other.exchange.plan(oauthTokens("at-resource", refresh: nil))
    #expect(try await next.token(scope: nil, audience: resource).accessToken == "at-resource")
    #expect(other.forms.last?["resource"] == resource && other.forms.last?["audience"] == nil)
    // The usual audience by its name is the usual token.
    let usual = try await next.token(scope: nil, audience: "https://usual.example.com")
    #expect(usual.accessToken == "at-1")
  }

  @Test
  func aRejectedTokenDropsOnlyItsOwnSet() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-read", refresh: nil))
    _ = try await vault.token(scope: "read")
    bench.exchange.plan(oauthTokens("at-read-2", refresh: nil))
    let grant = try await vault.token(scope: "read", rejected: "at-read")
    #expect(grant.accessToken == "at-read-2")
    #expect(try await vault.cachedToken() == "at-1")
    #expect(try await vault.sets() == ["", "read"])
    // Whatever set the request names.
    #expect(try await vault.token(rejected: "at-read-2").accessToken == "at-1")
    #expect(try await vault.sets() == [""])
    bench.exchange.plan(.nothingSent)
    _ = await failure { _ = try await vault.token(rejected: "at-1") }
    #expect(try await vault.cachedToken() == nil)
    #expect(try await vault.sets() == [])
  }

  @Test
  func aPasswordBackendKnowsNone() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    for (scope, audience) in [("read", nil), (nil, "api")] as [(String?, String?)] {
      guard
        case .invalidArgument(let why)? = await failure({
          _ = try await vault.token(scope: scope, audience: audience)
        })
      else {
        Issue.record("taken")
        continue
      }
      #expect(why.contains("password backend"))
    }
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [
    "a\"b", "a\\b", "a\nb", "é", "a\u{7f}", String(repeating: "a", count: 1025),
    (0..<65).map { "s\($0)" }.joined(separator: " "),
  ])
  func whatIsNoScopeIsRefused(_ scope: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    guard case .invalidArgument? = await failure({ _ = try await vault.token(scope: scope) }) else {
      Issue.record("taken")
      return
    }
    #expect(bench.forms.isEmpty)
  }

  @Test
  func ofManySetsThoseThatWereStoredLastAreKeptAndTheUsualOne() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    for number in 10..<30 {
      bench.clock.advance(1)
      bench.exchange.plan(oauthTokens("at-\(number)", refresh: nil))
      _ = try await vault.token(scope: "s\(number)")
    }
    #expect(try await vault.sets() == [""] + (14..<30).map { "s\($0)" })
    #expect(try await vault.token().accessToken == "at-1")
    #expect(bench.forms.count == 20)
  }

  @Test
  func theSetThatWasStoredJustNowIsKeptWhateverTheClockSays() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    for number in 10..<26 {
      bench.exchange.plan(oauthTokens("at-\(number)", refresh: nil))
      _ = try await vault.token(scope: "s\(number)")
    }
    bench.clock.setWall(by: -1000)
    bench.exchange.plan(oauthTokens("at-new", refresh: nil))
    #expect(try await vault.token(scope: "new").accessToken == "at-new")
    #expect(try await vault.token(scope: "new").accessToken == "at-new")
    #expect(bench.forms.count == 17)
    #expect(try await vault.sets().count == 17)
  }

  @Test
  func aLoginASignOutAndAnotherProviderDropThemAll() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    func fill() async throws {
      bench.exchange.plan(oauthTokens("at-read", refresh: nil))
      _ = try await vault.token(scope: "read")
      #expect(try await vault.sets() == ["", "read"])
    }
    try await fill()
    try await bench.signInOAuth(vault)
    #expect(try await vault.sets() == [""])
    try await fill()
    let later = try oauthProvider(["token_endpoint": "https://id.example.com/v2/token"])
    let need = try await need {
      _ = try await vault.applyProvider(later, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    _ = try await vault.applyProvider(later, account: "me", prompt: need.prompt, caller: caller())
    #expect(try await vault.sets() == [])
    bench.exchange.plan(oauthTokens("at-2", refresh: nil))
    _ = try await vault.token()
    try await fill()
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    #expect(try await vault.sets() == [])
  }

  @Test
  func theProofForOneSetIsNoneForAnother() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    let usual = try await need { _ = try await vault.token(rejected: "at-1") }
    #expect(usual.detail == nil)
    try await bench.pass(usual, vault, caller())
    guard
      case .presenceFailed? = await failure({
        _ = try await vault.token(scope: "admin", prompt: usual.prompt)
      })
    else {
      Issue.record("fetched")
      return
    }
    let admin = try await need {
      _ = try await vault.token(scope: "admin", audience: "api")
    }
    #expect(admin.detail == "for api, scope admin")
    #expect(bench.forms.isEmpty)
  }

  /// In any order, and whether or not the provider names the scopes.
  @Test(arguments: ["read write", nil], ["read write", " write  read write"])
  func theScopesOfTheUsualTokenAreTheUsualToken(_ granted: String?, _ asked: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    // The effect of a refresh for fewer scopes is unknown here, but this request is not for fewer.
    try await bench.signInOAuth(vault, settings: ["refresh_scope": ""], scope: granted)
    try await bench.protect(vault)
    #expect(try await vault.token(scope: asked).accessToken == "at-1")
    #expect(bench.forms.isEmpty)
    // Its refresh is one of the usual token: by its prompt, and by the request.
    let need = try await need { _ = try await vault.token(scope: asked, rejected: "at-1") }
    #expect(need.detail == nil)
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2", scope: granted))
    let grant = try await vault.token(scope: asked, prompt: need.prompt)
    #expect(grant.accessToken == "at-2")
    #expect(bench.forms.count == 1 && bench.forms[0]["scope"] == nil)
    #expect(try await vault.sets() == [""])
    #expect(try await vault.cachedToken() == "at-2")
  }

  @Test
  func anotherAudienceOfTheSameScopesIsNotTheUsualToken() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-api", refresh: nil))
    #expect(try await vault.token(scope: "read write", audience: "api").accessToken == "at-api")
    #expect(try await vault.sets() == ["", "read write\naudience=api"])
  }

  /// The grant has more scopes.
  ///
  /// The usual token is used while it lives, and a refresh names its scopes.
  @Test
  func aUsualTokenThatLacksScopesServesThoseThatItHas() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2", scope: "read", lifetime: 600))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.token(scope: "read").accessToken == "at-2")
    #expect(bench.forms.count == 1)
    // The scopes of the grant are more than it has.
    bench.exchange.plan(oauthTokens("at-3", refresh: "rt-3"))
    #expect(try await vault.token(scope: "read write").accessToken == "at-3")
    #expect(bench.forms.last?["scope"] == "read write")
    bench.clock.advance(600)
    bench.exchange.plan(oauthTokens("at-4", refresh: "rt-4"))
    #expect(try await vault.token(scope: "read").accessToken == "at-4")
    #expect(bench.forms.last?["scope"] == "read")
  }
}
