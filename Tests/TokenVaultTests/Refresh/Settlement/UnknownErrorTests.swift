import Configuration
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A provider that refuses a refresh with an error that the vault does not know.
@Suite(.timeLimit(.minutes(10)))
struct UnknownErrorTests {
  private static let refusal = ScriptedExchange.Step.answer(
    status: 400,
    body: #"{"error":"token_dead"}"#
  )
  private static let wordless = ScriptedExchange.Step.answer(
    status: 403,
    body: #"{"message":"The session is closed"}"#
  )
  private static let ofClient = ScriptedExchange.Step.answer(
    status: 401,
    body: #"{"error":"invalid_client"}"#
  )
  private static let dead = ScriptedExchange.Step.answer(
    status: 400,
    body: #"{"error":"invalid_grant"}"#
  )

  /// An account whose refresh is due.
  private func due(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: settings)
    bench.clock.advance(3600)
    return vault
  }

  /// An account whose first refresh was refused.
  private func refused(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await due(bench, settings: settings)
    bench.exchange.plan(Self.refusal)
    await isTold(vault)
    return vault
  }

  private func isTold(_ vault: Vault) async {
    guard case .misconfigured? = await failure({ _ = try await vault.token() }) else {
      Issue.record("not told")
      return
    }
  }

  /// The pause of a call that is too early; `nil` if it got another answer.
  private func pause(_ vault: Vault, rejected: String? = nil) async -> Int64? {
    guard
      case .unavailable(.uncertain, _, let wait, _)? = await failure({
        _ = try await vault.token(rejected: rejected)
      })
    else { return nil }
    return wait
  }

  @Test(arguments: [refusal, wordless])
  func thePauseGrowsAndEachPauseEndsWithOneTry(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await due(bench)
    let lengths: [Int64] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
    for (number, length) in lengths.enumerated() {
      bench.exchange.plan(step)
      await isTold(vault)
      bench.clock.advance(length - 1)
      for _ in 0..<3 { #expect(await pause(vault) == 1) }
      #expect(bench.exchange.refreshes.count == number + 1)
      bench.clock.advance(1)
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(Set(bench.exchange.refreshes) == [#"{"refresh_token":"rt-1"}"#])
    #expect(try await vault.stateOfMe().cause == nil)
    #expect(try await vault.intent() == nil)
  }

  @Test
  func theRefusalIsShownWithTheProvidersErrorAndItsRemedy() async throws {
    let bench = try Bench()
    let vault = try await refused(bench)
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .uncertain)
    #expect(facts.cause?.hasSuffix("(HTTP 400, token_dead)") == true, "\(facts.cause ?? "-")")
    let finding = try #require(await vault.examine().first { $0.name == "accounts" })
    #expect(finding.message.contains("token_dead"), "\(finding.message)")
    let remedy = try #require(finding.remedy)
    #expect(remedy.contains("invalid_grant_value") && remedy.contains("thumblatch login me"))
    // The audit log never has the words of a provider.
    let records = try await vault.auditPage(after: 0, since: nil, account: "me")
    #expect(records.allSatisfy { $0.detail?.contains("token_dead") != true })
  }

  @Test
  func aRestartOfTheEngineDoesNotEndThePause() async throws {
    let bench = try Bench()
    do { _ = try await refused(bench) }
    let next = try await bench.open()
    #expect(await pause(next) == 2)
    #expect(try await next.stateOfMe().cause?.contains("token_dead") == true)
    #expect(bench.exchange.refreshes.count == 1)
  }

  /// An edited note must not bring control characters to a terminal.
  @Test(arguments: ["\u{1B}[2J", "a b", String(repeating: "a", count: 41)])
  func anErrorInTheStoreThatCannotBeOneIsNotShown(_ code: String) async throws {
    let bench = try Bench()
    let vault = try await refused(bench)
    try await vault.editNote(code)
    #expect(try await vault.stateOfMe().cause?.hasSuffix("(HTTP 400)") == true)
  }

  @Test
  func aRefusedAccessTokenEndsThePauseOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3000)
    bench.exchange.plan(Self.refusal)
    // The access token is still valid, but not for that long.
    _ = await failure { _ = try await vault.token(minimum: 1000) }
    #expect(await failure { _ = try await vault.token() } == nil)
    bench.exchange.plan(Self.refusal)
    guard
      case .misconfigured? = await failure({ _ = try await vault.token(rejected: "at-1") })
    else {
      Issue.record("not tried")
      return
    }
    #expect(bench.exchange.refreshes.count == 2)
    // Only a stored token counts, and the pause has grown.
    for _ in 0..<3 { #expect(await pause(vault, rejected: "at-1") == 4) }
    #expect(bench.exchange.refreshes.count == 2)
  }

  @Test
  func aNewLoginEndsThePause() async throws {
    let bench = try Bench()
    let vault = try await refused(bench)
    try await bench.signIn(vault, refresh: "rt-2", access: "at-2")
    #expect(try await vault.stateOfMe().cause == nil)
    #expect(try await vault.stateOfMe().state == .ready)
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.last == #"{"refresh_token":"rt-2"}"#)
  }

  @Test
  func aLoginThatFailsLeavesThePause() async throws {
    let bench = try Bench()
    let vault = try await refused(bench)
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    let refusal = await failure {
      _ = try await vault.signIn(
        account: "me",
        provider: try provider(),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    guard case .providerRefused? = refusal else {
      Issue.record("signed in")
      return
    }
    #expect(await pause(vault) == 2)
  }

  @Test
  func aChangedProviderEndsThePauseAndKnowsTheError() async throws {
    let bench = try Bench()
    let vault = try await refused(bench)
    try await bench.enroll(vault)
    let settings = ["invalid_grant_value": "token_dead"]
    func apply(_ prompt: String?) async throws -> AccountFacts {
      try await vault.applyProvider(
        try provider(settings, name: "dev"),
        account: "me",
        prompt: prompt,
        caller: caller()
      )
    }
    let need = try await need { _ = try await apply(nil) }
    try await bench.pass(need, vault, caller())
    #expect(try await apply(need.prompt).cause == nil)
    #expect(try await vault.intent() == nil)
    bench.exchange.plan(Self.refusal)
    guard case .loginRequired(_, let cause)? = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login was required")
      return
    }
    #expect(cause == Vault.endedCause)
  }

  /// A lost answer would make the next refusal an ambiguous one.
  @Test(arguments: [
    [refusal], [refusal, refusal], [refusal, .nothingSent], [refusal, ofClient],
    [refusal, .answer(status: 429, body: "{}"), refusal],
  ])
  func aDeadTokenIsNoLostAnswerAfterRefusals(_ steps: [ScriptedExchange.Step]) async throws {
    let bench = try Bench()
    let vault = try await due(bench)
    for step in steps + [Self.dead] {
      bench.exchange.plan(step)
      _ = await failure { _ = try await vault.token() }
      bench.clock.advance(600)
    }
    #expect(try await vault.row().cause == Vault.endedCause)
  }

  @Test(arguments: [[.died, refusal], [refusal, .died], [refusal, .died, refusal]])
  func aLostAnswerStaysInDoubt(_ steps: [ScriptedExchange.Step]) async throws {
    let bench = try Bench()
    let vault = try await due(bench)
    for step in steps {
      bench.exchange.plan(step)
      _ = await failure { _ = try await vault.token() }
      bench.clock.advance(600)
    }
    // The old provider may have a newer token.
    guard
      case .providerUnavailable? = await failure({
        _ = try await vault.applyProvider(
          try provider(["invalid_grant_value": "token_dead"], name: "dev"),
          account: "me",
          prompt: nil,
          caller: caller()
        )
      })
    else {
      Issue.record("applied")
      return
    }
    bench.exchange.plan(Self.dead)
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.row().cause == "answer lost")
  }

  /// The refusal is not a first use, so no access token is at risk.
  @Test
  func whereReuseRevokesTheTryDoesNotWaitForTheAccessTokens() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: ["refresh_reuse": "revokes"])
    bench.clock.advance(3000)
    bench.exchange.plan(Self.refusal)
    _ = await failure { _ = try await vault.token(minimum: 1000) }
    bench.clock.advance(2)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 8000))
    #expect(try await vault.token(minimum: 1000).accessToken == "at-2")
  }

  @Test
  func theTokenIsReleasedDuringThePause() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(7200)
    bench.exchange.plan(Self.refusal)
    await isTold(vault)
    let need = try await need {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    let prompt = need.prompt
    #expect(
      try await vault.release(account: "me", keep: false, prompt: prompt, caller: caller())
        .signedOut
    )
    #expect(try await vault.stateOfMe().state == .signedOut)
  }
}

extension Vault {
  /// Replaces the error in the note about the last answer.
  fileprivate func editNote(_ code: String) throws {
    let intent = try #require(try intent())
    let key = "refused:" + Hexadecimal.text(intent.account)
    let note = try #require(try store.meta(key)).prefix(intent.intent.count + 3)
    try store.setMeta(key, to: note + Array(code.utf8))
  }
}
