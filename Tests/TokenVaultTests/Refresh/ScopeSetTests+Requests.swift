import Storage
import System
import Testing

@testable import TokenVault

/// The requests for tokens of several scope sets.
extension ScopeSetTests {
  @Test
  func whoAsksForAnotherSetWaitsAndThenMakesARequestOfHisOwn() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let usual = await vault.tokens(1...8)
    await bench.exchange.untilRequested(2)
    let others = (9...16).map { connection in
      Task { try await vault.token(scope: "read", caller: caller(connection)).accessToken }
    }
    await vault.barrier()
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    for waiting in usual { #expect(try await waiting.value.get().accessToken == "at-2") }
    await bench.exchange.untilRequested(3)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-3"))
    for waiting in others { #expect(try await waiting.value == "at-read") }
    #expect(bench.forms.map { $0["refresh_token"] } == ["rt-1", "rt-2"])
    #expect(bench.forms.map { $0["scope"] } == [nil, "read"])
    #expect(try await vault.events().count { $0 == "refresh begun" } == 2)
  }

  @Test
  func aFailureIsSharedOnlyByThoseWhoAskedForTheSame() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let usual = await vault.tokens(1...4)
    await bench.exchange.untilRequested(2)
    let others = (5...8).map { connection in
      Task { try await vault.token(scope: "read", caller: caller(connection)).accessToken }
    }
    await vault.barrier()
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_scope"}"#))
    for waiting in usual {
      guard case .failure(.misconfigured) = await waiting.value else {
        Issue.record("not the same failure")
        continue
      }
    }
    await bench.exchange.untilRequested(3)
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    for waiting in others { #expect(try await waiting.value == "at-read") }
    #expect(bench.forms.count == 2)
  }

  @Test
  func afterAKillTheAnswerIsThatOfTheSetItWasAskedFor() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    let box = Box<Bench>()
    bench.exchange.observe { if $0 == "written" { box.put(try? bench.snapshot()) } }
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", scope: "read"))
    _ = try await vault.token(scope: "read")
    let after = try #require(box.value)
    let next = try await after.open()
    let grant = try await next.token(scope: "read")
    #expect(grant.accessToken == "at-read" && grant.scope == "read")
    #expect(after.exchange.requests.isEmpty)
    // The usual token is unchanged.
    #expect(try await next.token().accessToken == "at-1")
    #expect(try await next.cachedToken() == "at-1")
    #expect(try await next.row().generation == 2)
  }

  @Test
  func theIntentOfOneSetIsNotTakenForThatOfAnother() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    let box = Box<Bench>()
    bench.exchange.observe { if $0 == "written" { box.put(try? bench.snapshot()) } }
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2"))
    _ = try await vault.token(scope: "read")
    let after = try #require(box.value)
    try await after.withStore { store in
      let account = try #require(try store.account(named: "me", owner: ThisProcess.user))
      var intent = try #require(try store.intent(account: account.id))
      intent.context = Array("admin".utf8)
      try store.transaction { try store.put(intent) }
    }
    let next = try await after.open()
    guard
      case .unavailable(.uncertain, _, _, _)? = await failure({
        _ = try await next.token(scope: "admin")
      })
    else {
      Issue.record("taken")
      return
    }
    #expect(try await next.sets() == [""])
  }

  @Test
  func whereReuseRevokesTheRetryWaitsForTheLastTokenOfAnySet() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, settings: ["refresh_reuse": "revokes"])
    bench.exchange.plan(oauthTokens("at-read", refresh: "rt-2", lifetime: 7200))
    _ = try await vault.token(scope: "read")
    bench.clock.advance(3600)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token() }
    bench.clock.advance(100)
    guard
      case .unavailable(.uncertain, _, retryAfter: 3500, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told to wait")
      return
    }
    #expect(try await vault.token(scope: "read").accessToken == "at-read")
  }

  @Test(arguments: ["resource_unknown", "invalid_target"])
  func anErrorForOtherScopesDoesNotMakeTheAccountWait(_ code: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    let refusal = ScriptedExchange.Step.answer(status: 400, body: #"{"error":"\#(code)"}"#)
    for _ in 0..<2 {
      bench.exchange.plan(refusal)
      guard case .misconfigured? = await failure({ _ = try await vault.token(scope: "read") })
      else {
        Issue.record("made to wait")
        return
      }
    }
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }
}
