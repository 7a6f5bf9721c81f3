import Configuration
import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Prompts of callers without a terminal, which an agent shows at the person's desktop.
@Suite(.timeLimit(.minutes(10)))
struct AskAtDesktopTests {
  /// A protected account and a finger.
  ///
  /// Connections 1, 2 and 9 are at the desk, 4 comes over the network, 5 is a system unit, and 6 is
  /// unknown to logind. 9 is the agent.
  let bench: Bench
  let vault: Vault
  let locations = ScriptedPlaces()
  let agents = ScriptedAgents()
  let administrator = Administrator()

  init() async throws {
    bench = try Bench()
    locations.seat(1, 2, 8, 9, 77, at: "session 1")
    locations.seat(4, at: "session 3", objection: "remote session")
    locations.seat(5, at: "unit backup.service", objection: "no session", hasSession: false)
    agents.set(9)
    vault = try await bench.open(rules: administrator, locations: locations, agents: agents)
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
  }

  func prompt(_ connection: UInt64 = 1) async throws -> String {
    try await need {
      _ = try await vault.token(caller: caller(connection, asking: .unsaid))
    }.prompt
  }

  func objection(_ connection: UInt64) async throws -> String? {
    let prompt = try await prompt(connection)
    let failure = await failure { try await vault.askAtDesktop(prompt, caller: caller(connection)) }
    await vault.cancel(prompt, caller: caller(connection))
    guard case .noDesktop(let why)? = failure else { return "\(String(describing: failure))" }
    return why.text
  }

