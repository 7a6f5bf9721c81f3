import Configuration
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A protected account is not replaced without a check.
@Suite(.timeLimit(.minutes(10)))
struct ReplacementTests: Replacing {
  let bench: Bench

  init() throws { bench = try Bench() }

  // MARK: - Another provider, and a new user: a check before the sign-in

  @Test(arguments: [true, false])
  func aLoginAtAnotherProviderIsAskedAboutBeforeItIsMade(_ signedOut: Bool) async throws {
    let vault = try await anns(signedOut: signedOut)
    // An open window only allows the use of tokens.
    try await bench.unlock(vault)
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    let evil = try elsewhere()
    let need = try await need { try await signIn(vault, "ann", at: evil) }
    #expect(need.purpose == .replace && need.account == "me")
    #expect(
      need.detail == "ann@example.org at dev (https://id.example.com) → ann@example.org at evil"
        + " (https://evil.example.com); protection ends"
    )
    #expect(bench.exchange.requests.count == asked)
    #expect(try await isAnns(vault, before))
    try await bench.pass(need, vault, caller())
    // The proof was for this provider.
    let third = try provider(["issuer": "https://third.example.com"], name: "evil")
    #expect(await failure { try await signIn(vault, "ann", at: third, need.prompt) } != nil)
    #expect(try await isAnns(vault, before))
    let again = try await TokenVaultTests.need { try await signIn(vault, "ann", at: evil) }
    try await bench.pass(again, vault, caller())
    bench.exchange.plan(login("ann"))
    let facts = try await signIn(vault, "ann", at: evil, again.prompt)
    #expect(facts.issuer == "https://evil.example.com")
    // The new person has not chosen protection.
    #expect(!facts.isProtected && facts.state == .ready)
  }

  /// Another setting for where tokens go also counts as another provider.
  @Test
  func aProviderWithOtherSettingsIsAnother() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    for (name, staysProtected) in [("ann", true), ("eve", false)] {
      let path = try provider(["refresh_path": "/\(name)s"])
      let need = try await need { try await signIn(vault, name, at: path) }
      #expect(
        need.detail?.hasSuffix("with other settings; protection ends for another person") == true
      )
      if name == "ann" { #expect(try await isAnns(vault, before)) }
      try await bench.pass(need, vault, caller())
      bench.exchange.plan(login(name))
      #expect(try await signIn(vault, name, at: path, need.prompt).isProtected == staysProtected)
    }
  }

  @Test(arguments: [true, false])
  func aNewUserIsAskedAboutBeforeItIsMade(_ signedOut: Bool) async throws {
    let vault = try await anns(signedOut: signedOut)
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    let need = try await need { try await signIn(vault, "eve", registering: true) }
    #expect(need.purpose == .replace)
    #expect(need.detail?.contains("a new user eve@example.org at dev") == true)
    #expect(bench.exchange.requests.count == asked)
    #expect(try await isAnns(vault, before))
  }

  @Test
  func oneCheckAllowsAnExportableLoginAndWhatItReplaces() async throws {
    let vault = try await anns()
    let evil = try elsewhere()
    let need = try await need { try await signIn(vault, "ann", at: evil, exportable: true) }
    #expect(need.purpose == .exportable && need.methods == [.password])
    #expect(need.detail?.contains("→ ann@example.org at evil") == true)
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(login("ann"))
    let facts = try await signIn(vault, "ann", at: evil, exportable: true, need.prompt)
    #expect(facts.isExportable && !facts.isProtected)
  }

  // MARK: - Another person: a check after the answer

  @Test(arguments: [true, false])
  func anotherPersonAtTheSameProviderIsHeldUntilTheCheckHasPassed(_ signedOut: Bool) async throws {
    let vault = try await anns(signedOut: signedOut)
    try await bench.unlock(vault)
    let before = try await vault.row()
    bench.exchange.plan(login("eve"))
    let need = try await need { try await signIn(vault, "eve") }
    #expect(need.purpose == .replace && need.account == "me")
    #expect(
      need.detail == "ann@example.org at dev (https://id.example.com) → eve@example.org at dev"
        + " (https://id.example.com); protection ends"
    )
    // Nothing has changed, and nothing is left for another engine to find.
    #expect(try await isAnns(vault, before))
    #expect(try await vault.intent() == nil)
    #expect(locations(of: "rt-eve", in: try bench.scratch.files()).isEmpty)
    try await bench.pass(need, vault, caller())
    let facts = try await signIn(vault, "eve", need.prompt)
    #expect(facts.email == "eve@example.org" && facts.subject == "id-eve" && !facts.isProtected)
    #expect(try await vault.token().accessToken == "at-eve")
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "login" && last.detail?.contains("protection off") == true)
    // The account is Eve's: from now on she needs no prompt.
    bench.exchange.plan(login("eve"))
    try await signIn(vault, "eve")
  }

  @Test
  func whoIsNotLetInLeavesTheAccountAndNoLoginBehind() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    bench.exchange.plan(login("eve"))
    let need = try await need { try await signIn(vault, "eve") }
    let asked = bench.exchange.requests.count
    bench.exchange.plan(.answer(status: 200, body: ""))
    await vault.cancel(need.prompt, caller: caller())
    try await untilThrownAway("eve", asked + 1)
    // No call reports this, but the audit log does.
    var last: String?
    while last?.contains("not kept") != true {
      await Task.yield()
      last = try await vault.auditPage(after: 0, since: nil, account: "me").last?.detail
    }
    #expect(last == "the login was not kept: the refresh token that came with it was revoked")
    #expect(try await isAnns(vault, before))
    // The prompt is used up, and so is its purpose.
    bench.exchange.plan(login("ann"))
    try await signIn(vault, "ann", need.prompt)
    #expect(try await vault.row().subject == "id-ann")
  }

  @Test
  func aCallerThatCannotAskReplacesNoOther() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    bench.exchange.plan(login("eve"), .answer(status: 200, body: ""))
    let need = try await need {
      try await signIn(vault, "eve", caller: caller(asking: .never))
    }
    #expect(need.prompt.isEmpty && need.purpose == .replace)
    try await untilThrownAway("eve", asked + 2)
    #expect(try await isAnns(vault, before))
  }

  @Test
  func theEndOfAConnectionThrowsItsLoginAway() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    bench.exchange.plan(login("eve"))
    _ = try await need { try await signIn(vault, "eve") }
    bench.exchange.plan(.answer(status: 200, body: ""))
    await vault.disconnect(caller().connection)
    try await untilThrownAway("eve", asked + 2)
    #expect(try await isAnns(vault, before))
  }

  @Test
  func anotherConnectionCannotUseThePrompt() async throws {
    let vault = try await anns()
    bench.exchange.plan(login("eve"))
    let need = try await need { try await signIn(vault, "eve") }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(login("eve"))
    _ = try await TokenVaultTests.need {
      try await signIn(vault, "eve", need.prompt, caller: caller(2))
    }
    #expect(try await vault.row().subject == "id-ann")
  }

  /// The check was for Ann's account as it was.
  @Test
  func aChangedAccountIsNotReplaced() async throws {
    let vault = try await anns()
    bench.exchange.plan(login("eve"))
    let need = try await need { try await signIn(vault, "eve") }
    try await bench.pass(need, vault, caller())
    let rename = try await TokenVaultTests.need {
      _ = try await vault.rename(account: "me", to: "work", caller: caller(2))
    }
    try await bench.pass(rename, vault, caller(2))
    _ = try await vault.rename(
      account: "me",
      to: "work",
      prompt: rename.prompt,
      caller: caller(2)
    )
    bench.exchange.plan(.answer(status: 200, body: ""))
    let refusal = await failure { try await signIn(vault, "eve", need.prompt) }
    // The call reports what happened to the discarded sign-in.
    guard case .presenceFailed(let denied, _)? = refusal, denied.outcome == .denied else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(
      denied.detail.hasSuffix("the refresh token that came with it was revoked"),
      "\(denied)"
    )
    #expect(try await vault.row("work").subject == "id-ann")
  }

  /// Two sign-ins of other people at once: one check accepts only one of them.
  @Test
  func twoLoginsAtOnceNeedACheckEach() async throws {
    let vault = try await anns()
    bench.exchange.plan(login("eve"))
    let eve = try await need { try await signIn(vault, "eve") }
    bench.exchange.plan(login("mal"))
    let mal = try await need { try await signIn(vault, "mal", caller: caller(2)) }
    try await bench.pass(eve, vault, caller())
    try await signIn(vault, "eve", eve.prompt)
    try await bench.pass(mal, vault, caller(2))
    #expect(await failure { try await signIn(vault, "mal", mal.prompt, caller: caller(2)) } != nil)
    #expect(try await vault.row().subject == "id-eve")
  }

  // MARK: - The same person

  @Test(arguments: [true, false])
  func theSamePersonNeedsNoCheckAndStaysProtected(_ signedOut: Bool) async throws {
    let vault = try await anns(signedOut: signedOut)
    bench.exchange.plan(login("ann"))
    let facts = try await signIn(vault, "ann")
    #expect(facts.isProtected && facts.subject == "id-ann")
    // The provider's own name for the person decides, whatever address was typed.
    bench.exchange.plan(login("ann.other", id: "id-ann"))
    #expect(try await signIn(vault, "ann.other").isProtected)
  }

  /// Without the provider's own name, the address that was typed with the password decides.
  @Test
  func aBackendThatTellsNoNamesIsComparedByWhatWasTyped() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(login("ann", id: ""))
    try await signIn(vault, "ann")
    try await bench.protect(vault)
    bench.exchange.plan(login("ann", id: ""))
    #expect(try await signIn(vault, "ann").isProtected)
    // The provider's facts about the person can be claimed by any person.
    bench.exchange.plan(login("ann", id: ""))
    let need = try await need { try await signIn(vault, "eve") }
    #expect(need.purpose == .replace)
  }

  @Test
  func anAccountThatWasNeverProtectedNeedsNoCheck() async throws {
    let vault = try await bench.open()
    // The replaced login is ended at its provider.
    let ended = ScriptedExchange.Step.answer(status: 200, body: "")
    bench.exchange.plan(login("ann"), login("eve"), ended, login("ann"), ended)
    try await signIn(vault, "ann")
    #expect(try await signIn(vault, "eve").email == "eve@example.org")
    #expect(try await signIn(vault, "ann", at: try elsewhere()).provider == "evil")
  }

  /// The first sign-in of an account replaces no person, even if the account was protected in the
  /// meantime.
  @Test
  func protectionThatIsTurnedOnDuringTheFirstLoginStays() async throws {
    let vault = try await bench.open()
    bench.exchange.hold()
    let first = Task { try await signIn(vault, "ann") }
    await bench.exchange.untilRequested(1)
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller(2))
    }
    try await bench.pass(need, vault, caller(2))
    let on = Task {
      try await vault.setProtection(true, account: "me", prompt: need.prompt, caller: caller(2))
    }
    bench.exchange.plan(login("ann"))
    _ = try await first.value
    #expect(try await on.value.isProtected)
    #expect(try await vault.row().subject == "id-ann")
  }
}
