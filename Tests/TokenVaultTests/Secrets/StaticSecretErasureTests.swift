import Presence
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// The check before the only copy of a protected static secret is erased.
@Suite(.timeLimit(.minutes(10)))
struct StaticSecretErasureTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func signOut(
    _ vault: Vault,
    local: Bool,
    _ prompt: String? = nil
  ) async throws -> Revocation {
    try await vault.signOut(account: "me", local: local, prompt: prompt, caller: caller())
  }

  private func ends(_ vault: Vault, local: Bool, _ prompt: String? = nil) async throws {
    try await vault.signOutAll(local: local, prompt: prompt, caller: caller()) { _ in }
  }

  @Test(arguments: [false, true])
  func aProtectedSecretIsErasedAfterACheckOnly(_ local: Bool) async throws {
    let vault = try await bench.open()
    try await vault.put("ghp_1", isProtected: true)
    let box = try #require(try await vault.row().sealedRefreshToken)
    let asked = try await need { _ = try await signOut(vault, local: local) }
    #expect(asked.purpose == .signOut && asked.account == "me")
    // A secret without a name belongs to no person.
    #expect(asked.detail == "git")
    #expect(await failure { _ = try await signOut(vault, local: local, asked.prompt) } != nil)
    #expect(try await vault.row().sealedRefreshToken == box)
    try await bench.pass(asked, vault, caller())
    #expect(try await signOut(vault, local: local, asked.prompt).grant == .valid)
    #expect(try await vault.row().sealedRefreshToken == nil)
    // There is nothing left to guard.
    #expect(try await signOut(vault, local: local).grant == Revocation.Grant.none)
  }

  @Test(arguments: [false, true])
  func anOpenWindowLetsItBeErased(_ local: Bool) async throws {
    let vault = try await bench.open()
    try await vault.put("ghp_1", isProtected: true)
    try await bench.unlock(vault)
    #expect(try await signOut(vault, local: local).grant == .valid)
    #expect(try await vault.row().sealedRefreshToken == nil)
  }

  /// The account may become protected after the question whether it needs a check.
  @Test
  func noRightErasesNothing() async throws {
    let vault = try await bench.open()
    try await vault.put("ghp_1", isProtected: true)
    let row = try await vault.row()
    for right in [nil, RightToRevoke.withoutCheck] {
      guard
        case .presenceFailed? = await failure({
          _ = try await vault.signOut(row.id, right, caller())
        })
      else {
        Issue.record("erased")
        return
      }
    }
    #expect(try await vault.row() == row)
  }

  @Test(arguments: [false, true])
  func theSignOutOfAllAccountsNamesIt(_ local: Bool) async throws {
    let vault = try await bench.locked("login")
    try await vault.put("ghp_1", isProtected: true)
    let asked = try await need { try await ends(vault, local: local) }
    #expect(asked.purpose == .signOut && asked.detail == (local ? "me" : "login, me"))
    #expect(try await vault.row().sealedRefreshToken != nil)
    try await bench.pass(asked, vault, caller())
    if !local { bench.exchange.plan(.answer(status: 200, body: "")) }
    try await ends(vault, local: local, asked.prompt)
    #expect(try await vault.accountFacts(named: nil).allSatisfy { $0.state == .signedOut })
  }
}