  /// Has the prompt of a caller passed by a finger at the agent's desk.
  func passes(_ connection: UInt64, _ agent: UInt64 = 9) async throws -> PresenceNeed {
    let count = agents.given.count
    let prompt = try await prompt(connection)
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller(connection))
    let need = await agents.prompt(count + 1)
    bench.check.plan([.ready, .matched])
    #expect(
      try await vault.check(need.prompt, by: .fingerprint, caller: caller(agent)) { _ in }
        == .passed
    )
    try await asked
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 1))
    let grant = try await vault.token(prompt: prompt, caller: caller(connection))
    #expect(grant.accessToken == "at-2")
    return need
  }

  @Test
  func theCallerSpendsWhatIsPassedAtTheDesk() async throws {
    let need = try await passes(1)
    #expect(need.methods == [.fingerprint, .password] && need.account == "me")
    #expect(need.requester == "bash, PID 1")
    #expect(agents.ended.isEmpty)
    // The log names the program that asks, not the agent.
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(records.last { $0.method == "fingerprint" }?.requester == "bash, PID 1")
  }

  @Test
  func theRuleSaysWhosePromptIsShown() async throws {
    #expect(try await objection(4) == "no prompt is shown for your session: remote session")
    #expect(try await objection(6) == "logind does not answer")
    #expect(try await objection(5) == "the caller belongs to no session: desktop = session")
    administrator.write("[Policy]\ndesktop = user\n")
    // A finger counts at the desk, although none does in a system unit.
    let need = try await passes(5)
    #expect(need.methods == [.fingerprint, .password])
    #expect(need.requester == "bash, PID 5, not of your session")
    #expect(try await objection(4) == "no prompt is shown for your session: remote session")
    administrator.write("[Policy]\ndesktop = off\n")
    #expect(try await objection(1)?.hasPrefix("desktop = off") == true)
    #expect(agents.given.count == 1)
  }

  @Test
  func withoutAnAgentLogindIsNotAsked() async throws {
    agents.forget()
    let prompt = try await prompt()
    let count = locations.asked
    #expect(
      await failure { try await vault.askAtDesktop(prompt, caller: caller()) }
        == .noDesktop(.noAgent)
    )
    #expect(locations.asked == count)
  }

  @Test
  func aRuleForTheUnitOfACallerDecides() async throws {
    var job = CallerRule(title: "rule \"job\"")
    job.desktop = .user
    func objection() async throws -> String? {
      let prompt = try await prompt(5)
      defer { agents.set() }
      agents.set()
      let asking = caller(5).ruled(by: job)
      let failure = await failure { try await vault.askAtDesktop(prompt, caller: asking) }
      await vault.cancel(prompt, caller: caller(5))
      guard case .noDesktop(let why)? = failure else { return "\(String(describing: failure))" }
      return why.text
    }
    #expect(try await objection() == "the caller belongs to no session: desktop = session")
    job.loosensDesktop = true
    #expect(try await objection() == "no agent runs in your session (thumblatch agent)")
    job.desktop = .off
    #expect(try await objection() == "desktop = off (rule \"job\")")
  }

  @Test
  func aDeskThatIsLockedOrLeftShowsNothing() async throws {
    locations.seat(9, at: "session 1", objection: "its screen is locked")
    #expect(
      try await objection(1) == "no prompt is shown in your session: its screen is locked"
    )
    agents.set()
    #expect(try await objection(1) == "no agent runs in your session (thumblatch agent)")
    // The screen is locked while the prompt is shown: the reader is no longer armed.
    agents.set(9)
    locations.seat(9, at: "session 1")
    let prompt = try await prompt()
    async let asked = failure { try await vault.askAtDesktop(prompt, caller: caller()) }
    _ = await agents.prompt()
    locations.seat(9, at: "session 2")
    let late = await failure {
      _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    }
    guard case .presenceFailed? = late else {
      Issue.record("\(String(describing: late))")
      return
    }
    guard case .presenceFailed? = await asked else {
      Issue.record("the caller still waits")
      return
    }
  }

  @Test
  func onlyTheAgentThatShowsAPromptRunsItsCheck() async throws {
    let prompt = try await prompt()
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller())
    _ = await agents.prompt()
    let own = await failure {
      _ = try await vault.check(prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    #expect(own == .busy("the prompt is shown at the desktop"))
    for stranger: UInt64 in [2, 8] {
      let failure = await failure {
        _ = try await vault.check(prompt, by: .fingerprint, caller: caller(stranger)) { _ in }
      }
      #expect(failure == .presenceFailed(.denied("no such prompt on this connection"), methods: []))
      await vault.cancel(prompt, caller: caller(stranger))
    }
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await asked
    // The agent spends no proof.
    let spent = await failure {
      _ = try await vault.token(prompt: prompt, caller: caller(9))
    }
    guard case .presenceFailed? = spent else {
      Issue.record("\(String(describing: spent))")
      return
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 1))
    _ = try await vault.token(prompt: prompt, caller: caller())
  }

  @Test
  func anAgentThatShowsNothingIsPassedOver() async throws {
    agents.set(8, 9)
    let prompt = try await prompt()
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller())
    _ = await agents.prompt()
    #expect(agents.given.map(\.agent) == [8])
    // It has left.
    await vault.disconnect(8)
    _ = await agents.prompt(2)
    #expect(agents.given.map(\.agent) == [8, 9])
    let late = await failure {
      _ = try await vault.check(prompt, by: .fingerprint, caller: caller(8)) { _ in }
    }
    #expect(late == .presenceFailed(.denied("no such prompt on this connection"), methods: []))
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await asked
  }

  /// An agent that does nothing has the prompt for two seconds, and one that begins the check keeps
  /// it.
  @Test
  func anAgentHasTwoSecondsToShowAPrompt() async throws {
    agents.set(8, 9)
    let prompt = try await prompt()
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller())
    _ = await agents.prompt()
    await bench.clock.untilAsleep(milliseconds: 2000)
    bench.clock.advance(1, milliseconds: 999)
    // A vault that stops early has time for it.
    for _ in 0..<1000 { await Task.yield() }
    #expect(agents.given.map(\.agent) == [8])
    bench.clock.advance(0, milliseconds: 1)
    _ = await agents.prompt(2)
    #expect(agents.given.map(\.agent) == [8, 9])
    let begun = bench.check.conversations.count
    async let check = vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    await bench.clock.untilAsleep(milliseconds: 2000)
    bench.clock.advance(2)
    reader.tell(.matched)
    #expect(try await check == .passed)
    try await asked
    #expect(agents.given.count == 2)
  }

  @Test
  func denyingAtTheDeskFailsTheCall() async throws {
    let prompt = try await prompt()
    async let asked = failure { try await vault.askAtDesktop(prompt, caller: caller()) }
    _ = await agents.prompt()
    let wrong = PresenceFailure(.noMatch, detail: "3 failed logins")
    bench.check.plan([.ready, .failed(wrong)])
    let shown = await failure {
      _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    }
    #expect(shown == .presenceFailed(wrong, methods: [.fingerprint, .password]))
    await vault.cancel(prompt, caller: caller(9))
    // The last check says more than the end of the prompt. What a module of PAM says is for the
    // person.
    #expect(await asked == .presenceFailed(.noMatch, methods: []))
  }

  @Test
  func theEndOfTheCallerEndsTheShowing() async throws {
    let prompt = try await prompt()
    async let asked = failure { try await vault.askAtDesktop(prompt, caller: caller()) }
    _ = await agents.prompt()
    await vault.disconnect(1)
    #expect(await asked == .presenceFailed(.cancelled, methods: []))
    #expect(agents.ended == [9])
    // The next prompt has its turn.
    _ = try await passes(2)
  }
}
