import Presence
import Testing

@testable import TokenVault

/// A token for fewer scopes at a provider that may or may not narrow the grant.
@Suite(.timeLimit(.minutes(10)))
struct NarrowingTests {
  private let unsaid = ["refresh_scope": "", "scope": "mail read write"]

  private func signedIn(_ bench: Bench, scope: String? = nil) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: unsaid, scope: scope)
    return vault
  }

  private func refusal(_ vault: Vault, _ scope: String = "read") async -> String {
    guard case .mayNarrow(let why)? = await failure({ _ = try await vault.token(scope: scope) })
    else { return "" }
    return why
  }

  @Test
  func theFirstCallNeedsConsentBeforeAnythingIsSentOrAsked() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    let why = await refusal(vault)
    #expect(why.contains("lack mail write until a new login"), "\(why)")
    #expect(bench.forms.isEmpty)
    // The usual token and a separate audience do not change the scopes.
    #expect(try await vault.token().accessToken == "at-1")
    _ = try await need { _ = try await vault.token(scope: nil, audience: "api") }
    // Consent comes before the presence check, and is stored once the check has passed.
    let asked = try await need {
      _ = try await vault.token(scope: "read", consent: .untilNextLogin)
    }
    #expect(await !refusal(vault).isEmpty)
    try await bench.pass(asked, vault, caller())
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", lifetime: 60))
    let grant = try await vault.token(scope: "read", consent: .untilNextLogin, prompt: asked.prompt)
    #expect(grant.accessToken == "at-read")
    bench.clock.advance(60)
    _ = try await need { _ = try await vault.token(scope: "read") }
    _ = try await need { _ = try await vault.token(scope: "write") }
  }

  @Test
  func consentLastsUntilTheNextLoginAndThroughARestart() async throws {
    let bench = try Bench()
    var vault: Vault? = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", lifetime: 60))
    _ = try await vault?.token(scope: "read", consent: .untilNextLogin)
    vault = nil
    let next = try await bench.open()
    bench.clock.advance(60)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-3"))
    #expect(try await next.token(scope: "read").accessToken == "at-read-2")
    try await bench.signInOAuth(next, settings: unsaid)
    #expect(await !refusal(next).isEmpty)
  }

  @Test
  func consentForOneCallIsNotKept() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", lifetime: 60))
    #expect(try await vault.token(scope: "read", consent: .thisCall).accessToken == "at-read")
    // The stored token is handed out to every caller, and no request is sent for it.
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
    #expect(await !refusal(vault, "write").isEmpty)
    bench.clock.advance(60)
    #expect(await !refusal(vault).isEmpty)
    #expect(bench.forms.count == 1)
    // Nor does it revoke the person's consent.
    bench.exchange.plan(oauthTokens("at-write", refresh: "rt-3"))
    _ = try await vault.token(scope: "write", consent: .untilNextLogin)
    bench.exchange.plan(oauthTokens("at-mail", refresh: "rt-4"))
    _ = try await vault.token(scope: "mail", consent: .thisCall)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-5"))
    #expect(try await vault.token(scope: "read").accessToken == "at-read-2")
  }

  @Test(arguments: [NarrowingConsent.thisCall, .untilNextLogin])
  func onlyKeptConsentLetsATokenBeRefreshedAhead(_ consent: NarrowingConsent) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    _ = try await vault.token(scope: "read", consent: consent)
    // From the store: it is in use.
    _ = try await vault.token(scope: "read")
    bench.clock.advance(3600 - 200)
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-3"))
    await vault.refreshAhead()
    #expect(bench.forms.count == (consent == .thisCall ? 1 : 2))
  }

  @Test
  func aProviderThatLeavesTheRefreshTokenAsItIsCannotNarrowIt() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    #expect(await !refusal(vault).isEmpty)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: nil))
    _ = try await vault.token()
    bench.exchange.plan(oauthTokens("at-read", refresh: nil))
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
  }

  @Test
  func allScopesOfTheLoginAndOnesBeyondItNarrowNothing() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, scope: "read write")
    #expect(await !refusal(vault, "write").isEmpty)
    // The usual token has these scopes.
    #expect(try await vault.token(scope: "write read").accessToken == "at-1")
    bench.exchange.plan(oauthTokens("at", refresh: "rt-2"))
    #expect(try await vault.token(scope: "read write mail").accessToken == "at")
  }

  /// No consent helps there, so no person is asked for it, nor for a presence check.
  @Test(arguments: [NarrowingConsent.notGiven, .thisCall, .untilNextLogin])
  func aScopeThatTheLoginLacksIsRefusedWithThoseThatItHas(
    _ consent: NarrowingConsent
  ) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    guard
      case .invalidArgument(let why)? = await failure({
        _ = try await vault.token(scope: "nosuch read", consent: consent)
      })
    else {
      Issue.record("not refused")
      return
    }
    #expect(why.contains("no scope nosuch, only mail read write:"), "\(why)")
    #expect(bench.forms.isEmpty)
    #expect(await !refusal(vault).isEmpty)
  }

  @Test
  func theProvidersTestNamesTheAccountsThatHaveLostScopes() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, scope: "mail read write")
    let provider = try oauthProvider(unsaid)
    #expect(await vault.narrowingWarnings(provider).isEmpty)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", scope: "read"))
    _ = try await vault.token(scope: "read", consent: .untilNextLogin)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-3", scope: "read"))
    #expect(try await vault.token().missingScope == "mail write")
    let found = await vault.narrowingWarnings(provider)
    #expect(found.count == 1 && found.allSatisfy { $0.contains("me") && $0.contains("mail write") })
    let whole = try oauthProvider(["refresh_scope": "whole", "scope": "mail read write"])
    #expect(await vault.narrowingWarnings(whole).isEmpty)
    let other = try oauthProvider(["client_id": "other"])
    #expect(await vault.narrowingWarnings(other).isEmpty)
  }
}
