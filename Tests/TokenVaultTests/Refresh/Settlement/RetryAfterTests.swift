import Configuration
import Presence
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// If a provider sends Retry-After, there is neither a prompt nor a request until then.
@Suite(.timeLimit(.minutes(10)))
struct RetryAfterTests {
  private func expired(_ names: [String] = ["me"]) async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    for name in names { try await bench.signIn(vault, name) }
    bench.clock.advance(3600)
    return (bench, vault)
  }

  private func wait(
    _ vault: Vault,
    _ name: String = "me",
    prompt: String? = nil
  ) async throws -> Int64? {
    let refusal = await failure { _ = try await vault.token(name, prompt: prompt) }
    guard case .providerUnavailable(_, let wait, _)? = refusal else {
      Issue.record("not told to wait: \(String(describing: refusal))")
      return nil
    }
    return wait
  }

  @Test(arguments: [false, true])
  func aCallerThatComesTooSoonIsToldTheWaitWithoutAPrompt(_ isProtected: Bool) async throws {
    let (bench, vault) = try await expired()
    var prompt: String?
    if isProtected {
      try await bench.protect(vault)
      let need = try await need { _ = try await vault.token() }
      try await bench.pass(need, vault, caller())
      prompt = need.prompt
    }
    bench.exchange.plan(.answer(status: 429, retryAfter: 30, body: ""))
    #expect(try await wait(vault, prompt: prompt) == 30)
    #expect(try await vault.intent() == nil)
    let requests = bench.exchange.requests.count
    bench.clock.advance(10)
    #expect(try await wait(vault) == 20)
    bench.clock.advance(19, milliseconds: 500)
    #expect(try await wait(vault) == 1)
    #expect(bench.exchange.requests.count == requests)
    bench.clock.advance(0, milliseconds: 500)
    guard !isProtected else {
      _ = try await need { _ = try await vault.token() }
      return
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func itIsTheAccountsOwnAndEndsWithALogin() async throws {
    let (bench, vault) = try await expired(["me", "you"])
    bench.exchange.plan(.answer(status: 429, retryAfter: 7200, body: ""))
    #expect(try await wait(vault) == 7200)
    #expect(try await wait(vault) == Vault.longestRetryAfter)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token("you").accessToken == "at-2")
    try await bench.signIn(vault, refresh: "rt-3", access: "at-3", lifetime: 1)
    bench.exchange.plan(.tokens(access: "at-4", refresh: "rt-4"))
    #expect(try await vault.token().accessToken == "at-4")
  }

  @Test
  func aProviderThatDoesNotSayHowLongIsAskedAgain() async throws {
    let (bench, vault) = try await expired()
    bench.exchange.plan(
      .answer(status: 429, body: ""),
      .tokens(access: "at-2", refresh: "rt-2")
    )
    #expect(try await wait(vault) == nil)
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test(arguments: [false, true])
  func itIsNotChangedForItsKeysEither(_ saysSoAhead: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    bench.clock.advance(3600)
    let patience = ScriptedExchange.Step.answer(status: 429, retryAfter: 300, body: "")
    let failed = ScriptedExchange.Step.answer(status: 404, body: "")
    let tokens = OpenProvider.tokens(
      access: "at-2",
      refresh: "rt-2",
      idToken: try OpenProvider.idToken(nonce: nil, at: bench.clock)
    )
    bench.exchange.plan(saysSoAhead ? patience : failed, .answer(status: 200, body: tokens))
    if !saysSoAhead { bench.exchange.plan(patience) }
    #expect(try await wait(vault) == 300)
    let requests = bench.exchange.requests.count
    #expect(requests == 3 + (saysSoAhead ? 2 : 3))
    bench.clock.advance(299)
    #expect(try await wait(vault) == 1)
    #expect(bench.exchange.requests.count == requests)
    bench.clock.advance(1)
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.requests.count == requests + 1)
  }
}
