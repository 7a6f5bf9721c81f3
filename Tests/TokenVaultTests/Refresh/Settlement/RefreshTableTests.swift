import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The table of `Refresh.swift`, line by line.
@Suite(.timeLimit(.minutes(10)))
struct RefreshTableTests {
  /// An account whose access token has expired.
  func expired(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: settings)
    bench.clock.advance(3600)
    return vault
  }

  /// The state of an engine that was killed when its exchange helper was at `stage`.
  private func killed(
    at stage: String,
    _ step: ScriptedExchange.Step,
    protected: Bool = false
  ) async throws -> Bench {
    let bench = try Bench()
    let vault = try await expired(bench)
    if protected {
      try await bench.protect(vault)
      try await bench.unlock(vault)
    }
    let box = Box<Bench>()
    bench.exchange.observe { reached in
      guard reached == stage else { return }
      box.put(try? bench.snapshot())
    }
    bench.exchange.plan(step)
    _ = await failure { _ = try await vault.token() }
    return try #require(box.value)
  }

  @Test
  func withoutAnIntentAndWithAnEmptySlotARefreshIsMade() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    #expect(try await vault.stateOfMe().state == .ready)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    let grant = try await vault.token()
    #expect(grant.accessToken == "at-2")
    #expect(grant.expiresAt == bench.clock.wall.seconds + 3600)
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.intent() == nil)
    #expect(try await vault.slot().allSatisfy { $0 == 0 })
    #expect(try await vault.stateOfMe().state == .ready)
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.last == #"{"refresh_token":"rt-2"}"#)
  }

  @Test
  func withoutAnIntentWhateverLiesInTheSlotIsZeroed() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let box = Box<Bench>()
    bench.exchange.observe { stage in
      if stage == "written" { box.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    // Killed after T2: the answer that the store already has is still in the slot.
    let before = try #require(box.value)
    let after = try bench.snapshot()
    try run("/bin/cp", ["-a", before.scratch.path + "/slots", after.scratch.path])
    let next = try await after.open()
    #expect(try await !next.slot().allSatisfy { $0 == 0 })
    #expect(try await next.stateOfMe().state == .ready)
    #expect(try await next.token().accessToken == "at-2")
    after.clock.advance(3600)
    after.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await next.token().accessToken == "at-3")
    #expect(after.exchange.refreshes == [#"{"refresh_token":"rt-2"}"#])
    #expect(try await next.slot().allSatisfy { $0 == 0 })
    #expect(try await next.row().generation == 3)
  }

  @Test
  func withAnIntentAndAnAnswerTheNextHolderTakesItWithoutAsking() async throws {
    let bench = try await killed(
      at: "written",
      .tokens(access: "at-2", refresh: "rt-2"),
      protected: true
    )
    let vault = try await bench.open()
    #expect(try await vault.stateOfMe().state == .refreshing)
    // No window is open in this engine, and there is no prompt.
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.requests.isEmpty)
    #expect(bench.check.conversations.isEmpty)
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.intent() == nil)
    #expect(try await vault.slot().allSatisfy { $0 == 0 })
    #expect(try await vault.events().suffix(2) == ["refresh begun", "refresh done"])
  }

  @Test
  func anAnswerThatIsTakenLateIsNoYoungerForThat() async throws {
    let bench = try await killed(
      at: "written",
      .tokens(access: "at-2", refresh: "rt-2", lifetime: 600)
    )
    bench.clock.advance(700)
    let vault = try await bench.open()
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-2"}"#])
    #expect(try await vault.row().generation == 3)
  }

  @Test
  func whileAnOrphanedExchangeHelperHoldsTheSlotEverybodyWaits() async throws {
    let bench = try await killed(at: "begun", .died)
    let vault = try await bench.open()
    let orphan = try await bench.orphan(vault, access: "at-2", refresh: "rt-2")
    #expect(try await vault.stateOfMe().state == .refreshing)
    async let first = vault.token(caller: caller(1))
    async let second = vault.token(caller: caller(2))
    await bench.clock.untilAsleep(milliseconds: 50)
    bench.clock.advance(1)
    await bench.clock.untilAsleep(milliseconds: 50)
    try orphan.finish()
    bench.clock.advance(1)
    #expect(try await [first.accessToken, second.accessToken] == ["at-2", "at-2"])
    #expect(bench.exchange.requests.isEmpty)
  }

  @Test
  func afterThirtyFiveSecondsEverybodyIsToldAtOnce() async throws {
    let bench = try await killed(at: "begun", .died)
    let vault = try await bench.open()
    let orphan = try await bench.orphan(vault, access: "at-2", refresh: "rt-2")
    let callers = await vault.tokens(1...8)
    await vault.barrier()
    await bench.clock.untilAsleep(milliseconds: 50)
    // The callers do not wait for 35 s each.
    bench.clock.advance(36)
    for waiting in callers {
      guard case .failure(.providerUnavailable(_, retryAfter: 30, _)) = await waiting.value else {
        Issue.record("not told to wait")
        continue
      }
    }
    #expect(bench.exchange.requests.isEmpty)
    // The timeout loses nothing.
    try orphan.finish()
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test(arguments: [ScriptedExchange.Step.died, .torn, .answer(status: 503, body: "")])
  func withAnIntentAndNoAnswerTheStateIsUncertain(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(step)
    let failure = await failure { _ = try await vault.token() }
    guard case .unavailable(.uncertain, _, retryAfter: 2, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(try await vault.stateOfMe().state == .uncertain)
    #expect(try await vault.intent()?.uncertain == true)
    #expect(try await vault.slot().allSatisfy { $0 == 0 })
    #expect(try await vault.row().generation == 1)
    #expect(try await vault.row().state == .signedIn)
  }

  @Test
  func anEngineKilledBeforeTheExchangeHelperBeganFindsItUncertain() async throws {
    let bench = try await killed(at: "begun", .died)
    let vault = try await bench.open()
    guard
      case .unavailable(.uncertain, _, retryAfter: 2, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told to wait")
      return
    }
    #expect(bench.exchange.requests.isEmpty)
    #expect(try await vault.stateOfMe().state == .uncertain)
    bench.clock.advance(3)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
  }

  @Test
  func theAnswerOfAnotherIntentIsNotTaken() async throws {
    let bench = try await killed(at: "written", .tokens(access: "at-2", refresh: "rt-2"))
    try await bench.withStore { store in
      let account = try #require(try store.account(named: "me", owner: ThisProcess.user))
      var intent = try #require(try store.intent(account: account.id))
      intent.intent[0] ^= 1
      try store.transaction { try store.put(intent) }
    }
    let vault = try await bench.open()
    guard case .unavailable(.uncertain, _, _, _)? = await failure({ _ = try await vault.token() })
    else {
      Issue.record("an answer was taken")
      return
    }
    #expect(try await vault.row().generation == 1)
    #expect(try await vault.stateOfMe().state == .uncertain)
  }

  @Test
  func anExchangeHelperOfWhichNothingIsHeardIsWaitedFor() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.outlives(access: "at-2", refresh: "rt-2"))
    async let grant = vault.token()
    // Earlier polls are for a slot that a child of another test holds for a moment.
    await bench.exchange.untilRequested(2)
    await bench.clock.untilAsleep(milliseconds: 50)
    #expect(try await vault.stateOfMe().state == .refreshing)
    try bench.exchange.finishOrphans()
    bench.clock.advance(1)
    #expect(try await grant.accessToken == "at-2")
    #expect(try await vault.row().generation == 2)
  }

  @Test
  func anAnswerThatCouldNotBeWrittenComesOverTheSocket() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.overTheSocket(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.row().generation == 2)
  }
}

extension Bench {
  /// An exchange helper that still runs although its engine was killed, for the intent in the
  /// store.
  func orphan(_ vault: Vault, access: String, refresh: String) async throws -> Orphan {
    try await vault.orphan(body: tokenAnswer(access: access, refresh: refresh, lifetime: 3600))
  }
}

extension Vault {
  fileprivate func orphan(body: String) throws -> Orphan {
    let row = try row()
    let slot = try SlotFile(in: directory, account: row.id)
    guard try slot.lock() else { throw PresenceFailure.busy("the slot") }
    let image = try sealedAnswer(status: 200, body: body)
    return try Orphan(slot.descriptor, image)
  }
}
