import Configuration
import Storage
import System
import Testing

@testable import TokenVault

/// The difference between requested and granted scopes, and the callers that get it.
@Suite(.timeLimit(.minutes(10)))
struct GrantedScopeTests {
  private func lastDetail(_ vault: Vault) async throws -> String? {
    try await vault.auditPage(after: 0, since: nil, account: "me").last?.detail
  }

  private func missing(_ vault: Vault) async throws -> String? {
    try await vault.accountFacts(named: "me")[0].missingScope
  }

  /// A refresh of the usual set.
  private func refresh(
    _ bench: Bench,
    _ vault: Vault,
    scope: String?
  ) async throws -> AccessGrant {
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-new", refresh: nil, scope: scope))
    return try await vault.token()
  }

  @Test
  func fewerScopesThanThoseOfTheLoginAreKeptAndToldOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "write read")
    #expect(try await vault.token().scope == "read write")
    #expect(try await vault.accountFacts(named: "me")[0].scope == "read write")
    let first = try await refresh(bench, vault, scope: "read")
    #expect(first.scope == "read" && first.missingScope == "write")
    #expect(try await lastDetail(vault) == "generation 1, not granted: write")
    #expect(try await missing(vault) == "write")
    // The next caller is not told again, nor after a refresh with the same result.
    #expect(try await vault.token().missingScope == nil)
    let second = try await refresh(bench, vault, scope: "read")
    #expect(second.missingScope == nil)
    #expect(try await lastDetail(vault) == "generation 1, not granted: write")
    #expect(try await missing(vault) == "write")
    // A caller is told if more scopes are missing. Nothing is recorded when all scopes are granted
    // again.
    #expect(try await refresh(bench, vault, scope: "mail").missingScope == "read write")
    #expect(try await refresh(bench, vault, scope: "write read").missingScope == nil)
    #expect(try await missing(vault) == nil)
    #expect(try await lastDetail(vault) == "generation 1")
    #expect(try await refresh(bench, vault, scope: "read").missingScope == "write")
    // An answer that names no scopes grants all of them.
    #expect(try await refresh(bench, vault, scope: nil).missingScope == nil)
    #expect(try await missing(vault) == nil)
  }

  @Test
  func itIsComparedWithWhatTheLoginWasGranted() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    // The file asks for `read write`, but the sign-in was granted other scopes.
    try await bench.signInOAuth(vault, scope: "read,profile")
    #expect(try await lastDetail(vault) == "generation 1, not granted: write")
    #expect(try await vault.token().missingScope == nil)
    #expect(try await missing(vault) == nil)
    let same = try await refresh(bench, vault, scope: "profile read")
    #expect(same.missingScope == nil)
    #expect(try await lastDetail(vault) == "generation 1")
    #expect(try await refresh(bench, vault, scope: "read").missingScope == "profile")
    // After the end of an engine, and whatever happens to the token.
    let next = try await bench.snapshot().open()
    #expect(try await next.accountFacts(named: "me")[0].scope == "profile read")
    #expect(try await missing(next) == "profile")
  }

  @Test
  func aLoginThatIsToldNoScopesHasThoseThatItAskedFor() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    #expect(try await vault.accountFacts(named: "me")[0].scope == "read write")
    #expect(try await refresh(bench, vault, scope: "read").missingScope == "write")
    // Another sign-in starts again, and a sign-out leaves no record.
    try await bench.signInOAuth(vault, scope: "read")
    #expect(try await missing(vault) == nil)
    #expect(try await refresh(bench, vault, scope: "read").missingScope == nil)
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    let facts = try await vault.accountFacts(named: "me")[0]
    #expect(facts.scope == nil && facts.missingScope == nil)
  }

  @Test
  func theScopesOfALoginAreThoseThatWereChosenForIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await vault.beginLogin(
      account: "me",
      provider: try OpenProvider.provider(),
      flow: .browser(redirect: OpenProvider.redirect),
      scope: "read admin",
      caller: caller()
    )
    let url = try #require(start.url)
    let idToken = try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: bench.clock)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(idToken: idToken)
          .replacing("{", with: #"{"scope":"openid read","#, maxReplacements: 1)
      )
    )
    let facts = try await vault.finishLogin(
      start.login,
      query: answer(to: url),
      caller: caller()
    )
    #expect(facts.scope == "openid read")
    #expect(try await lastDetail(vault) == "generation 1, not granted: admin")
  }

  @Test
  func oneOfManyWhoWaitIsTold() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "read write")
    bench.clock.advance(3600)
    bench.exchange.hold()
    let waiting = (1...8).map { connection in
      Task { try await vault.token(scope: nil, caller: caller(connection)).missingScope }
    }
    await bench.exchange.untilRequested(2)
    await vault.barrier()
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2", scope: "read"))
    var told: [String] = []
    for one in waiting { if let missing = try await one.value { told.append(missing) } }
    #expect(told == ["write"])
  }

  @Test
  func aLossOfARefreshAheadIsToldToTheNextCaller() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "read write")
    _ = try await vault.token()
    bench.clock.advance(3600 - 240)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2", scope: "read"))
    await vault.refreshAhead()
    #expect(try await missing(vault) == "write")
    let grant = try await vault.token()
    #expect(grant.accessToken == "at-2" && grant.missingScope == "write")
    #expect(try await vault.token().missingScope == nil)
  }

  @Test
  func scopesThatWereAskedForAndNotGrantedAreToldOnceForEachSet() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "write read")
    for round in 0..<2 {
      bench.exchange.plan(
        oauthTokens("at-\(round)", refresh: nil, scope: "read,profile", lifetime: 60)
      )
      let grant = try await vault.token(scope: "profile read write")
      #expect(grant.scope == "profile read")
      #expect(grant.missingScope == (round == 0 ? "write" : nil))
      #expect(try await lastDetail(vault) == "generation 1, not granted: write")
      bench.clock.advance(60)
    }
    // This says nothing about the sign-in.
    #expect(try await missing(vault) == nil)
    bench.exchange.plan(oauthTokens("at-api", refresh: nil, scope: "api", lifetime: 60))
    #expect(try await vault.token(scope: nil, audience: "api").missingScope == nil)
  }

  @Test
  func anAccountOfBeforeLearnsItsScopesFromItsLastToken() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "read")
    let older = try bench.snapshot()
    try await older.withStore { store in
      var row = try #require(try store.account(named: "me", owner: ThisProcess.user))
      row.loginScope = nil
      let changed = row
      try store.transaction { try store.update(changed) }
    }
    let next = try await older.open()
    #expect(try await refresh(older, next, scope: "read").missingScope == nil)
    #expect(try await next.accountFacts(named: "me")[0].scope == "read")
  }
}
