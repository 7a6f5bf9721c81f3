import Configuration
import Cryptography
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Sign-ins by authorization code: the values in the browser are worth nothing without the engine.
@Suite(.timeLimit(.minutes(10)))
struct BrowserLoginTests {
  @Test
  func aCodeBecomesAnAccountThatIsBoundToWhatWasDiscovered() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let facts = try await bench.openSignIn(vault)
    #expect(facts.state == .ready && facts.subject == "s-1" && facts.email == "ann@example.org")
    #expect(facts.displayName == "Ann" && facts.kind == "oidc")
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.events() == ["login begun", "login done"])
    let requests = bench.exchange.requests
    #expect(requests.map(\.method) == ["GET", "GET", "POST"])
    #expect(requests[0].url == OpenProvider.issuer + "/.well-known/openid-configuration")
    let form = try #require(requests[2].body)
    #expect(requests[2].url == OpenProvider.issuer + "/token")
    #expect(parameter("code", of: form) == "code-1")
    let bound = try await vault.provider(of: vault.row())
    #expect(bound.endpoint(.revocation) == OpenProvider.issuer + "/revoke")
    #expect(bound.asWritten == (try OpenProvider.provider()))
    for secret in ["code-1", "rt-1", try #require(parameter("code_verifier", of: form))] {
      #expect(locations(of: secret, in: try bench.scratch.files()).isEmpty)
    }
  }

  @Test
  func noBrowserIsSentToAProviderWhoseTokensCannotBeChecked() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let missing = ScriptedExchange.Step.answer(status: 404, body: "")
    let settings = [
      "issuer": "https://later.example.com",
      "authorization_endpoint": "https://later.example.com/a",
      "token_endpoint": "https://later.example.com/t",
    ]
    func isRefused(_ failure: VaultFailure?) -> Bool {
      guard case .misconfigured(let why)? = failure else { return false }
      return why.contains("jwks_uri")
    }
    bench.exchange.plan(missing, missing)
    #expect(isRefused(await failure { _ = try await bench.begin(vault, settings: settings) }))
    #expect(bench.exchange.requests.count == 2)
    try await bench.openSignIn(vault)
    bench.exchange.plan(missing, missing)
    let change = await failure {
      _ = try await vault.applyProvider(
        try OpenProvider.provider(settings),
        account: "me",
        prompt: nil,
        caller: caller()
      )
    }
    #expect(isRefused(change))
  }

  @Test
  func theVerifierStaysHereUntilItsChallengeIsAnswered() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    #expect(start.expiresIn == 300 && start.userCode == nil)
    #expect(parameter("code_challenge_method", of: url) == "S256")
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    let refusal = await failure {
      _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    }
    guard case .providerRefused? = refusal else {
      Issue.record("a refused code was taken: \(String(describing: refusal))")
      return
    }
    let form = try #require(bench.exchange.requests.last?.body)
    let verifier = try #require(parameter("code_verifier", of: form))
    #expect(
      TokenSigner.base64(try sha256(Array(verifier.utf8))) == parameter("code_challenge", of: url)
    )
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    #expect(try await vault.events() == ["login begun", "login failed"])
  }

  @Test
  func aRedirectIsAcceptedOnceAndOnlyFromItsConnection() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let query = try answer(to: url)
    let stranger = await failure {
      _ = try await vault.finishLogin(start.login, query: query, caller: caller(2))
    }
    guard case .invalidArgument? = stranger else {
      Issue.record("another connection has ended a login: \(String(describing: stranger))")
      return
    }
    let token = try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: bench.clock)
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.tokens(idToken: token)))
    _ = try await vault.finishLogin(start.login, query: query, caller: caller())
    let second = await failure {
      _ = try await vault.finishLogin(start.login, query: query, caller: caller())
    }
    guard case .invalidArgument? = second else {
      Issue.record("a redirect was taken twice: \(String(describing: second))")
      return
    }
    #expect(bench.exchange.requests.count == 3)
  }

  @Test(arguments: ["code=c&state=wrong", "code=c", "code=c&code=d&state=S", "state=S"])
  func aRedirectThatAnswersAnotherLoginIsRefusedAndEndsThisOne(_ text: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let state = try #require(parameter("state", of: url))
    let query = text.replacing("state=S", with: "state=" + state)
    for _ in 0..<2 {
      let refusal = await failure {
        _ = try await vault.finishLogin(start.login, query: shared(query), caller: caller())
      }
      guard case .invalidArgument? = refusal else {
        Issue.record("\(text) was taken: \(String(describing: refusal))")
        return
      }
    }
    #expect(bench.exchange.requests.count == 2)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func whoSaysNoAtTheProviderHasNoAccount() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let state = try #require(parameter("state", of: url))
    let query = shared("error=access_denied&error_description=not%20today&state=\(state)")
    let refusal = await failure {
      _ = try await vault.finishLogin(start.login, query: query, caller: caller())
    }
    #expect(refusal == .providerRefused(status: 400, "access_denied: not today"))
    #expect(bench.exchange.requests.count == 2)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func aLoginIsGoneInTimeAndWithItsConnection() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let late = try await bench.begin(vault)
    let closed = try await bench.begin(vault, caller: caller(2))
    await vault.disconnect(2)
    let gone = await failure {
      _ = try await vault.finishLogin(
        closed.login,
        query: answer(to: try #require(closed.url)),
        caller: caller(2)
      )
    }
    guard case .invalidArgument? = gone else {
      Issue.record("a login has outlived its connection: \(String(describing: gone))")
      return
    }
    bench.clock.advance(300)
    let over = await failure {
      _ = try await vault.finishLogin(
        late.login,
        query: answer(to: try #require(late.url)),
        caller: caller()
      )
    }
    guard case .loginRequired? = over else {
      Issue.record("a login has outlived its time: \(String(describing: over))")
      return
    }
  }

  @Test
  func aConnectionHasNotMoreThanAFewLoginsUnderWay() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    for _ in 0..<PendingSignIns.mostOfConnection { _ = try await bench.begin(vault) }
    guard case .busy? = await failure({ _ = try await bench.begin(vault) }) else {
      Issue.record("a connection can begin as many logins as it likes")
      return
    }
    let other = try await bench.begin(vault, caller: caller(2))
    await vault.cancelLogin(other.login, caller: caller(3))
    await vault.disconnect(1)
    _ = try await bench.begin(vault)
  }

  @Test(arguments: [
    "http://127.0.0.1:4711/elsewhere", "http://localhost:4711/callback",
    "https://id.example.com/callback", "http://10.0.0.1:4711/callback",
  ])
  func theCodeGoesNowhereButWhereTheSettingsSay(_ redirect: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let refusal = await failure {
      _ = try await bench.begin(vault, .browser(redirect: redirect))
    }
    guard case .invalidArgument? = refusal else {
      Issue.record("\(redirect) was taken: \(String(describing: refusal))")
      return
    }
  }

  @Test
  func aPasswordBackendHasNoPageToSignInAt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for flow in [LoginFlow.browser(redirect: OpenProvider.redirect), .device] {
      let refusal = await failure {
        _ = try await vault.beginLogin(
          account: "me",
          provider: try provider(),
          flow: flow,
          caller: caller()
        )
      }
      #expect(refusal != nil && bench.exchange.requests.isEmpty)
    }
  }
}
