import Configuration
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Sign-ins by device code: the vault polls at the provider's pace, and stores nothing before the
/// consent.
@Suite(.timeLimit(.minutes(10)))
struct DeviceLoginTests {
  private static let codes = #"""
    {"device_code":"dc-1","user_code":"WDJB-MJHT","verification_uri":"https://id.example.com/d",
    "expires_in":600,"interval":5}
    """#
  private static let pending = ScriptedExchange.Step.answer(
    status: 400,
    body: #"{"error":"authorization_pending"}"#
  )
  private static let slowDown = ScriptedExchange.Step.answer(
    status: 400,
    body: #"{"error":"slow_down"}"#
  )

  private func begin(
    _ bench: Bench,
    _ vault: Vault,
    _ name: String = "me",
    discovers: Bool = true
  ) async throws -> LoginStart {
    if discovers { try bench.planDiscovery() }
    bench.exchange.plan(.answer(status: 200, body: Self.codes))
    return try await bench.begin(vault, .device, name)
  }

  private func tokens(_ bench: Bench) throws -> ScriptedExchange.Step {
    .answer(
      status: 200,
      body: OpenProvider.tokens(idToken: try OpenProvider.idToken(nonce: nil, at: bench.clock))
    )
  }

  @Test
  func theProviderIsAskedAtItsPaceUntilThePersonHasSaidYes() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    #expect(start.userCode == "WDJB-MJHT" && start.expiresIn == 600 && start.interval == 5)
    bench.exchange.plan(Self.pending, Self.slowDown, Self.pending, Self.slowDown, try tokens(bench))
    let facts = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    #expect(facts.subject == "s-1" && facts.state == .ready)
    #expect(bench.clock.pauses == [5000, 5000, 10_000, 10_000, 15_000])
    #expect(try await vault.events() == ["login done"])
    #expect(try await vault.row().generation == 1)
    let forms = bench.exchange.requests.suffix(5).compactMap(\.body)
    #expect(forms.allSatisfy { parameter("device_code", of: $0) == "dc-1" })
    #expect(locations(of: "dc-1", in: try bench.scratch.files()).isEmpty)
  }

  @Test
  func beforeTheAnswerThereIsNeitherAccountNorRecord() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let start = try await begin(bench, vault)
    bench.exchange.plan(Self.pending)
    let waiting = Task { try await vault.awaitLogin(start.login, caller: caller()) { _ in } }
    await bench.clock.untilAsleep(milliseconds: 5000)
    bench.clock.advance(5)
    await bench.clock.untilAsleep(milliseconds: 5000)
    #expect(bench.exchange.requests.count == 4)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    #expect(try await vault.events().isEmpty)
    #expect(try bench.scratch.files().keys.filter { $0.hasPrefix("slots/") }.isEmpty)
    // After the cancellation there are no more polls.
    await vault.cancelLogin(start.login, caller: caller())
    bench.clock.advance(5)
    await #expect(throws: VaultFailure.self) { _ = try await waiting.value }
    #expect(bench.exchange.requests.count == 4)
  }

  @Test
  func aConnectionThatClosesEndsItsWait() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let start = try await begin(bench, vault)
    let waiting = Task { try await vault.awaitLogin(start.login, caller: caller()) { _ in } }
    await bench.clock.untilAsleep(milliseconds: 5000)
    await vault.disconnect(1)
    bench.clock.advance(5)
    await #expect(throws: VaultFailure.self) { _ = try await waiting.value }
    #expect(bench.exchange.requests.count == 3)
  }

  @Test
  func aWaitThatIsStoppedCanBeTakenUpAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let start = try await begin(bench, vault)
    let stopped = Task { try await vault.awaitLogin(start.login, caller: caller()) { _ in } }
    await bench.clock.untilAsleep(milliseconds: 5000)
    stopped.cancel()
    bench.clock.advance(5)
    await #expect(throws: VaultFailure.self) { _ = try await stopped.value }
    bench.exchange.plan(try tokens(bench))
    let facts = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    #expect(facts.state == .ready)
  }

  @Test(arguments: ["access_denied", "expired_token"])
  func aNoEndsTheLoginAndIsWrittenDown(_ error: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    bench.exchange.plan(Self.pending, .answer(status: 400, body: #"{"error":"\#(error)"}"#))
    for attempt in 0..<2 {
      let refusal = await failure {
        _ = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
      }
      switch refusal {
      case .providerRefused where attempt == 0, .invalidArgument where attempt == 1: break
      default: Issue.record("attempt \(attempt): \(String(describing: refusal))")
      }
    }
    #expect(try await vault.events() == ["login failed"])
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func whoSaysNothingIsNotWaitedForBeyondTheCodesTime() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    for _ in 0..<200 { bench.exchange.plan(Self.pending) }
    let over = await failure {
      _ = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    }
    guard case .loginRequired? = over else {
      Issue.record("\(String(describing: over))")
      return
    }
    // Every 5 s for 600 s, without the last poll.
    #expect(bench.exchange.requests.count == 3 + 119)
  }

  @Test
  func withoutAConnectionItAsksLessOftenAndGoesOn() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    bench.exchange.plan(
      .nothingSent,
      .died,
      .answer(status: 503, body: ""),
      Self.pending,
      try tokens(bench)
    )
    let facts = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    #expect(facts.state == .ready)
    #expect(bench.clock.pauses == [5000, 10_000, 20_000, 40_000, 5000])
    #expect(try await vault.events() == ["login done"])
  }

  @Test
  func atTheEndOfTheCodesTimeTheFailureOfTheLastPollIsTold() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    for _ in 0..<20 { bench.exchange.plan(.notStarted("authority")) }
    let over = await failure {
      _ = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    }
    guard case .unavailable(.authority, _, _, _)? = over else {
      Issue.record("\(String(describing: over))")
      return
    }
  }

  @Test
  func aRefreshThatIsUncertainStaysSoWhileADeviceLoginWaits() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 404, body: ""), .died)
    _ = try? await vault.token()
    let before = try #require(try await vault.intent())
    #expect(before.uncertain)
    let start = try await begin(bench, vault)
    bench.exchange.plan(Self.pending)
    let waiting = Task { try await vault.awaitLogin(start.login, caller: caller()) { _ in } }
    await bench.clock.untilAsleep(milliseconds: 5000)
    bench.clock.advance(5)
    await bench.clock.untilAsleep(milliseconds: 5000)
    #expect(try await vault.intent() == before)
    await vault.cancelLogin(start.login, caller: caller())
    bench.clock.advance(5)
    _ = try? await waiting.value
  }

  @Test(arguments: [true, false])
  func aPollThatOutlivesItsEngineIsTakenUpByTheNextOne(_ saysYes: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.clock.run()
    let start = try await begin(bench, vault)
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written", written.value == nil { written.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(saysYes ? try tokens(bench) : Self.pending)
    _ = try? await vault.awaitLogin(start.login, caller: caller()) { _ in }
    let next = try await #require(written.value).open()
    _ = try? await next.token()
    #expect(try await next.accountFacts(named: nil).map(\.name) == (saysYes ? ["me"] : []))
    #expect(try await next.events() == (saysYes ? ["login done"] : []))
  }

  /// Another way to sign in would ask for the same scopes.
  @Test
  func scopesThatAreNotGrantedAreNoFaultOfTheProvidersFile() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let body = #"{"error":"invalid_scope","error_description":"no such scope"}"#
    bench.exchange.plan(.answer(status: 400, body: body))
    let refusal = await failure { _ = try await bench.begin(vault, .device, "me") }
    guard case .providerRefused(let status, let why, _)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(status == 400)
    #expect(why == "invalid_scope: no such scope (asked for: the scopes of its file)")
  }
}
