import Configuration
import Storage
import System
import Testing

@testable import TokenVault

/// Providers that end access tokens at a refresh, or narrow a grant permanently.
@Suite(.timeLimit(.minutes(10)))
struct RefreshQuirkTests {
  private func signedIn(
    _ bench: Bench,
    _ settings: [String: String],
    scope: String? = nil
  ) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: settings, scope: scope)
    return vault
  }

  // MARK: - refresh_ends_access_tokens

  private let ending = ["refresh_ends_access_tokens": "true"]

  @Test(arguments: [true, false])
  func aRefreshDropsTheTokensOfTheOtherSetsWhereItHasEndedThem(_ ends: Bool) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ends ? ending : [:])
    #expect(try await vault.token().accessToken == "at-1")
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
    #expect(try await vault.sets() == (ends ? ["read"] : ["", "read"]))
    // The front's answer is the same as the engine's.
    #expect(try await vault.cachedToken() == (ends ? nil : "at-1"))
    guard ends else { return }
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.cachedToken() == "at-2")
    #expect(try await vault.sets() == [""])
    #expect(bench.forms.map { $0["refresh_token"] } == ["rt-1", "rt-2"])
  }

  @Test
  func anAnswerWithoutAUsableAccessTokenHasEndedThemToo() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ending)
    bench.exchange.plan(
      .answer(status: 200, body: #"{"refresh_token":"rt-2","token_type":"Bearer"}"#)
    )
    guard case .misconfigured? = await failure({ _ = try await vault.token(scope: "read") }) else {
      Issue.record("taken")
      return
    }
    #expect(try await vault.sets() == [])
    #expect(try await vault.cachedToken() == nil)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.forms.last?["refresh_token"] == "rt-2")
  }

  @Test(arguments: [
    ScriptedExchange.Step.nothingSent,
    .answer(status: 400, body: #"{"error":"invalid_scope"}"#),
    .answer(status: 503, body: ""),
  ])
  func aRefreshThatBroughtNothingHasEndedNothing(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ending)
    bench.exchange.plan(step)
    _ = await failure { _ = try await vault.token(scope: "read") }
    #expect(try await vault.sets() == [""])
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.cachedToken() == "at-1")
  }

  @Test
  func afterAKillTheyAreGoneAsWell() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ending)
    let box = Box<Bench>()
    bench.exchange.observe { if $0 == "written" { box.put(try? bench.snapshot()) } }
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    _ = try await vault.token(scope: "read")
    let after = try #require(box.value)
    let next = try await after.open()
    #expect(try await next.token(scope: "read").accessToken == "at-read")
    #expect(try await next.sets() == ["read"])
    #expect(try await next.cachedToken() == nil)
    after.exchange.plan(oauthTokens("at-2", refresh: "rt-3"))
    #expect(try await next.token().accessToken == "at-2")
  }

  @Test
  func nothingIsRefreshedAheadForThatWouldEndTokensInUse() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ending)
    _ = try await vault.token()
    bench.clock.advance(3600 - 240)
    await vault.refreshAhead()
    #expect(bench.forms.isEmpty)
    #expect(try await vault.token().accessToken == "at-1")
  }

  // MARK: - refresh_scope

  private let whole = ["refresh_scope": "whole"]

  @Test(arguments: ["read", "read write admin", "admin"])
  func scopesThatAreNotTheLoginsAreRefusedBeforeAnythingIsAskedFor(_ scope: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, whole)
    try await bench.protect(vault)
    for audience in [nil, "api"] {
      guard
        case .invalidArgument(let why)? = await failure({
          _ = try await vault.token(scope: scope, audience: audience)
        })
      else {
        Issue.record("taken")
        return
      }
      #expect(why.contains("refresh_scope = whole"))
      #expect(why.contains("thumblatch login NAME --provider dev --scope SCOPES"))
    }
    #expect(bench.forms.isEmpty)
  }

  @Test
  func theLoginsScopesByNameAreTheUsualOnes() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, whole)
    #expect(try await vault.token(scope: "write read").accessToken == "at-1")
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token(scope: "read write").accessToken == "at-2")
    bench.exchange.plan(oauthTokens("at-api", refresh: "rt-3"))
    #expect(try await vault.token(scope: "read write", audience: "api").accessToken == "at-api")
    // None of the names was sent.
    #expect(bench.forms.map { $0["scope"] } == [nil, nil])
    #expect(bench.forms.last?["audience"] == "api")
    #expect(try await vault.token(scope: nil, audience: "api").accessToken == "at-api")
    #expect(try await vault.token(scope: "").accessToken == "at-2")
  }

  @Test
  func theLoginsAreThoseThatItWasGranted() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, whole, scope: "read")
    #expect(try await vault.token(scope: "read").accessToken == "at-1")
    guard
      case .invalidArgument? = await failure({ _ = try await vault.token(scope: "read write") })
    else {
      Issue.record("taken")
      return
    }
  }
}
