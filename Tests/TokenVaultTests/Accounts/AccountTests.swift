import JSON
import Presence
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// Names, the default, and the removal of accounts.
@Suite(.timeLimit(.minutes(10)))
struct AccountTests {
  @Test
  func aRenameSealsNothingAgainAndOpensNoPromptWithoutProtection() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    let facts = try await vault.rename(account: "me", to: "work", caller: caller())
    #expect(facts.name == "work" && !facts.isProtected)
    var expected = before
    expected.name = "work"
    #expect(try await vault.row("work") == expected)
    #expect(bench.exchange.requests.count == asked)
    #expect(try await vault.token("work").accessToken == "at-1")
    #expect(try await vault.cachedToken("work") == "at-1")
    #expect(try await vault.cachedToken("me") == nil)
    #expect(try await vault.frontsDefault() == "work")
    #expect(await failure { _ = try await vault.token("me") } == .noSuchAccount("me"))
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "account-renamed" && last.account == "work" && last.detail == "was me")
    // The box is bound to the account's ID: it opens under the new name.
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token("work").accessToken == "at-2")
  }

  /// Prompts show account names, so a program must not exchange them, even under an open window.
  @Test
  func aProtectedAccountIsRenamedAfterACheckOfItsOwnForThatVeryName() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "other", refresh: "rt-o", access: "at-o")
    try await bench.protect(vault)
    try await bench.unlock(vault)
    let need = try await need {
      _ = try await vault.rename(account: "me", to: "work", caller: caller())
    }
    #expect(need.purpose == .rename && need.account == "me" && need.detail == "work")
    try await bench.pass(need, vault, caller())
    // The check was for another name.
    guard
      case .presenceFailed? = await failure({
        _ = try await vault.rename(
          account: "me",
          to: "harmless",
          prompt: need.prompt,
          caller: caller()
        )
      })
    else {
      Issue.record("a check for one name gave another")
      return
    }
    let facts = try await vault.rename(
      account: "me",
      to: "work",
      prompt: need.prompt,
      caller: caller()
    )
    #expect(facts.name == "work" && facts.isProtected)
    // No prompt opens for an impossible or a needless change.
    guard
      case .invalidArgument? = await failure({
        _ = try await vault.rename(account: "work", to: "other", caller: caller())
      })
    else {
      Issue.record("a name that is taken")
      return
    }
    #expect(try await vault.rename(account: "work", to: "work", caller: caller()).name == "work")
  }

  @Test
  func aNameThatIsTakenOrNoneIsRefusedAndChangesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    for name in ["work", "../x", "@", "", "ME"] {
      guard
        case .invalidArgument = await failure({
          _ = try await vault.rename(account: "me", to: name, caller: caller())
        })
      else {
        Issue.record("\(name) was taken")
        continue
      }
    }
    #expect(try await vault.cachedToken("me") == "at-1")
    #expect(try await vault.cachedToken("work") == "at-w")
    #expect(
      await failure { _ = try await vault.rename(account: "no", to: "x", caller: caller()) }
        == .noSuchAccount("no")
    )
    #expect(try await vault.rename(account: "me", to: "me", caller: caller()).name == "me")
  }

  @Test
  func theDefaultIsTheOnlyAccountOrTheOneThatWasChosen() async throws {
    let bench = try Bench()
    try await theDefaultOfTheFirstEngine(bench)
    // The default is the chosen account, not its name, and it outlives the engine.
    let vault = try await bench.open()
    #expect(try await vault.token(nil).accessToken == "at-w")
    _ = try await vault.remove(account: "job", local: true, caller: caller())
    #expect(try await vault.token(nil).accessToken == "at-1")
    #expect(try await vault.frontsDefault() == "me")
    // A new account with the old name is not the chosen one.
    try await bench.signIn(vault, "job", refresh: "rt-j", access: "at-j")
    #expect(try await vault.frontsDefault() == nil)
    #expect(try await vault.accountFacts(named: nil).map(\.isDefault) == [false, false])
  }

  private func theDefaultOfTheFirstEngine(_ bench: Bench) async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(try await vault.accountFacts(named: nil).map(\.isDefault) == [true])
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    #expect(try await vault.accountFacts(named: nil).map(\.isDefault) == [false, false])
    #expect(try await vault.frontsDefault() == nil)
    guard case .invalidArgument = await failure({ _ = try await vault.token(nil) }) else {
      Issue.record("an account was guessed")
      return
    }
    #expect(try await vault.setDefault(account: "work", caller: caller()).isDefault)
    #expect(try await vault.frontsDefault() == "work")
    #expect(try await vault.token(nil).accessToken == "at-w")
    _ = try await vault.rename(account: "work", to: "job", caller: caller())
    #expect(try await vault.frontsDefault() == "job")
  }

  @Test
  func oneDamagedRecordHidesNoOther() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    var row = try await vault.row()
    row.providerSettings = Array("issuer=https://evil.example".utf8)
    let edited = row
    try await vault.inspect { try $0.update(edited) }
    let facts = try await vault.accountFacts(named: nil)
    #expect(facts.map(\.name) == ["me", "work"])
    #expect(facts.map(\.state) == [.loginRequired, .ready])
    #expect(facts[0].cause?.hasPrefix("damaged: ") == true)
    // The contents of the edited record are not reported as if they were true.
    #expect(facts[0].issuer.isEmpty && facts[0].kind == "unknown")
    #expect(await vault.examine().contains { $0.name == "accounts" && $0.level == .problem })
    // The remedy in the finding works.
    try await bench.signIn(vault, refresh: "rt-2", access: "at-2")
    #expect(try await vault.accountFacts(named: "me").first?.state == .ready)
  }

  @Test
  func whoAmIRefreshesOnceWhereTheTokenIsRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(
      .answer(status: 401, body: "{}"),
      .tokens(access: "at-2", refresh: "rt-2"),
      .answer(status: 200, body: #"{"id": "1", "email": "me@example.org"}"#)
    )
    let (_, profile) = try await vault.profile(account: "me", prompt: nil, caller: caller())
    #expect(profile["email"] == .string("me@example.org"))
    #expect(bench.exchange.refreshes.count == 1)
    // A second 401 causes no further refresh.
    bench.exchange.plan(
      .answer(status: 401, body: "{}"),
      .tokens(access: "at-3", refresh: "rt-3"),
      .answer(status: 401, body: "{}")
    )
    guard
      case .providerRefused(status: 401, _, _) = await failure({
        _ = try await vault.profile(account: "me", prompt: nil, caller: caller())
      })
    else {
      Issue.record("a second refusal is told as something else")
      return
    }
    #expect(bench.exchange.refreshes.count == 2)
  }

  /// The cost of a call without an account name must not grow with the number of accounts.
  ///
  /// It reads at most two of them besides the default. The third one here cannot be read, so a call
  /// that read all of them would fail.
  @Test
  func aCallWithoutANameReadsNoOtherAccounts() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for name in ["a", "b", "c", "d"] {
      try await bench.signIn(vault, name, refresh: "rt-\(name)", access: "at-\(name)")
    }
    _ = try await vault.setDefault(account: "d", caller: caller())
    let damage = "UPDATE accounts SET email = CAST(x'ff' AS TEXT) WHERE name = 'c'"
    #expect(try await vault.inspect { try $0.database.run(damage) } == 1)
    #expect(await failure { _ = try await vault.accounts() } != nil)
    #expect(try await vault.token(nil).accessToken == "at-d")
    #expect(try await vault.frontsDefault() == "d")
  }
}

extension Vault {
  func frontsDefault() throws -> String? {
    try TokenFiles.defaultAccount(in: directory)
  }
}
