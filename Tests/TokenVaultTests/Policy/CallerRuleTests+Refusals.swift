import Configuration
import Storage
import Testing

@testable import TokenVault

// Calls that exceed a rule, and the messages of their refusals.
extension CallerRuleTests {
  /// Nothing is looked up for the refusal, so that its time does not tell whether the account
  /// exists.
  @Test(arguments: [false, true])
  func aRefusalUnderARuleReadsNoAccount(behindSocket: Bool) async throws {
    try await bench.signIn(vault, "other")
    let ruled = try behind()
    let caller =
      behindSocket ? ruled : try caller().ruled(by: #require(ruled.rule))
    _ = try await vault.inspect { try $0.database.run("ALTER TABLE accounts RENAME TO gone") }
    for name in ["other", "nobody"] {
      let refusal = VaultFailure.outsideRule(title, "this account")
      #expect(await failure { _ = try await vault.token(name, caller: caller) } == refusal)
      #expect(
        await failure { _ = try await vault.requestTerms(account: name, caller: caller) } == refusal
      )
      #expect(
        await failure { _ = try await vault.accountFacts(named: name, under: caller.rule) }
          == refusal
      )
    }
    let failure = await failure { _ = try await vault.token("me", caller: caller) }
    guard case .vaultUnsafe? = failure else {
      Issue.record("the store is still readable: \(String(describing: failure))")
      return
    }
  }

  @Test
  func whatIsOutsideTheRuleIsRefusedAlikeAndCounted() async throws {
    try await bench.signIn(vault, "other")
    let caller = try behind(scope: "read write", accounts: "me", "you")
    for name in ["other", "nobody"] {
      let failure = await failure { _ = try await vault.token(name, caller: caller) }
      #expect(failure == .outsideRule(title, "this account"))
      await vault.note(try #require(failure), by: caller)
    }
    #expect(
      await failure { _ = try await vault.token(nil, caller: caller) }
        == .invalidArgument("name one of the accounts of the restricted socket \"build\": me, you")
    )
    #expect(
      await failure { _ = try await vault.token(scope: "read admin", caller: caller) }
        == .outsideRule(title, "another scope than read write")
    )
    for scope in ["", " "] {
      #expect(
        await failure { _ = try await vault.token(scope: scope, caller: caller) }
          == .outsideRule(title, "another scope than read write")
      )
    }
    let consent = await failure {
      _ = try await vault.token(scope: "read", consent: .untilNextLogin, caller: caller)
    }
    #expect(consent == .outsideRule(title, "a consent to a narrowed login"))
    #expect(
      await failure { _ = try await vault.requestTerms(account: "other", caller: caller) }
        == .outsideRule(title, "this account")
    )
    let rule = caller.rule
    #expect(try await vault.accountFacts(named: nil, under: rule).map(\.name) == ["me"])
    try await vault.flushCounts()
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "refusal" && last.detail == "2 × outside the restricted socket \"build\"")
    #expect(last.requester == title)
  }

  /// A call that brings no token does not count.
  @Test
  func aTokenThatIsNotHandedOutDoesNotCountForTheRate() async throws {
    try await bench.protect(vault)
    bench.clock.advance(3600)
    var rule = CallerRule(title: "rule \"ci\"")
    rule.rates = [.init(rule: "ci", number: 1)]
    let caller = caller().ruled(by: rule)
    let need = try await need { _ = try await vault.token(caller: caller) }
    try await bench.pass(need, vault, caller)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    #expect(try await vault.token(prompt: need.prompt, caller: caller).accessToken == "at-2")
    #expect(
      await failure { _ = try await vault.token(caller: caller) }
        == .outsideRule("rule \"ci\"", "more than 1 token an hour")
    )
  }

  /// A person that gives a reason finds it in the log.
  ///
  /// A tool would fill the log.
  @Test(arguments: [nil, Tool(process: 4711, started: 1)])
  func theReasonForAStoredTokenIsRecordedWithoutARule(of tool: Tool?) async throws {
    let grant = try await vault.accessToken(
      account: "me",
      minimumLifetime: nil,
      rejected: nil,
      prompt: nil,
      reason: "deploy",
      tool: tool,
      caller: caller()
    )
    #expect(grant.accessToken == "at-1")
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    let detail = records.last { $0.event == "access-token" }?.detail
    #expect(detail == (tool == nil ? "stated reason \"deploy\"" : nil))
  }

  @Test
  func theReasonForAStoredTokenIsRecordedIfTheRuleWantsOne() async throws {
    var rule = CallerRule(title: "rule \"ci\"")
    rule.needsReason = true
    let grant = try await vault.accessToken(
      account: "me",
      minimumLifetime: nil,
      rejected: nil,
      prompt: nil,
      reason: "nightly",
      caller: caller().ruled(by: rule)
    )
    #expect(grant.accessToken == "at-1")
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    let detail = records.last { $0.event == "access-token" }?.detail
    #expect(detail?.contains("stated reason \"nightly\"") == true)
  }
}
