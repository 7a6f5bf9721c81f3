import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// One token that cannot be exchanged: it lives until its end.
@Suite(.timeLimit(.minutes(10)))
struct OneTokenEndTests {
  private func signedIn(
    _ bench: Bench,
    lifetime: Int?,
    refreshPath: String = "none"
  ) async throws -> Vault {
    let vault = try await bench.open()
    let life = lifetime.map { #","expires_in":\#($0)"# } ?? ""
    bench.exchange.plan(.answer(status: 200, body: #"{"token":"one-1"\#(life)}"#))
    let settings = [
      "access_token_field": "token", "refresh_token_field": "token", "refresh_path": refreshPath,
    ]
    _ = try await vault.signIn(
      account: "me",
      provider: try provider(settings),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    return vault
  }

  /// A refresh waits behind the change, and must not take the refresh token for the one token.
  @Test
  func aProviderThatIsAppliedDuringTheCallEndsIt() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: 3600)
    try await bench.enroll(vault)
    let two = try provider([:])
    func apply(_ prompt: String?) async throws -> AccountFacts {
      try await vault.applyProvider(two, account: "me", prompt: prompt, caller: caller())
    }
    let asked = try await need { _ = try await apply(nil) }
    try await bench.pass(asked, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    let account = try await vault.row().id
    await vault.enter(account)
    async let applied = apply(asked.prompt)
    while await vault.refreshes.waiting[account]?.count != 1 { await Task.yield() }
    async let answer = failure { _ = try await vault.token() }
    while await vault.refreshes.waiting[account]?.count != 2 { await Task.yield() }
    await vault.leave(account)
    _ = try await applied
    guard case .providerUnavailable(let why, _, _)? = await answer else {
      Issue.record("a token was handed out")
      return
    }
    #expect(why.contains("has just changed"))
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [3600, nil] as [Int?])
  func withoutARefreshEndpointItLivesUntilItsEnd(_ lifetime: Int?) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: lifetime)
    bench.clock.advance(3599)
    let grant = try await vault.token()
    #expect(grant.accessToken == "one-1" && grant.isShorterThanRequested == (lifetime != nil))
    await vault.refreshAhead()
    bench.clock.advance(1)
    guard lifetime != nil else {
      #expect(try await vault.token().accessToken == "one-1")
      return
    }
    guard case .loginRequired(_, let why)? = await failure({ _ = try await vault.token() }) else {
      Issue.record("handed out")
      return
    }
    #expect(why.contains("has expired"), "\(why)")
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .loginRequired && facts.cause == why)
    #expect(bench.exchange.requests.count == 1)
  }

