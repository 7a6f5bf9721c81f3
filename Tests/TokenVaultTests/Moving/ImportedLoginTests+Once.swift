import PresenceTerms
import SecretMemory
import Storage
import Testing

@testable import TokenVault

// Many providers take the second use of a refresh token for a theft, and end the login.
extension ImportedLoginTests {
  private func isRefused(_ failure: VaultFailure?) -> Bool {
    if case .refused? = failure { true } else { false }
  }

  @Test
  func aTokenIsUsedForOneAccountOnly() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    _ = try await take(vault)
    #expect(isRefused(await failure { _ = try await take(vault, as: "other") }))
    let client = ["client_id": "another"]
    #expect(isRefused(await failure { _ = try await take(vault, as: "other", settings: client) }))
    #expect(isRefused(await failure { _ = try await take(vault, settings: client) }))
    #expect(sent(bench) == ["old"])
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["me"])
  }

  @Test
  func anotherNameIsRefusedWhileTheTokenIsOnItsWay() async throws {
    let vault = try await bench.open()
    bench.exchange.hold()
    async let first = take(vault)
    await bench.exchange.untilRequested(1)
    #expect(isRefused(await failure { _ = try await take(vault, as: "other") }))
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    #expect(try await first.account.state == .ready)
    #expect(sent(bench) == ["old"])
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["me"])
  }

  /// The second call waits for the account.
  @Test(arguments: [oauthTokens("at-1", refresh: "new"), .died])
  func twoCallsForOneAccountSendTheTokenOnce(_ step: ScriptedExchange.Step) async throws {
    let vault = try await bench.open()
    bench.exchange.hold()
    let first = Task { await failure { _ = try await take(vault) } }
    await bench.exchange.untilRequested(1)
    let second = Task { await failure { _ = try await take(vault) } }
    while await vault.refreshes.waiting.values.allSatisfy(\.isEmpty) { await Task.yield() }
    bench.exchange.plan(step)
    let failures = [await first.value, await second.value]
    if case .died = step {
      for failure in failures {
        guard case .unavailable(.uncertain, _, _, _)? = failure else {
          Issue.record("\(String(describing: failure))")
          continue
        }
      }
    } else {
      #expect(failures.allSatisfy { $0 == nil })
    }
    #expect(sent(bench) == ["old"])
  }

  /// The prompt showed what the person would lose.
  @Test
  func anAccountThatChangesAfterTheConsentIsLeftAsItIs() async throws {
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    try await bench.protect(vault)
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    // The documents of the provider are read again.
    bench.clock.advance(7200)
    @Sendable
    func move(_ prompt: String? = nil) async throws {
      _ = try await vault.importLogin(
        account: "me",
        provider: try OpenProvider.provider(),
        refreshToken: shared("old"),
        prompt: prompt,
        caller: caller()
      )
    }
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.metadata()))
    let need = try await need { try await move() }
    try await bench.pass(need, vault, caller())
    bench.exchange.hold()
    let count = bench.exchange.requests.count
    let moved = Task { await failure { try await move(need.prompt) } }
    await bench.exchange.untilRequested(count + 1)
    var changed = try await vault.row()
    changed.email = "eve@example.org"
    let row = changed
    try await vault.inspect { try $0.update(row) }
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    guard case .presenceFailed? = await moved.value else {
      Issue.record("the changed account was replaced")
      return
    }
    #expect(sent(bench).isEmpty)
    #expect(try await vault.row() == row)
  }
}
