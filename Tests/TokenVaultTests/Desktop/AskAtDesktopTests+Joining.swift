import Presence
import PresenceTerms
import Testing

@testable import TokenVault

// Prompts at the desktop together with other prompts, and their limits.
extension AskAtDesktopTests {
  @Test
  func anAgentOfAnotherSessionShowsNothing() async throws {
    locations.seat(8, at: "session 2")
    agents.set(8)
    #expect(try await objection(1) == "the agent belongs to another session")
    agents.set(8, 9)
    #expect(try await passes(1).methods == [.fingerprint, .password])
    #expect(agents.given.map(\.agent) == [9])
  }

  /// The person types the system password at a terminal only.
  @Test(arguments: PresencePurpose.allCases.filter { !$0.allowsDevices })
  func whatNeedsThePasswordIsAskedAtNoDesk(_ purpose: PresencePurpose) async throws {
    let need = try await need {
      throw try await vault.askForPresence(
        caller().question(purpose, detail: "a test"),
        account: nil,
        caller: caller(1, asking: .unsaid)
      )
    }
    #expect(
      await failure { try await vault.askAtDesktop(need.prompt, caller: caller()) }
        == .noDesktop(
          DesktopObjection("only the system password counts here: use a terminal", .passwordOnly)
        )
    )
    #expect(agents.given.isEmpty)
  }

  /// A program outside the session has its prompt shown at the desk, and its window at its own
  /// place.
  @Test(arguments: [false, true])
  func aWindowIsTheCallersWhereverItsPromptIsShown(enables: Bool) async throws {
    administrator.write("[Policy]\ndesktop = user\n")
    try await bench.signIn(vault, "other")
    @Sendable
    func act(_ prompt: String?) async throws {
      if enables {
        _ = try await vault.setProtection(true, account: "other", prompt: prompt, caller: caller(5))
      } else {
        _ = try await vault.unlock([], seconds: nil, prompt: prompt, caller: caller(5))
      }
    }
    let prompt = try await need { try await act(nil) }.prompt
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller(5))
    let need = await agents.prompt(1)
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await asked
    try await act(prompt)
    #expect(try await vault.facts(for: caller(5)).unlockedFor != nil)
    #expect(try await vault.facts(for: caller(1)).unlockedFor == nil)
  }

  /// A touch for the same request at a terminal answers the prompt at the desk, in each order.
  @Test(arguments: [true, false])
  func aTouchAtATerminalAnswersThePromptAtTheDesk(isArmedBefore: Bool) async throws {
    let prompt = try await prompt(1)
    let terminal = try await need { _ = try await vault.token(caller: caller(2)) }.prompt
    async let asked: Void = vault.askAtDesktop(prompt, caller: caller())
    _ = await agents.prompt()
    let begun = bench.check.conversations.count
    async let touch = vault.check(terminal, by: .fingerprint, caller: caller(2)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    if isArmedBefore {
      async let joined = vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
      while await vault.waitingAtDesktop < 1 { await Task.yield() }
      reader.tell(.matched)
      #expect(try await joined == .passed)
      #expect(agents.ended.isEmpty)
    } else {
      reader.tell(.matched)
    }
    #expect(try await touch == .passed)
    try await asked
    // Its notification would still ask.
    if !isArmedBefore { #expect(agents.ended == [9]) }
  }

  /// Otherwise the agent might show an answered prompt, or its caller might be told that there is
  /// no prompt.
  @Test(arguments: [true, false])
  func aTouchAtATerminalAnswersAPromptWhoseAgentIsAwaited(isThere: Bool) async throws {
    agents.hold()
    let prompt = try await prompt(1)
    let terminal = try await need { _ = try await vault.token(caller: caller(2)) }.prompt
    let end = Box<VaultFailure?>()
    let asked = Task {
      end.put(await failure { try await vault.askAtDesktop(prompt, caller: caller()) })
    }
    await agents.untilHeld()
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(terminal, by: .fingerprint, caller: caller(2)) { _ in }
    if !isThere { agents.set() }
    agents.release()
    while end.value == nil, agents.given.isEmpty { await Task.yield() }
    #expect(agents.given.isEmpty)
    asked.cancel()
    await asked.value
    #expect(end.value == .some(nil))
  }

  @Test
  func withoutAnAgentCallersOfTheSameRequestAreToldTheSame() async throws {
    agents.hold()
    let first = try await prompt(1)
    let second = try await prompt(2)
    async let one = failure { try await vault.askAtDesktop(first, caller: caller(1)) }
    await agents.untilHeld()
    async let two = failure { try await vault.askAtDesktop(second, caller: caller(2)) }
    while await vault.waitingAtDesktop < 1 { await Task.yield() }
    agents.set()
    agents.release()
    let why = VaultFailure.noDesktop(.noAgent)
    #expect(await one == why)
    #expect(await two == why)
    // The prompt is the caller's again.
    bench.check.plan([.ready, .matched])
    #expect(
      try await vault.check(first, by: .fingerprint, caller: caller(1)) { _ in } == .passed
    )
  }

  @Test
  func anotherMessageOfTheCallerEndsTheShowing() async throws {
    let prompt = try await prompt()
    let asked = Task { await failure { try await vault.askAtDesktop(prompt, caller: caller()) } }
    _ = await agents.prompt()
    asked.cancel()
    #expect(await asked.value == .presenceFailed(.cancelled, methods: []))
    #expect(agents.ended == [9])
  }

  @Test
  func promptsAtTheDeskAreLimitedBeforeTheyAreShown() async throws {
    let bench = try Bench()
    let vault = try await bench.open(
      promptLimit: PromptLimit(),
      locations: locations,
      agents: agents
    )
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    for count in 1...3 {
      let need = try await need {
        _ = try await vault.token(caller: caller(1, asking: .unsaid))
      }
      let asked = Task {
        await failure { try await vault.askAtDesktop(need.prompt, caller: caller(1)) }
      }
      _ = await agents.prompt(count)
      // The agent has left without a check, so the person refused nothing.
      await vault.disconnect(9)
      _ = await asked.value
      await vault.cancel(need.prompt, caller: caller(1))
    }
    let fourth = try await need {
      _ = try await vault.token(caller: caller(1, asking: .unsaid))
    }
    let refused = await failure { try await vault.askAtDesktop(fourth.prompt, caller: caller(1)) }
    guard case .tooManyPrompts? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(agents.given.count == 3)
  }

  /// A prompt of connection 2 for another purpose.
  private func otherPrompt() async throws -> PresenceNeed {
    try await need {
      _ = try await vault.setProtection(
        false,
        account: "me",
        prompt: nil,
        caller: caller(2, asking: .unsaid)
      )
    }
  }

  @Test
  func oneTouchAnswersTheSameRequestsAndOthersWait() async throws {
    let first = try await prompt(1)
    let second = try await prompt(2)
    let other = try await otherPrompt()
    async let one: Void = vault.askAtDesktop(first, caller: caller(1))
    _ = await agents.prompt()
    let two = Task { try await vault.askAtDesktop(second, caller: caller(2)) }
    let three = Task { try await vault.askAtDesktop(other.prompt, caller: caller(2)) }
    while await vault.waitingAtDesktop < 2 { await Task.yield() }
    #expect(agents.given.count == 1)
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(first, by: .fingerprint, caller: caller(9)) { _ in }
    try await one
    try await two.value
    let next = await agents.prompt(2)
    #expect(next.purpose == .disable)
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(next.prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await three.value
  }

  /// The first prompt is at the desk already when the second one comes.
  @Test
  func programsOfOneSystemUnitShareThePromptAtTheDesk() async throws {
    administrator.write("[Policy]\ndesktop = user\n")
    for (connection, unit) in [(UInt64(3), "backup"), (7, "mail")] {
      locations.seat(
        connection,
        at: "unit \(unit).service",
        objection: "no session",
        hasSession: false
      )
    }
    let first = try await prompt(5)
    async let one: Void = vault.askAtDesktop(first, caller: caller(5))
    let shown = await agents.prompt()
    let second = try await prompt(3)
    let other = try await prompt(7)
    let two = Task { try await vault.askAtDesktop(second, caller: caller(3)) }
    let three = Task { await failure { try await vault.askAtDesktop(other, caller: caller(7)) } }
    while await vault.waitingAtDesktop < 2 { await Task.yield() }
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(shown.prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await one
    // The person has not seen that another unit asks.
    let next = await agents.prompt(2)
    try #require(next.requester == "bash, PID 7, not of your session")
    await vault.cancel(next.prompt, caller: caller(9))
    #expect(await three.value == .presenceFailed(.cancelled, methods: []))
    try await two.value
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
    for (connection, prompt) in [(UInt64(5), first), (3, second)] {
      let grant = try await vault.token(prompt: prompt, caller: caller(connection))
      #expect(grant.accessToken == "at-2")
    }
  }

  /// The kernel closes the connection of a program that is killed.
  @Test
  func theEndOfACallerThatWaitsForItsTurnEndsNothingElse() async throws {
    let first = try await prompt(1)
    let other = try await otherPrompt()
    async let one: Void = vault.askAtDesktop(first, caller: caller(1))
    _ = await agents.prompt()
    async let two = failure { try await vault.askAtDesktop(other.prompt, caller: caller(2)) }
    while await vault.waitingAtDesktop < 1 { await Task.yield() }
    await vault.disconnect(2)
    #expect(await two == .presenceFailed(.cancelled, methods: []))
    #expect(await vault.prompts.names == [first])
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(first, by: .fingerprint, caller: caller(9)) { _ in }
    try await one
    // Its turn was the next one, and nothing of it is shown.
    #expect(agents.given.count == 1)
    _ = try await passes(8)
  }
}

extension Vault {
  /// How many prompts wait for the one at the desktop.
  fileprivate var waitingAtDesktop: Int {
    prompting.waiters.joined.values.reduce(0) { $0 + $1.count }
  }
}
