import Configuration
import JSON
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// An account at an OpenID provider: its identity, and its end.
@Suite(.timeLimit(.minutes(10)))
struct OpenAccountTests {
  private func signedIn(
    _ settings: [String: String] = [:]
  ) async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault, settings: settings)
    return (bench, vault)
  }

  @Test
  func whoamiIsAskedAtUserinfoAndAgainWhereItFails() async throws {
    let (bench, vault) = try await signedIn()
    bench.clock.run()
    bench.exchange.plan(
      .answer(status: 503, body: ""),
      .answer(status: 200, body: #"{"sub":"s-1","name":"Ann"}"#)
    )
    let (facts, profile) = try await vault.profile(account: "me", prompt: nil, caller: caller())
    #expect(profile["name"] == .string("Ann"))
    // Facts that were missing at the sign-in are known from now on.
    #expect(facts.displayName == "Ann")
    #expect(try await vault.account(named: "me").displayName == "Ann")
    #expect(try await vault.account(named: "me").subject == "s-1")
    #expect(bench.exchange.requests.last?.url == OpenProvider.issuer + "/me")
    #expect(bench.exchange.requests.count == 5)
  }

  @Test(arguments: [#"{"sub":"s-2"}"#, #"{"name":"Ann"}"#])
  func whoSomeoneElseIsIsNotTold(_ body: String) async throws {
    let (bench, vault) = try await signedIn()
    bench.exchange.plan(.answer(status: 200, body: body))
    let refusal = await failure {
      _ = try await vault.profile(account: "me", prompt: nil, caller: caller())
    }
    guard case .providerRefused? = refusal else {
      Issue.record("\(body) was taken: \(String(describing: refusal))")
      return
    }
  }

  @Test
  func aLogoutRevokesTheRefreshToken() async throws {
    let (bench, vault) = try await signedIn()
    bench.exchange.plan(.answer(status: 200, body: ""))
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    let (revoked, reason) = (answer.revoked, answer.reason)
    #expect(revoked && reason == nil)
    let request = try #require(bench.exchange.requests.last)
    let form = try #require(request.body)
    #expect(request.url == OpenProvider.issuer + "/revoke")
    #expect(parameter("token", of: form) == "rt-1")
    #expect(parameter("token_type_hint", of: form) == "refresh_token")
    #expect(try await vault.stateOfMe().state == .signedOut)
  }

  @Test(arguments: [
    ScriptedExchange.Step.answer(status: 401, body: #"{"error":"invalid_client"}"#),
    .answer(status: 503, body: ""), .nothingSent, .died,
  ])
  func aLogoutThatTheProviderRefusesErasesHereAndSaysSo(_ step: ScriptedExchange.Step) async throws
  {
    let (bench, vault) = try await signedIn()
    bench.exchange.plan(step)
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    let (revoked, reason) = (answer.revoked, answer.reason)
    #expect(!revoked && reason?.isEmpty == false)
    #expect(try await vault.stateOfMe().state == .signedOut)
    #expect(try await vault.row().sealedRefreshToken == nil)
  }

  /// The refresh token is not sent again, because the provider has ended it.
  ///
  /// The access token can be revoked.
  @Test
  func ofADeadGrantOnlyTheAccessTokenIsRevoked() async throws {
    let (bench, vault) = try await signedIn()
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    bench.clock.advance(1000)
    _ = await failure { _ = try await vault.token(minimum: 3000) }
    #expect(try await vault.stateOfMe().state == .loginRequired)
    bench.exchange.plan(.answer(status: 200, body: ""))
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(answer.grant == Revocation.Grant.none)
    #expect(answer.reason?.contains("only the access token") == true)
    let form = try #require(bench.exchange.requests.last?.body)
    #expect(parameter("token", of: form) == "at-1")
  }

  @Test
  func aProviderWithoutAnEndpointForItIsNotAsked() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.metadata().replacing(
          "revocation_endpoint",
          with: "revocation_is_not_here"
        )
      ),
      .answer(status: 200, body: try OpenProvider.keys())
    )
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: bench.clock)
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.tokens(idToken: token)))
    _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    let (revoked, reason) = (answer.revoked, answer.reason)
    #expect(!revoked && reason == "the provider has no revocation_endpoint")
    #expect(bench.exchange.requests.count == 3)
  }

  @Test
  func aPasswordIsTakenOnlyWhereTheSettingsAllowIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    func signIn(_ settings: [String: String]) async throws -> AccountFacts {
      try await vault.signIn(
        account: "me",
        provider: try OpenProvider.provider(settings),
        email: "ann@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    try bench.planDiscovery()
    guard case .invalidArgument? = await failure({ _ = try await signIn([:]) }) else {
      Issue.record("a password was sent to a provider that is not configured for it")
      return
    }
    #expect(bench.exchange.requests.allSatisfy { $0.method == "GET" })
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(
          idToken: try OpenProvider.idToken(nonce: nil, at: bench.clock)
        )
      )
    )
    let facts = try await signIn(["password_grant": "true"])
    #expect(facts.subject == "s-1" && facts.state == .ready)
    let form = try #require(bench.exchange.requests.last?.body)
    #expect(parameter("grant_type", of: form) == "password")
  }

  @Test
  func aLoginWithoutAProviderGoesToThatOfTheAccountAndReadsItAgain() async throws {
    let (bench, vault) = try await signedIn()
    bench.clock.advance(3600)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.metadata().replacing("/token\"", with: "/moved\"")
      ),
      .answer(status: 200, body: try OpenProvider.keys())
    )
    let start = try await vault.beginLogin(
      account: "me",
      provider: nil,
      flow: .browser(redirect: OpenProvider.redirect),
      caller: caller()
    )
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: bench.clock)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: token)
      )
    )
    _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    let bound = try await vault.provider(of: vault.row())
    #expect(bound.endpoint(.token) == OpenProvider.issuer + "/moved")
    #expect(try await vault.row().generation == 2)
  }
}
