import Configuration
import PresenceTerms
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The answer to a sign-in that cannot be judged yet stays in the slot until the provider's keys
/// can be read.
///
/// The sign-in is not lost.
@Suite(.timeLimit(.minutes(10)))
struct WaitingLoginTests {
  /// Such a long wait that the provider is asked once.
  private static let noKeys = ScriptedExchange.Step.answer(status: 503, retryAfter: 60, body: "")

  private func newKeys() throws -> ScriptedExchange.Step {
    .answer(status: 200, body: try OpenProvider.keys("k2", .otherP256))
  }

  /// Tokens whose ID token is signed with a newer key.
  private func tokens(nonce: String?, _ clock: ManualClock) throws -> ScriptedExchange.Step {
    let token = try OpenProvider.idToken(nonce: nonce, at: clock, kid: "k2", .otherP256)
    let body = OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: token)
    return .answer(status: 200, body: body)
  }

  /// Finishes a sign-in whose answer cannot be judged, because the keys cannot be read.
  private func wait(_ bench: Bench, _ vault: Vault, discovers: Bool = true) async throws {
    if discovers { try bench.planDiscovery() }
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    bench.clock.advance(61)
    bench.exchange.plan(try tokens(nonce: parameter("nonce", of: url), bench.clock), Self.noKeys)
    let refusal = await failure {
      _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    }
    expectWait(refusal)
  }

  private func expectWait(_ failure: VaultFailure?) {
    guard case .providerUnavailable(let why, .some, _)? = failure, why.contains("keys") else {
      Issue.record("not told to wait for the keys: \(String(describing: failure))")
      return
    }
  }

  private func isEmpty(_ vault: Vault) async throws -> Bool {
    let slot = try await vault.slot()
    let intent = try await vault.intent()
    return slot.allSatisfy { $0 == 0 } && intent == nil
  }

  @Test
  func aLoginIsFinishedByTheNextCallOnceTheKeysCanBeRead() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await wait(bench, vault)
    let requests = bench.exchange.requests.count
    // A missing key is easy to invent, so not every call asks the provider.
    for _ in 0..<3 { expectWait(await failure { _ = try await vault.token() }) }
    #expect(bench.exchange.requests.count == requests)
    #expect(try await !isEmpty(vault))
    bench.clock.advance(60)
    bench.exchange.plan(try newKeys())
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.requests.last?.method == "GET")
    #expect(bench.exchange.requests.count == requests + 1)
    #expect(try await vault.row().subject == "s-1")
    #expect(try await vault.events() == ["login begun", "login done"])
    #expect(try await isEmpty(vault))
  }

  @Test
  func aLoginWaitsForTheKeysThroughEnginesThatAreKilled() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written", written.value == nil { written.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(try tokens(nonce: parameter("nonce", of: url), bench.clock))
    _ = try? await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    let second = try #require(written.value)
    let without = try await second.open()
    second.exchange.plan(Self.noKeys)
    expectWait(await failure { _ = try await without.token() })
    let third = try second.snapshot()
    third.clock.advance(100_000)
    let last = try await third.open()
    third.exchange.plan(try newKeys())
    _ = try? await last.token()
    #expect(third.exchange.requests.first?.url == OpenProvider.issuer + "/keys")
    #expect(try await last.stateOfMe().subject == "s-1")
    #expect(try await last.row().generation == 1)
    #expect(try await isEmpty(last))
  }

  @Test
  func aLoginWhoseKeyIsInNoSetIsRefusedByTheNextEngine() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await wait(bench, vault)
    bench.clock.advance(60)
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    guard case .noSuchAccount? = await failure({ _ = try await vault.token() }) else {
      Issue.record("a login without a signature was accepted")
      return
    }
    #expect(try await vault.events() == ["login begun", "login failed"])
  }

  @Test
  func aDeviceLoginThatWaitsForKeysIsNotAskedForAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"""
          {"device_code":"dc-1","user_code":"WDJB-MJHT","verification_uri":"https://id.example.com/d",
          "expires_in":600,"interval":5}
          """#
      )
    )
    let start = try await bench.begin(vault, .device)
    bench.clock.advance(61)
    bench.exchange.plan(try tokens(nonce: nil, bench.clock), Self.noKeys, try newKeys())
    bench.clock.run()
    let facts = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    #expect(facts.subject == "s-1" && facts.state == .ready)
    #expect(bench.exchange.requests.suffix(3).map(\.method) == ["POST", "GET", "GET"])
    #expect(try await isEmpty(vault))
  }

  @Test(arguments: ["logout", "removal", "login"])
  func aLoginThatWaitsEndsWithWhateverTakesItsPlace(_ end: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    try await wait(bench, vault, discovers: false)
    #expect(try await vault.token().accessToken == "at-1")
    let requests = bench.exchange.requests.count
    switch end {
    case "logout": _ = try await vault.signOut(account: "me", local: true, caller: caller())
    case "removal":
      _ = try await vault.remove(account: "me", local: true, caller: caller())
      #expect(try bench.scratch.files().keys.filter { $0.hasPrefix("slots/") }.isEmpty)
      return
    default:
      // The waiting token is revoked first.
      bench.exchange.plan(.answer(status: 200, body: ""))
      try await bench.signIn(vault, refresh: "rt-3", access: "at-3")
      #expect(try await vault.token().accessToken == "at-3")
    }
    #expect(try await isEmpty(vault))
    #expect(bench.exchange.requests.count == requests + (end == "login" ? 3 : 0))
  }

  @Test
  func aLoginOfBeforeIsUsedAgainWhenTheNewOneHasHadItsTime() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    try await wait(bench, vault, discovers: false)
    bench.clock.advance(599)
    bench.exchange.plan(Self.noKeys)
    expectWait(await failure { _ = try await vault.token(rejected: "at-1") })
    #expect(try await !isEmpty(vault))
    bench.clock.advance(3600)
    let body = OpenProvider.tokens(access: "at-3", refresh: "rt-3", idToken: nil)
    // The waiting token is revoked between the two.
    bench.exchange.plan(
      Self.noKeys,
      .answer(status: 200, body: ""),
      .answer(status: 200, body: body)
    )
    #expect(try await vault.token().accessToken == "at-3")
    #expect(try await vault.events().contains("login failed"))
    #expect(try await isEmpty(vault))
  }

  @Test
  func theDeviceSecretIsNotReplacedWhileALoginLiesUnderIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await wait(bench, vault)
    let need = try await need { _ = try await vault.rekey(prompt: nil, caller: caller()) }
    try await bench.pass(need, vault, caller())
    expectWait(
      await failure { _ = try await vault.rekey(prompt: need.prompt, caller: caller()) }
    )
    bench.clock.advance(60)
    bench.exchange.plan(try newKeys())
    #expect(try await vault.token().accessToken == "at-2")
  }
}
