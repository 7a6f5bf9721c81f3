import Configuration
import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Callers behind a restricted socket, which get tokens under a rule.
struct CallerRuleTests {
  let title = "restricted socket \"build\""
  let bench: Bench
  let vault: Vault

  init() async throws {
    bench = try Bench()
    vault = try await bench.open()
    try await bench.signIn(vault)
  }

  func behind(
    _ connection: UInt64 = 1,
    scope: String? = nil,
    accounts: String...
  ) throws -> Caller {
    let rule = try CallerRule(
      socket: "build",
      accounts: accounts.isEmpty ? ["me"] : accounts,
      scope: scope
    )
    return caller(connection).restricted(by: rule)
  }

  private func expectFailedCheck(
    _ failure: VaultFailure?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if case .presenceFailed? = failure { return }
    Issue.record("\(String(describing: failure))", sourceLocation: sourceLocation)
  }

  /// A token after a check of its own.
  private func checkedToken(_ caller: Caller, reason: String? = nil) async throws -> AccessGrant {
    func token(_ prompt: String?) async throws(VaultFailure) -> AccessGrant {
      try await vault.accessToken(
        account: nil,
        minimumLifetime: nil,
        rejected: nil,
        prompt: prompt,
        reason: reason,
        caller: caller
      )
    }
    let need = try await need { _ = try await token(nil) }
    #expect(need.isForAgents)
    #expect(need.requester == title)
    #expect(need.statedReason == reason)
    try await bench.pass(need, vault, caller)
    let grant = try await token(need.prompt)
    // The proof is spent.
    await #expect(throws: VaultFailure.self) { _ = try await token(need.prompt) }
    return grant
  }

