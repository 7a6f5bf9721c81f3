import Presence
import PresenceTerms
import Testing

@testable import TokenVault

// The caller or the agent ends after the check has passed, and before the caller spends it.
extension AskAtDesktopTests {
  /// A prompt of connection 1 whose check has passed.
  private func passed() async throws -> String {
    let prompt = try await prompt(1)
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller(1))
    _ = await agents.prompt()
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await asked
    return prompt
  }

  @Test
  func aCheckThatItsCallerDidNotSpendIsSpentByNoOther() async throws {
    let prompt = try await passed()
    await vault.disconnect(1)
    let requests = bench.exchange.requests.count
    for connection in [UInt64(1), 2, 9] {
      let spent = await failure {
        _ = try await vault.token(prompt: prompt, caller: caller(connection))
      }
      guard case .presenceFailed? = spent else {
        Issue.record("\(connection): \(String(describing: spent))")
        continue
      }
    }
    #expect(bench.exchange.requests.count == requests)
    #expect(try await vault.facts(for: caller(2)).unlockedFor == nil)
    _ = try await passes(2)
  }

  @Test
  func theEndOfTheAgentAfterTheCheckChangesNothing() async throws {
    let prompt = try await passed()
    await vault.disconnect(9)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    let grant = try await vault.token(prompt: prompt, caller: caller(1))
    #expect(grant.accessToken == "at-2")
  }
}
