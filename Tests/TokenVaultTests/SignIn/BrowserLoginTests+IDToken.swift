import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The ID token of a login.
extension BrowserLoginTests {
  /// The reasons why an ID token must not make an account.
  enum Fault: CaseIterable {
    case missing
    case otherNonce
    case otherAudience
    case otherIssuer
    case expired
    case otherKey
    case otherAccessToken
  }

  func token(_ fault: Fault, nonce: String?, _ clock: ManualClock) throws -> String? {
    switch fault {
    case .missing: nil
    case .otherNonce: try OpenProvider.idToken(nonce: "other", at: clock)
    case .otherAudience:
      try OpenProvider.idToken(nonce: nonce, at: clock, claims: ["aud": #""someone""#])
    case .otherIssuer:
      try OpenProvider.idToken(nonce: nonce, at: clock, claims: ["iss": #""https://evil.example""#])
    case .expired:
      try OpenProvider.idToken(
        nonce: nonce,
        at: clock,
        claims: ["exp": "\(clock.wall.seconds - 61)"]
      )
    case .otherAccessToken:
      try OpenProvider.idToken(
        nonce: nonce,
        at: clock,
        claims: ["at_hash": #""AAAAAAAAAAAAAAAAAAAAAA""#]
      )
    case .otherKey: try OpenProvider.idToken(nonce: nonce, at: clock, .otherP256)
    }
  }

  @Test(arguments: Fault.allCases)
  func anIDTokenThatIsNotRightChangesNothing(_ fault: Fault) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    for name in ["me", "new"] {
      let start = try await bench.begin(vault, .browser(redirect: OpenProvider.redirect), name)
      let url = try #require(start.url)
      let token = try token(fault, nonce: parameter("nonce", of: url), bench.clock)
      bench.exchange.plan(
        .answer(
          status: 200,
          body: OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: token)
        )
      )
      // The provider may have changed its key.
      if fault == .otherKey {
        bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
      }
      let refusal = await failure {
        _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
      }
      guard case .misconfigured? = refusal else {
        Issue.record("\(fault): \(String(describing: refusal))")
        return
      }
    }
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["me"])
    #expect(try await vault.row().generation == 1)
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.intent() == nil)
    #expect(try await vault.slot().allSatisfy { $0 == 0 })
  }

  /// Some providers give the new key the name of the earlier one.
  @Test(arguments: [0, 59, 61] as [Int64], ["k1", "k2"])
  func aKeyThatIsNewIsLookedForWhileTheAnswerIsSafe(
    _ seconds: Int64,
    _ kid: String
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    bench.clock.advance(seconds)
    let token = try OpenProvider.idToken(
      nonce: parameter("nonce", of: url),
      at: bench.clock,
      kid: kid,
      .otherP256
    )
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.tokens(idToken: token)),
      .answer(status: 200, body: try OpenProvider.keys(kid, .otherP256))
    )
    let facts = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    #expect(facts.subject == "s-1")
    #expect(bench.exchange.requests.last?.url == OpenProvider.issuer + "/keys")
  }

  /// The provider changes its key between the start of each sign-in and its end.
  @Test
  func keysThatChangeTwiceWithinAMinuteEndNoSignIn() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    for (name, kid, key) in [("me", "k2", TokenSigner.Key.otherP256), ("new", "k3", .p256)] {
      let start = try await bench.begin(vault, .browser(redirect: OpenProvider.redirect), name)
      let url = try #require(start.url)
      let nonce = parameter("nonce", of: url)
      let token = try OpenProvider.idToken(nonce: nonce, at: bench.clock, kid: kid, key)
      bench.exchange.plan(
        .answer(
          status: 200,
          body: OpenProvider.tokens(access: "at-\(name)", refresh: "rt-\(name)", idToken: token)
        ),
        .answer(status: 200, body: try OpenProvider.keys(kid, key))
      )
      let facts = try await vault.finishLogin(
        start.login,
        query: answer(to: url),
        caller: caller()
      )
      #expect(facts.subject == "s-1")
      bench.clock.advance(5)
    }
  }

  @Test
  func theNextEngineJudgesALoginByTheKeysOfThisOne() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written" { written.put(try? bench.snapshot()) }
    }
    try await bench.openSignIn(vault)
    let next = try #require(written.value)
    // The ID token has expired long ago, but it was valid when it came.
    next.clock.advance(3000)
    let later = try await next.open()
    _ = try? await later.token()
    #expect(try await later.stateOfMe().subject == "s-1")
    #expect(try await later.row().generation == 1)
    #expect(next.exchange.requests.isEmpty)
  }

  @Test
  func theNextEngineTakesNoLoginWhoseTokenIsForged() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written" { written.put(try? bench.snapshot()) }
    }
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(nonce: "other", at: bench.clock)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: token)
      )
    )
    _ = try? await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    let next = try #require(written.value)
    let later = try await next.open()
    #expect(try await later.token().accessToken == "at-1")
    next.clock.advance(3600)
    next.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    next.exchange.plan(
      .answer(status: 200, body: OpenProvider.tokens(access: "at-3", refresh: "rt-3", idToken: nil))
    )
    #expect(try await later.token().accessToken == "at-3")
    let form = try #require(next.exchange.requests.last?.body)
    #expect(parameter("refresh_token", of: form) == "rt-1")
  }
}