  /// A backend names the end in words of its own, or in none.
  @Test(arguments: [
    (401, #"{"error":"token expired"}"#), (403, #"{"message":"no"}"#), (400, ""), (401, "<html>"),
  ])
  func aRefusalToExchangeItAfterItsEndTakesALogin(_ status: Int, _ body: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: 7200, refreshPath: "/auth/refresh")
    bench.clock.advance(7000)
    bench.exchange.plan(.answer(status: 401, body: #"{"error":"too early"}"#))
    // Before its end the token is still good for a caller, so the refusal says nothing of it.
    #expect(try await vault.token().accessToken == "one-1")
    bench.clock.advance(200)
    bench.exchange.plan(.answer(status: status, body: body))
    guard case .loginRequired(_, let why)? = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login is required")
      return
    }
    #expect(why.contains("has expired") && why.contains("\(status)"), "\(why)")
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .loginRequired && facts.cause == why)
    let requests = bench.exchange.requests.count
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("asked again")
      return
    }
    #expect(bench.exchange.requests.count == requests)
  }

  /// A token that a server refused is of no use to the caller, and the refusal of its exchange
  /// leaves no doubt about it.
  @Test(arguments: ["interaction_required", "token_dead"])
  func aRejectedTokenEndsThePauseAfterARefusal(_ code: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: 7200, refreshPath: "/auth/refresh")
    bench.clock.advance(5000)
    let refusal = ScriptedExchange.Step.answer(status: 400, body: #"{"error":"\#(code)"}"#)
    bench.exchange.plan(refusal)
    for _ in 0..<3 { #expect(try await vault.token().accessToken == "one-1") }
    #expect(bench.exchange.refreshes.count == 1)
    // Another token than the stored one says nothing about it.
    _ = try await vault.token(rejected: "one-0")
    #expect(bench.exchange.refreshes.count == 1)
    bench.exchange.plan(refusal)
    guard
      case .misconfigured(let why)? = await failure({
        _ = try await vault.token(rejected: "one-1")
      })
    else {
      Issue.record("not tried")
      return
    }
    #expect(why.contains(code), "\(why)")
    bench.exchange.plan(.answer(status: 200, body: #"{"token":"one-2","expires_in":7200}"#))
    #expect(try await vault.token(rejected: "one-1").accessToken == "one-2")
    #expect(bench.exchange.refreshes.count == 3)
  }

  /// Any refusal after the end of the token means a login, so no setting has to name the error.
  @Test
  func theRefusalOfAnExchangeNamesNoSettings() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: 7200, refreshPath: "/auth/refresh")
    bench.clock.advance(5000)
    for body in [#"{"error":"token_dead"}"#, "<html>"] {
      bench.clock.advance(600)
      bench.exchange.plan(.answer(status: 400, body: body))
      let refusal = await failure { _ = try await vault.token(rejected: "one-1") }
      let finding = try #require(await vault.examine().first { $0.name == "accounts" })
      for text in ["\(try #require(refusal))", try #require(finding.remedy)] {
        #expect(!text.contains("invalid_grant_value") && !text.contains("empty_refusal"), "\(text)")
      }
    }
  }

  @Test(arguments: [404, 429, 500])
  func anyOtherAnswerAfterItsEndKeepsIt(_ status: Int) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, lifetime: 7200, refreshPath: "/auth/refresh")
    bench.clock.advance(7200)
    bench.exchange.plan(.answer(status: status, body: ""))
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(try await vault.row().state == .signedIn)
  }

  @Test
  func anOAuthGrantWithoutARefreshTokenWorksAndKnowsNoOtherScopes() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(
      .answer(status: 200, body: #"{"access_token":"gho_1","token_type":"bearer","scope":"read"}"#)
    )
    _ = try await vault.signIn(
      account: "me",
      provider: try oauthProvider(["refresh_token_field": "access_token"]),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    let grant = try await vault.token()
    #expect(grant.accessToken == "gho_1" && grant.scope == "read" && grant.expiresAt == nil)
    let files = try bench.scratch.files()
    #expect(files.values.allSatisfy { !holds($0, Array("gho_1".utf8)) })
    guard case .invalidArgument? = await failure({ _ = try await vault.token(scope: "write") })
    else {
      Issue.record("another scope")
      return
    }
    // A server's refusal is not a statement of the provider: the account stays signed in.
    guard
      case .loginRequired? = await failure({ _ = try await vault.token(rejected: "gho_1") })
    else {
      Issue.record("handed out again")
      return
    }
    #expect(try await vault.token().accessToken == "gho_1")
    #expect(bench.exchange.requests.count == 1)
  }

  @Test
  func aRefreshTokenThatTheFileSaysThereIsNoneOfIsRevokedAndNotKept() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: "rt-1"), .answer(status: 200, body: ""))
    let settings = [
      "refresh_token_field": "access_token",
      "revocation_endpoint": "https://id.example.com/revoke",
    ]
    let ended = await failure {
      _ = try await vault.signIn(
        account: "me",
        provider: try oauthProvider(settings),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    guard case .misconfigured(let why)? = ended else {
      Issue.record("\(String(describing: ended))")
      return
    }
    #expect(why.contains("refresh_token_field") && why.contains("revoked"), "\(why)")
    #expect(bench.exchange.requests.last?.body?.contains("rt-1") == true)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }
}
