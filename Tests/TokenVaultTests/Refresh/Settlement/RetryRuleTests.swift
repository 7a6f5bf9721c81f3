import Presence
import Storage
import System
import Testing

@testable import TokenVault

/// The retry of a refresh whose outcome is unknown.
@Suite(.timeLimit(.minutes(10)))
struct RetryRuleTests {
  /// An account whose last answer was lost.
  private func uncertain(
    _ bench: Bench,
    settings: [String: String] = [:]
  ) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: settings)
    bench.clock.advance(3600)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token() }
    return vault
  }

  private func wait(_ vault: Vault) async -> Int64? {
    guard
      case .unavailable(.uncertain, _, let wait, _)? = await failure({ _ = try await vault.token() }
      )
    else { return nil }
    return wait
  }

  @Test
  func theWaitIsTwoSecondsAndDoublesToTenMinutes() async throws {
    let bench = try Bench()
    let vault = try await uncertain(bench)
    var requests = 1
    for length: Int64 in [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600] {
      #expect(try await vault.intent()?.waitSeconds == length)
      bench.clock.advance(length - 1)
      // Too early: there is neither a request nor a prompt.
      #expect(await wait(vault) != nil)
      #expect(bench.exchange.refreshes.count == requests)
      bench.clock.advance(1)
      bench.exchange.plan(.answer(status: 500, body: "{}"))
      #expect(await wait(vault) != nil)
      requests += 1
      #expect(bench.exchange.refreshes.count == requests)
    }
    #expect(Set(bench.exchange.refreshes) == [#"{"refresh_token":"rt-1"}"#])
    #expect(try await vault.row().state == .signedIn)
  }

  @Test
  func theWallClockHasNoSayInIt() async throws {
    let bench = try Bench()
    let vault = try await uncertain(bench)
    bench.clock.setWall(by: 366 * 24 * 3600)
    #expect(await wait(vault) == 2)
    bench.clock.setWall(by: -800 * 24 * 3600)
    #expect(await wait(vault) == 2)
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test
  func aRebootDoesNotShortenTheWait() async throws {
    let bench = try Bench()
    let vault = try await uncertain(bench)
    for length: Int64 in [2, 4, 8, 16] {
      bench.clock.advance(length)
      bench.exchange.plan(.answer(status: 500, body: ""))
      _ = await wait(vault)
    }
    // A wait of 32 s is running when the machine reboots.
    let clock = ManualClock(boot: 2, wall: bench.clock.wall.seconds, secondsSinceBoot: 5)
    let next = try bench.snapshot(clock: clock)
    let vaultAfter = try await next.open()
    #expect(await wait(vaultAfter) == 27)
    clock.advance(26)
    #expect(await wait(vaultAfter) == 1)
    #expect(next.exchange.requests.isEmpty)
    clock.advance(1)
    next.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vaultAfter.token().accessToken == "at-2")
  }

  @Test
  func aRefusalOfARetryMeansThatTheAnswerWasLost() async throws {
    let bench = try Bench()
    let vault = try await uncertain(bench)
    bench.clock.advance(2)
    bench.exchange.plan(.answer(status: 401, body: #"{"error":"invalid_grant"}"#))
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login was required")
      return
    }
    #expect(try await vault.row().cause == "answer lost")
    #expect(try await vault.row().sealedRefreshToken != nil)
  }

  @Test
  func whatSaysNothingAboutTheLostAnswerDoesNotEndIt() async throws {
    let bench = try Bench()
    let vault = try await uncertain(bench)
    let steps: [ScriptedExchange.Step] = [
      .nothingSent, .notStarted("resolve"), .answer(status: 429, body: ""),
      .answer(status: 502, body: "<html>"), .answer(status: 404, body: "{}"),
      .answer(status: 400, body: #"{"error":"invalid_client"}"#), .torn,
    ]
    for step in steps {
      bench.clock.advance(600)
      bench.exchange.plan(step)
      #expect(await failure { _ = try await vault.token() } != nil)
      #expect(try await vault.intent()?.uncertain == true, "\(step)")
    }
    bench.clock.advance(600)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.row().cause == "answer lost")
  }

  @Test
  func whereReuseRevokesTheRetryWaitsForTheAccessTokensEnd() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: ["refresh_reuse": "revokes"])
    bench.clock.advance(3000)
    bench.exchange.plan(.died)
    // 600 s are left, and 1000 are wanted.
    _ = await failure { _ = try await vault.token(minimum: 1000) }
    bench.clock.advance(10)
    guard
      case .unavailable(.uncertain, _, retryAfter: 590, _)? = await failure({
        _ = try await vault.token(minimum: 1000)
      })
    else {
      Issue.record("not told to wait")
      return
    }
    // A token that is still valid is handed out.
    #expect(try await vault.token().accessToken == "at-1")
    #expect(bench.exchange.refreshes.count == 1)
    bench.clock.advance(590)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func whereReuseIsHarmlessTheRetryDoesNotWaitForTheAccessToken() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3000)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token(minimum: 1000) }
    bench.clock.advance(2)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(minimum: 1000).accessToken == "at-2")
  }

  @Test
  func aRetryOfAProtectedTokenNeedsANewProof() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let first = try await need { _ = try await vault.token() }
    try await bench.pass(first, vault, caller())
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token(prompt: first.prompt) }
    // There is no prompt while it is too early.
    guard case .unavailable(.uncertain, _, _, _)? = await failure({ _ = try await vault.token() })
    else {
      Issue.record("asked too early")
      return
    }
    bench.clock.advance(2)
    let second = try await need { _ = try await vault.token() }
    #expect(second.prompt != first.prompt)
    #expect(bench.exchange.refreshes.count == 1)
  }
}
