import Presence
import PresenceTerms
import Storage
import Synchronization
import Testing

@testable import TokenVault

/// The sign-out of all accounts at once, with one check for all that need one.
@Suite(.timeLimit(.minutes(10)))
struct SignOutAllTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// The outcome for each account, by its name.
  private func signOutAll(
    _ vault: Vault,
    local: Bool = false,
    _ prompt: String? = nil,
    caller: Caller = caller()
  ) async throws -> [String: String] {
    let ended = Mutex<[String: String]>([:])
    try await vault.signOutAll(local: local, prompt: prompt, caller: caller) { account in
      let end =
        switch account.result {
        case .success(let answer): answer.grant.rawValue
        case .failure: "failed"
        }
      ended.withLock { $0[account.account] = end }
    }
    return ended.withLock { $0 }
  }

  @Test
  func oneCheckNamesAllAccountsThatNeedOne() async throws {
    let vault = try await bench.locked("a", "c")
    try await bench.signIn(vault, "b")
    let need = try await need { _ = try await signOutAll(vault) }
    #expect(need.purpose == .signOut && need.account == nil && need.detail == "a, c")
    #expect(try await vault.accountFacts(named: nil).allSatisfy { $0.state == .ready })
    try await bench.pass(need, vault, caller())
    for _ in 0..<3 { bench.exchange.plan(.answer(status: 200, body: "")) }
    let ends = try await signOutAll(vault, need.prompt)
    #expect(ends == ["a": "ended", "b": "ended", "c": "ended"])
    let sent = bench.exchange.requests.suffix(3).compactMap(\.body)
    #expect(
      Set(sent)
        == Set(["rt-a", "rt-1", "rt-c"].map { #"{"refresh_token":"\#($0)"}"# })
    )
    #expect(try await vault.accountFacts(named: nil).allSatisfy { $0.state == .signedOut })
    #expect(try await vault.accountFacts(named: nil).map(\.isProtected) == [true, false, true])
  }

  @Test
  func withoutTheCheckNoAccountIsSignedOut() async throws {
    let vault = try await bench.locked("a")
    try await bench.signIn(vault, "b")
    _ = try await need { _ = try await signOutAll(vault) }
    for prompt in ["none", ""] {
      #expect(await failure { _ = try await signOutAll(vault, prompt) } != nil)
    }
    // A proof of another connection does not count.
    let need = try await need { _ = try await signOutAll(vault) }
    try await bench.pass(need, vault, caller())
    #expect(
      await failure { _ = try await signOutAll(vault, need.prompt, caller: caller(2)) } != nil
    )
    #expect(try await vault.accountFacts(named: nil).allSatisfy { $0.state == .ready })
    let local = try await signOutAll(vault, local: true)
    #expect(local == ["a": "valid", "b": "valid"])
  }

  /// The person agreed to the named accounts.
  @Test
  func anAccountThatWasNotNamedStays() async throws {
    let vault = try await bench.locked("a")
    try await bench.signIn(vault, "late", refresh: "rt-late", access: "at-late")
    let need = try await need { _ = try await signOutAll(vault) }
    try await bench.protect(vault, "late")
    _ = try await vault.lock(caller: caller())
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.answer(status: 200, body: ""))
    let ends = try await signOutAll(vault, need.prompt)
    #expect(ends == ["a": "ended", "late": "failed"])
    #expect(try await vault.row("late").sealedRefreshToken != nil)
  }
}

extension Bench {
  /// A vault with protected accounts and no open window.
  func locked(_ names: String...) async throws -> Vault {
    let vault = try await open()
    for name in names.isEmpty ? ["me"] : names {
      try await signIn(vault, name, refresh: "rt-\(name)", access: "at-\(name)")
      try await protect(vault, name)
    }
    _ = try await vault.lock(caller: caller())
    return vault
  }
}
