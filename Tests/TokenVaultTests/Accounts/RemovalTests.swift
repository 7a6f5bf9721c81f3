import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A protected account is removed or replaced only after a check, which no window replaces.
@Suite(.timeLimit(.minutes(10)))
struct RemovalTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func protected() async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    return vault
  }

  private func remove(
    _ vault: Vault,
    local: Bool = true,
    _ prompt: String? = nil
  ) async throws(VaultFailure) -> Revocation {
    try await vault.remove(account: "me", local: local, prompt: prompt, caller: caller())
  }

  @Test(arguments: [true, false])
  func aProtectedAccountIsRemovedAfterACheckOfItsOwn(_ local: Bool) async throws {
    let vault = try await protected()
    // An open window allows the use of its token, but not its removal.
    try await bench.unlock(vault)
    let before = try await vault.row()
    let need = try await need { _ = try await remove(vault, local: local) }
    #expect(need.purpose == .remove && need.account == "me")
    #expect(need.detail == "me@example.org at dev")
    #expect(try await vault.row() == before)
    // A check for another purpose does not count.
    let other = try await TokenVaultTests.need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(other, vault, caller())
    #expect(await failure { _ = try await remove(vault, local: local, other.prompt) } != nil)
    #expect(try await vault.row() == before)
    let again = try await TokenVaultTests.need { _ = try await remove(vault, local: local) }
    try await bench.pass(again, vault, caller())
    if !local { bench.exchange.plan(.answer(status: 200, body: "")) }
    let answer = try await remove(vault, local: local, again.prompt)
    #expect(answer.grant == (local ? .valid : .ended))
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "account-removed" && last.method == "password")
  }

  /// In two steps: a sign-out without a check, then the removal.
  @Test
  func aProtectedAccountThatIsSignedOutIsRemovedAfterACheck() async throws {
    let vault = try await protected()
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    let need = try await need { _ = try await remove(vault) }
    #expect(need.purpose == .remove && need.detail == "me@example.org at dev")
    try await bench.pass(need, vault, caller())
    #expect(try await remove(vault, need.prompt).grant == Revocation.Grant.none)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func aCallerThatCannotAskRemovesNothing() async throws {
    let vault = try await protected()
    let need = try await need {
      _ = try await vault.remove(account: "me", local: true, caller: caller(asking: .never))
    }
    #expect(need.prompt.isEmpty)
    #expect(try await vault.row().sealedRefreshToken != nil)
  }

  @Test
  func anAccountThatWasNeverProtectedNeedsNoCheck() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(try await remove(vault).grant == .valid)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func protectionThatIsTurnedOnDuringTheCallIsHonoured() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let asked = bench.exchange.requests.count
    let token = Task { try await vault.token() }
    await bench.exchange.untilRequested(asked + 1)
    // Both wait for the refresh. Protection comes first, and its check has passed.
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    let on = Task {
      try await vault.setProtection(true, account: "me", prompt: need.prompt, caller: caller())
    }
    while await vault.waiting < 1 { await Task.yield() }
    let gone = Task { await failure { _ = try await remove(vault) } }
    while await vault.waiting < 2 { await Task.yield() }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await token.value
    _ = try await on.value
    guard case .presenceFailed? = await gone.value else {
      Issue.record("a protected account was removed without a check")
      return
    }
    #expect(try await vault.row().isProtected)
  }

  // MARK: - The default

  private func setDefault(
    _ vault: Vault,
    _ name: String,
    _ prompt: String? = nil
  ) async throws(VaultFailure) -> AccountFacts {
    try await vault.setDefault(account: name, prompt: prompt, caller: caller())
  }

  /// A caller that names no account would get another person's tokens.
  @Test
  func anotherDefaultInsteadOfAProtectedOneTakesACheck() async throws {
    let vault = try await protected()
    try await bench.signIn(vault, "evil", refresh: "rt-evil", access: "at-evil")
    try await bench.unlock(vault)
    // It was the default while it was the only account.
    let need = try await need { _ = try await setDefault(vault, "evil") }
    #expect(need.purpose == .setDefault && need.account == "evil")
    #expect(need.detail == "no default account is set; me is protected")
    #expect(try await vault.frontsDefault() == nil)
    // No prompt is needed to choose the protected account, or to repeat the choice.
    for _ in 0..<2 { #expect(try await setDefault(vault, "me").isDefault) }
    let again = try await TokenVaultTests.need { _ = try await setDefault(vault, "evil") }
    #expect(again.detail == "instead of me")
    #expect(try await vault.frontsDefault() == "me")
    try await bench.pass(again, vault, caller())
    #expect(try await setDefault(vault, "evil", again.prompt).isDefault)
    #expect(try await vault.frontsDefault() == "evil")
    // Between two unprotected accounts there is no prompt.
    try await bench.signIn(vault, "other", refresh: "rt-other", access: "at-other")
    #expect(try await setDefault(vault, "other").isDefault)
  }
}

extension Vault {
  /// How many calls wait for an account.
  fileprivate var waiting: Int { refreshes.waiting.values.map(\.count).max() ?? 0 }
}
