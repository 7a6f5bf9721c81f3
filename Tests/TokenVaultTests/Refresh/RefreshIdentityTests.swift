import Configuration
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The ID token of a refresh.
///
/// Whatever it says, the refresh token that came with it is stored.
@Suite(.timeLimit(.minutes(10)))
struct RefreshIdentityTests {
  private func expired() async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    bench.clock.advance(3500)
    return (bench, vault)
  }

  private func tokens(_ idToken: String?) -> ScriptedExchange.Step {
    .answer(
      status: 200,
      body: OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: idToken)
    )
  }

  private func sentNext(_ bench: Bench, _ vault: Vault) async throws -> String? {
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.tokens(access: "at-3", refresh: nil, idToken: nil))
    )
    #expect(try await vault.token(minimum: 200).accessToken == "at-3")
    return bench.exchange.requests.last?.body.flatMap { parameter("refresh_token", of: $0) }
  }

  @Test
  func aTokenThatIsRightIsUsed() async throws {
    let (bench, vault) = try await expired()
    bench.exchange.plan(tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)))
    #expect(try await vault.token(minimum: 200).accessToken == "at-2")
    #expect(bench.exchange.requests.count == 4)
  }

  @Test(arguments: [
    ["sub": #""someone""#], ["iss": #""https://evil.example""#], ["aud": #""someone""#],
    ["azp": #""someone""#], ["exp": "1"], ["iat": "9999999999"],
  ])
  func aWrongTokenWithholdsOnlyTheAccessToken(_ claims: [String: String]) async throws {
    let (bench, vault) = try await expired()
    bench.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock, claims: claims))
    )
    let refusal = await failure { _ = try await vault.token(minimum: 200) }
    guard case .misconfigured? = refusal else {
      Issue.record("\(claims) was taken: \(String(describing: refusal))")
      return
    }
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.row().state == .signedIn)
    #expect(
      try await vault.inspect { try $0.accessToken(account: $0.allAccounts()[0].id)?.token }
        != "at-2"
    )
    #expect(try await vault.cachedToken() != "at-2")
    #expect(try await sentNext(bench, vault) == "rt-2")
  }

  @Test(arguments: [["at_hash": #""AAAAAAAAAAAAAAAAAAAAAA""#], ["nonce": #""other""#]])
  func aTokenOfARefreshNeedNotNameWhatALoginsHasTo(_ claims: [String: String]) async throws {
    let (bench, vault) = try await expired()
    bench.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock, claims: claims))
    )
    #expect(try await vault.token(minimum: 200).accessToken == "at-2")
  }

  @Test(arguments: ["k1", "k2"])
  func aKeyThatIsNewIsLookedForAfterTheRefreshTokenIsSafe(_ kid: String) async throws {
    let (bench, vault) = try await expired()
    let atKeys = Box<Int64>()
    bench.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock, kid: kid, .otherP256))
    )
    bench.exchange.hold()
    let grant = Task { try await vault.token(minimum: 200).accessToken }
    await bench.exchange.untilRequested(5)
    atKeys.put(try await vault.row().generation)
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys(kid, .otherP256)))
    #expect(try await grant.value == "at-2")
    #expect(atKeys.value == 2)
    #expect(try await vault.cachedToken() == "at-2")
  }

  @Test
  func theNextEngineReadsTheKeysItDoesNotHave() async throws {
    let (bench, vault) = try await expired()
    let next = try bench.snapshot()
    _ = vault
    let later = try await next.open()
    next.exchange.plan(
      .answer(status: 200, body: try OpenProvider.keys()),
      tokens(
        try OpenProvider.idToken(
          nonce: nil,
          at: bench.clock,
          claims: ["email": #""new@example.org""#]
        )
      )
    )
    #expect(try await later.token(minimum: 200).accessToken == "at-2")
    #expect(next.exchange.requests.map(\.method) == ["GET", "POST"])
    #expect(try await later.events().suffix(2) == ["refresh begun", "refresh done"])
    #expect(try await later.row().refreshedAt == next.clock.wall.seconds)
    #expect(try await later.row().email == "new@example.org")
  }

  @Test
  func aTokenThatHasWaitedIsWrittenDownAsAnyOther() async throws {
    let (bench, vault) = try await expired()
    let token = try OpenProvider.idToken(
      nonce: nil,
      at: bench.clock,
      kid: "k2",
      .otherP256,
      claims: ["email": #""new@example.org""#]
    )
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(access: "at-2", refresh: "rt-1", idToken: token)
      ),
      .answer(status: 200, body: try OpenProvider.keys("k2", .otherP256))
    )
    #expect(try await vault.token(minimum: 200).accessToken == "at-2")
    let row = try await vault.row()
    #expect(row.refreshedAt == bench.clock.wall.seconds && row.email == "new@example.org")
    #expect(try await vault.events().last == "refresh done")
    #expect(try await !vault.events().contains("refresh failed"))
    // Also the behaviour of the provider that the refresh has shown.
    let steady = "steady:" + Hexadecimal.text(row.id)
    #expect(try await vault.inspect { try $0.meta(steady) } == [0, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test(arguments: [true, false])
  func whileATokenWaitsForKeysNoOtherIsAskedForNorAnybody(_ isProtected: Bool) async throws {
    let (bench, _) = try await expired()
    let next = try bench.snapshot()
    let later = try await next.open()
    var prompt: String?
    if isProtected {
      try await next.protect(later)
      let need = try await need { _ = try await later.token(minimum: 200) }
      try await next.pass(need, later, caller())
      prompt = need.prompt
    }
    next.exchange.plan(
      .answer(status: 503, body: ""),
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock))
    )
    for _ in 0..<Fetch.mostTries { next.exchange.plan(.answer(status: 503, body: "")) }
    // It pauses between those attempts.
    next.clock.run()
    for _ in 0..<3 {
      let given = prompt
      let refusal = await failure { _ = try await later.token(minimum: 200, prompt: given) }
      guard case .providerUnavailable? = refusal else {
        Issue.record("not told to wait: \(String(describing: refusal))")
        return
      }
      prompt = nil
      #expect(next.exchange.requests.count == 2 + Fetch.mostTries)
    }
    #expect(next.clock.pauses.count { $0 < 5000 } == Fetch.mostTries - 1)
    next.clock.advance(60)
    next.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    #expect(try await later.token(minimum: 200).accessToken == "at-2")
    #expect(next.exchange.requests.count { $0.method == "POST" } == 1)
    let events = try await later.events()
    #expect(events.suffix(3) == ["refresh begun", "refresh begun", "refresh done"])
  }

  @Test(arguments: ["logout", "removal", "login"])
  func whatIsKnownOfTokensGoesWithThem(_ end: String) async throws {
    let (bench, vault) = try await expired()
    #expect(try await vault.token().accessToken == "at-1")
    bench.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock, kid: "k2", .otherP256))
    )
    #expect(await failure { _ = try await vault.token(minimum: 200) } != nil)
    #expect(await !vault.handedOut.unchecked.isEmpty)
    #expect(await !vault.refreshes.failed.isEmpty)
    #expect(await !vault.handedOut.uses.isEmpty)
    switch end {
    case "logout": _ = try await vault.signOut(account: "me", local: true, caller: caller())
    case "removal": _ = try await vault.remove(account: "me", local: true, caller: caller())
    default:
      bench.clock.advance(100)
      try await bench.openSignIn(vault)
    }
    #expect(await vault.handedOut.unchecked.isEmpty)
    #expect(await vault.refreshes.failed.isEmpty)
    #expect(await vault.handedOut.uses.isEmpty)
  }

  @Test
  func withoutKeysTheRefreshTokenIsKeptAndTheAccessTokenIsNot() async throws {
    let (bench, _) = try await expired()
    let next = try bench.snapshot()
    let later = try await next.open()
    next.exchange.plan(
      .answer(status: 404, body: ""),
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)),
      .answer(status: 404, body: "")
    )
    let refusal = await failure { _ = try await later.token(minimum: 200) }
    #expect(refusal != nil)
    #expect(try await later.row().generation == 2)
    // It waits as long as the token would have lived.
    next.clock.advance(3600)
    next.exchange.plan(.answer(status: 404, body: ""))
    #expect(try await sentNext(next, later) == "rt-2")
  }

  @Test
  func anAnswerLeftInTheSlotIsTakenWithItsAccessToken() async throws {
    let (bench, vault) = try await expired()
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written" { written.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)))
    _ = try await vault.token(minimum: 200)
    let next = try #require(written.value)
    let later = try await next.open()
    next.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    #expect(try await later.token(minimum: 200).accessToken == "at-2")
    #expect(next.exchange.requests.map(\.method) == ["GET"])
    #expect(try await later.row().generation == 2)
  }
}
