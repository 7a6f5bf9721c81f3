import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// An account whose provider gives one token, which is access token and refresh token in one.
@Suite(.timeLimit(.minutes(10)))
struct OneTokenTests {
  private let fields = ["access_token_field": "token", "refresh_token_field": "token"]

  func one(_ token: String, lifetime: Int? = 7200) -> ScriptedExchange.Step {
    let life = lifetime.map { #","expires_in":\#($0)"# } ?? ""
    return .answer(status: 200, body: #"{"token":"\#(token)"\#(life)}"#)
  }

  func signedIn(
    _ bench: Bench,
    _ settings: [String: String] = [:],
    lifetime: Int? = 7200
  ) async throws -> Vault {
    let vault = try await bench.open()
    bench.exchange.plan(one("one-1", lifetime: lifetime))
    _ = try await vault.signIn(
      account: "me",
      provider: try provider(fields.merging(settings) { $1 }),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    return vault
  }

  /// Whether any file of the vault contains a text.
  private func isInPlain(_ text: String, _ bench: Bench) throws -> Bool {
    let wanted = Array(text.utf8)
    return try bench.scratch.files().values.contains { holds($0, wanted) }
  }

  @Test
  func oneThatTheProviderRefusesIsExchangedByTheNextCall() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    func verify() async throws -> Bool {
      try await vault.verification(account: "me", prompt: nil, caller: caller()).verification
        .isAccepted
    }
    #expect(try await verify())
    #expect(try await vault.token().accessToken == "one-1")
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    #expect(try await !verify())
    #expect(bench.exchange.refreshes.isEmpty)
    bench.exchange.plan(one("one-2"))
    #expect(try await vault.token().accessToken == "one-2")
  }

  @Test
  func oneThatIsRefusedAndCannotBeExchangedTakesALogin() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench, ["refresh_path": "none"])
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    let found = try await vault.verification(account: "me", prompt: nil, caller: caller())
    #expect(!found.verification.isAccepted)
    guard case .loginRequired = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login is required")
      return
    }
  }

  @Test
  func itIsHandedOutAndLiesNowhereInPlain() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    for _ in 0..<2 {
      let grant = try await vault.token()
      #expect(grant.accessToken == "one-1" && grant.expiresAt == bench.clock.wall.seconds + 7200)
      #expect(!grant.isShorterThanRequested)
    }
    #expect(bench.exchange.refreshes.isEmpty)
    #expect(try await vault.cachedToken() == nil)
    #expect(vault.cachedAccessToken(account: "me", minimumLifetime: nil) == nil)
    #expect(try !isInPlain("one-1", bench))
    // Each release is in the audit log.
    #expect(try await vault.events().count { $0 == "release done" } == 2)
    #expect(try await vault.stateOfMe().state == .ready)
    // Nor after a call that writes the file again.
    _ = try await vault.rename(account: "me", to: "you", caller: caller())
    #expect(try await vault.cachedToken("you") == nil)
    #expect(try await vault.token("you").accessToken == "one-1")
    #expect(try !isInPlain("one-1", bench))
  }

  @Test
  func eachCallOfAProtectedOneNeedsAProofOfItsOwn() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    #expect(try await vault.stateOfMe().state == .locked)
    let first = try await need { _ = try await vault.token() }
    let second = try await need { _ = try await vault.token(caller: caller(2)) }
    try await bench.pass(first, vault, caller())
    #expect(try await vault.token(prompt: first.prompt).accessToken == "one-1")
    // The one touch was only for that one call.
    _ = try await need { _ = try await vault.token() }
    _ = try await need {
      _ = try await vault.token(prompt: second.prompt, caller: caller(2))
    }
    try await bench.unlock(vault)
    #expect(try await vault.token().accessToken == "one-1")
    #expect(try await vault.stateOfMe().state == .ready)
    let methods = try await vault.auditPage(after: 0, since: nil, account: "me")
      .filter { $0.event == "release" }.map(\.method)
    #expect(methods == ["password", "unlock-window"])
  }

  @Test
  func whatOneCallHasOpenedIsNotSharedWithAnotherThatWaits() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    let mine = Task { try await vault.token(prompt: need.prompt).accessToken }
    await bench.exchange.untilRequested(2)
    let other = Task { await failure { _ = try await vault.token(caller: caller(2)) } }
    await vault.barrier()
    bench.exchange.plan(one("one-2"))
    #expect(try await mine.value == "one-2")
    guard case .presenceNeeded? = await other.value else {
      Issue.record("shared")
      return
    }
  }

  @Test
  func itIsExchangedInItsLastHourByTheCallThatOpensIt() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    bench.clock.advance(3599)
    try await bench.unlock(vault)
    #expect(try await vault.token().accessToken == "one-1")
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(1)
    bench.exchange.plan(one("one-2"))
    #expect(try await vault.token().accessToken == "one-2")
    #expect(bench.exchange.refreshes == [#"{"token":"one-1"}"#])
    #expect(bench.exchange.requests.last?.credentials == "Bearer one-1")
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.token().accessToken == "one-2")
    #expect(try !isInPlain("one-2", bench))
  }

  @Test
  func theEngineExchangesItByItselfWhetherItIsUsedOrNot() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3540)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(60)
    // Offline it is tried again, because no other event would renew it.
    bench.exchange.plan(.nothingSent)
    await vault.refreshAhead()
    bench.clock.advance(60)
    bench.exchange.plan(one("one-2"))
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 2)
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.events().contains("release done") == false)
    bench.clock.advance(60)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.count == 2)
    #expect(try await vault.token().accessToken == "one-2")
  }

  @Test
  func aProtectedOneIsExchangedByTheEngineOnlyInAnOpenWindow() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    await vault.refreshAhead()
    #expect(bench.exchange.refreshes.isEmpty)
    try await bench.unlock(vault)
    bench.exchange.plan(one("one-2"))
    await vault.refreshAhead()
    #expect(try await vault.row().generation == 2)
  }

  @Test(arguments: [
    (ScriptedExchange.Step.nothingSent, true), (.answer(status: 404, body: ""), true),
    // The answer may be lost, so there is no immediate retry.
    (.answer(status: 503, body: ""), false), (.died, false),
  ])
  func whereItCannotBeExchangedItIsGoodUntilItsEnd(
    _ step: ScriptedExchange.Step,
    _ isAskedAtOnce: Bool
  ) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.plan(step)
    #expect(try await vault.token().accessToken == "one-1")
    if isAskedAtOnce { bench.exchange.plan(step) }
    #expect(try await vault.token().accessToken == "one-1")
    bench.clock.advance(3000)
    bench.exchange.plan(one("one-2"))
    #expect(try await vault.token().accessToken == "one-2")
  }

  @Test
  func aRefusedOneNeedsALogin() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 401, body: #"{"error":"invalid_grant"}"#))
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login")
      return
    }
    #expect(try await vault.stateOfMe().state == .loginRequired)
  }

  @Test
  func aRejectedOneIsExchangedIfItIsTheOneAtHand() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    // Neither another token nor the placeholder in its row.
    for text in ["one-0", " "] {
      #expect(try await vault.token(rejected: text).accessToken == "one-1")
    }
    #expect(bench.exchange.refreshes.isEmpty)
    bench.exchange.plan(one("one-2"))
    #expect(try await vault.token(rejected: "one-1").accessToken == "one-2")
    #expect(try await vault.token(rejected: "one-1").accessToken == "one-2")
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test
  func aLogoutTellsTheProviderTheTokenOnce() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(.answer(status: 200, body: ""))
    _ = try await vault.signOut(account: "me", local: false, caller: caller())
    let last = try #require(bench.exchange.requests.last)
    #expect(last.url.hasSuffix("/auth/logout") && last.body == #"{"token":"one-1"}"#)
    #expect(last.credentials == "Bearer one-1")
    #expect(bench.exchange.requests.count == 2)
  }

  @Test
  func aProfileIsAskedForWithIt() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(.answer(status: 200, body: #"{"id":"u-1","email":"me@example.org"}"#))
    let (facts, _) = try await vault.profile(account: "me", prompt: nil, caller: caller())
    #expect(facts.subject == "u-1")
    let last = try #require(bench.exchange.requests.last)
    #expect(last.headers.contains("Authorization: Bearer one-1"))
  }

  @Test
  func whatACrashLeavesIsTakenFromTheSlot() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    let copy = Box<Bench>()
    bench.exchange.observe { moment in
      if moment == "written" { copy.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(one("one-2"))
    _ = try await vault.token()
    let next = try #require(copy.value)
    let again = try await next.open()
    #expect(try await again.token().accessToken == "one-2")
    #expect(next.exchange.requests.isEmpty)
    #expect(try !isInPlain("one-2", next))
  }
}