  @Test(arguments: [false, true])
  func eachTokenNeedsACheckOfItsOwn(isProtected: Bool) async throws {
    if isProtected { try await bench.protect(vault) }
    for _ in 0..<2 {
      #expect(try await checkedToken(try behind(), reason: "a test").accessToken == "at-1")
    }
    let last = try #require(
      try await vault.auditPage(after: 0, since: nil, account: nil).last {
        $0.event == "access-token"
      }
    )
    #expect(last.requester == title)
    #expect(last.detail == "stated reason \"a test\"")
    // A token that is refreshed needs one check too.
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    #expect(try await checkedToken(try behind()).accessToken == "at-2")
    // Other callers of the user are not affected.
    #expect(try await vault.token(caller: caller(2)).accessToken == "at-2")
  }

  @Test
  func aCheckThatWasNotPassedBringsNoToken() async throws {
    let caller = try behind()
    let need = try await need { _ = try await vault.token(caller: caller) }
    let failure = await failure { _ = try await vault.token(prompt: need.prompt, caller: caller) }
    expectFailedCheck(failure)
  }

  @Test
  func anotherCallersCheckAndTheWindowDoNotCount() async throws {
    try await bench.protect(vault)
    try await bench.unlock(vault)
    let first = try behind()
    let second = try behind(2)
    let need = try await need { _ = try await vault.token(caller: first) }
    let other = try await TokenVaultTests.need { _ = try await vault.token(caller: second) }
    try await bench.pass(need, vault, first)
    _ = try await vault.token(prompt: need.prompt, caller: first)
    let failure = await failure { _ = try await vault.token(prompt: other.prompt, caller: second) }
    expectFailedCheck(failure)
  }

  @Test
  func oneTouchIsForOneOfTwoRequestsOfAConnection() async throws {
    try await bench.protect(vault)
    let caller = try behind()
    let first = try await need { _ = try await vault.token(caller: caller) }
    let second = try await need { _ = try await vault.token(caller: caller) }
    try await bench.pass(first, vault, caller)
    _ = try await vault.token(prompt: first.prompt, caller: caller)
    // It asks for more than is stored.
    let failure = await failure {
      _ = try await vault.token(minimum: 7200, prompt: second.prompt, caller: caller)
    }
    expectFailedCheck(failure)
  }

  private func token(
    under change: (inout CallerRule) -> Void,
    audience: String? = nil,
    minimum: Int64? = nil,
    reason: String? = nil
  ) async throws(VaultFailure) -> AccessGrant {
    var rule = CallerRule(title: "rule \"ci\"")
    change(&rule)
    return try await vault.accessToken(
      account: "me",
      minimumLifetime: minimum,
      rejected: nil,
      audience: audience,
      prompt: nil,
      reason: reason,
      caller: caller().ruled(by: rule)
    )
  }

  @Test
  func limitsOfARuleAreKept() async throws {
    let refusal = { (what: String) in VaultFailure.outsideRule("rule \"ci\"", what) }
    #expect(try await token { _ in }.accessToken == "at-1")
    let audience = await failure {
      _ = try await token(under: { $0.audiences = ["https://a"] }, audience: "https://b")
    }
    #expect(audience == refusal("another audience than https://a"))
    let noAudience = await failure {
      _ = try await token { $0.audiences = ["https://a", "https://b"] }
    }
    #expect(noAudience == refusal("another audience than https://a https://b"))
    #expect(
      await failure { _ = try await token { $0.needsReason = true } }
        == refusal("a call that states no reason (--reason)")
    )
    #expect(
      try await token(under: { $0.needsReason = true }, reason: "a test").accessToken == "at-1"
    )
    // The token lives for an hour.
    #expect(try await token { $0.longestLifetime = 3600 }.accessToken == "at-1")
    let long = refusal("a token that lives longer than 59 min")
    #expect(await failure { _ = try await token { $0.longestLifetime = 3540 } } == long)
    let wish = await failure {
      _ = try await token(under: { $0.longestLifetime = 3540 }, minimum: 3541)
    }
    #expect(wish == long)
  }

  @Test
  func aBroaderTokenThanTheRuleAllowsIsRefused() async throws {
    var rule = CallerRule(title: title)
    rule.scopes = ["read"]
    let grants = [("read", true), ("read admin", false)].map { scope, isAllowed in
      let grant = AccessGrant(
        account: "me",
        accessToken: "at-1",
        tokenType: "Bearer",
        expiresAt: nil,
        isShorterThanRequested: false,
        scope: scope
      )
      return (grant, isAllowed)
    }
    for (grant, isAllowed) in grants {
      let failure = await failure { try await vault.demand(grant, within: rule) }
      #expect((failure == nil) == isAllowed)
    }
  }

  @Test
  func theRateOfARuleIsKept() async throws {
    for _ in 0..<3 { _ = try await token { $0.rates = [.init(rule: "ci", number: 3)] } }
    let refusal = VaultFailure.outsideRule("rule \"ci\"", "more than 3 tokens an hour")
    #expect(
      await failure { _ = try await token { $0.rates = [.init(rule: "ci", number: 3)] } } == refusal
    )
    bench.clock.advance(1200)
    _ = try await token { $0.rates = [.init(rule: "ci", number: 3)] }
    #expect(
      await failure { _ = try await token { $0.rates = [.init(rule: "ci", number: 3)] } } == refusal
    )
    // Closing the vault would reset its count of tokens.
    #expect(await !vault.isIdle)
    bench.clock.advance(3600)
    #expect(await vault.isIdle)
  }

  @Test
  func theRecordNamesTheRule() async throws {
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    _ = try await token(under: { _ in }, reason: "nightly")
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    let detail = records.last { $0.event == "refresh" && $0.outcome == "begun" }?.detail
    #expect(detail == "stated reason \"nightly\", rule \"ci\"")
  }

  /// Such a program would see the prompts of others.
  @Test
  func anAgentUnderARuleOfTheUserShowsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open(rules: Administrator(), agents: ScriptedAgents())
    var marks = CallerMarks()
    marks.isSandboxed = true
    #expect(try await vault.mayShow(caller(9)))
    try await bench.setRule(vault, "caller.boxes.sandbox", "yes")
    var agent = caller(9)
    #expect(try await !vault.mayShow(agent))
    agent.marks = CallerMarks()
    #expect(try await vault.mayShow(agent))
    agent.marks = marks
    #expect(try await !vault.mayShow(agent))
  }

  @Test(arguments: ["", "Build", "a b", "a/b"])
  func aNameIsThatOfAnAccount(_ name: String) {
    #expect(throws: ConfigurationError.self) {
      _ = try CallerRule(socket: name, accounts: ["me"], scope: nil)
    }
    #expect(throws: ConfigurationError.self) {
      _ = try CallerRule(socket: "build", accounts: [name], scope: nil)
    }
  }

  @Test
  func aRestrictionNamesAccountsAndScopes() {
    #expect(throws: ConfigurationError.self) {
      _ = try CallerRule(socket: "build", accounts: [], scope: nil)
    }
    for scope in ["", " ", "a\"b"] {
      #expect(throws: ConfigurationError.self) {
        _ = try CallerRule(socket: "build", accounts: ["me"], scope: scope)
      }
    }
  }
}
