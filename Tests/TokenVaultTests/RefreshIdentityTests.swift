import Configuration
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The ID token of a refresh: whatever it says, the refresh token that came with it is kept.
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

  @Test(arguments: [["sub": #""someone""#], ["iss": #""https://evil.example""#], ["exp": "1"]])
  func aTokenThatIsNotRightWithholdsTheAccessTokenAlone(_ claims: [String: String]) async throws {
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

  @Test
  func aKeyThatIsNewIsLookedForAfterTheRefreshTokenIsSafe() async throws {
    let (bench, vault) = try await expired()
    let atKeys = Box<Int64>()
    bench.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock, kid: "k2", .otherP256))
    )
    bench.exchange.hold()
    let grant = Task { try await vault.token(minimum: 200).accessToken }
    await bench.exchange.untilRequested(5)
    atKeys.put(try await vault.row().generation)
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys("k2", .otherP256)))
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
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)),
      .answer(status: 200, body: try OpenProvider.keys())
    )
    #expect(try await later.token(minimum: 200).accessToken == "at-2")
    #expect(next.exchange.requests.map(\.method) == ["POST", "GET"])
  }

  @Test
  func withoutKeysTheRefreshTokenIsKeptAndTheAccessTokenIsNot() async throws {
    let (bench, _) = try await expired()
    let next = try bench.snapshot()
    let later = try await next.open()
    next.exchange.plan(
      tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)),
      .answer(status: 404, body: "")
    )
    let refusal = await failure { _ = try await later.token(minimum: 200) }
    #expect(refusal != nil)
    #expect(try await later.row().generation == 2)
    #expect(try await sentNext(next, later) == "rt-2")
  }

  @Test
  func anAnswerLeftInTheSlotIsTakenWithoutItsAccessToken() async throws {
    let (bench, vault) = try await expired()
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written" { written.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(tokens(try OpenProvider.idToken(nonce: nil, at: bench.clock)))
    _ = try await vault.token(minimum: 200)
    let next = try #require(written.value)
    let later = try await next.open()
    #expect(try await sentNext(next, later) == "rt-2")
  }
}
