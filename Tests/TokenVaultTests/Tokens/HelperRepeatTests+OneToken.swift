import Presence
import Testing

@testable import TokenVault

// A provider that gives one token, which only an exchange replaces.
extension HelperRepeatTests {
  private func one(_ token: String) -> ScriptedExchange.Step {
    .answer(status: 200, body: #"{"token":"\#(token)","expires_in":7200}"#)
  }

  private func withOneToken(_ settings: [String: String] = [:]) async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    let fields = ["access_token_field": "token", "refresh_token_field": "token"]
    bench.exchange.plan(one("one-1"))
    _ = try await vault.signIn(
      account: "me",
      provider: try provider(fields.merging(settings) { $1 }),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    return (bench, vault)
  }

  @Test
  func theOneTokenIsExchangedIfTheProviderRefusesIt() async throws {
    let (bench, vault) = try await withOneToken()
    #expect(try await token(of: vault) == "one-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token(of: vault) == "one-1")
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(61)
    #expect(try await token(of: vault) == "one-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 401, body: "{}"), one("one-2"))
    #expect(try await token(of: vault) == "one-2")
    #expect(bench.exchange.refreshes.count == 1)
  }

  /// The exchange of the only token is no answer to a doubt.
  @Test
  func theOneTokenStaysIfTheProviderCannotTell() async throws {
    let (bench, vault) = try await withOneToken()
    #expect(try await token(of: vault) == "one-1")
    bench.clock.advance(5)
    let missing = ScriptedExchange.Step.answer(status: 404, body: "")
    bench.exchange.plan(missing, missing, missing)
    #expect(try await token(of: vault) == "one-1")
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aTokenThatIsNotExchangedIsNotLookedAt() async throws {
    let (bench, vault) = try await withOneToken(["refresh_path": "none"])
    #expect(try await token(of: vault) == "one-1")
    let requests = bench.exchange.requests.count
    bench.clock.advance(5)
    #expect(try await token(of: vault) == "one-1")
    #expect(bench.exchange.requests.count == requests)
  }
}
