import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// An engine that is killed anywhere between T1 and the last step loses no login.
@Suite(.timeLimit(.minutes(10)))
struct CrashTests {
  /// The state directories of one refresh of a protected account.
  ///
  /// They are taken before the exchange helper knows T1, with the answer in the slot, and at the
  /// end.
  private func stages() async throws -> [String: Bench] {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    try await bench.unlock(vault)
    let begun = Box<Bench>()
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      (stage == "begun" ? begun : written).put(try? bench.snapshot())
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    return [
      "begun": try #require(begun.value), "written": try #require(written.value),
      "done": try bench.snapshot(),
    ]
  }

  /// A request that an exchange helper gets before T1 may not be sent.
  ///
  /// An engine that is killed then leaves no doubt.
  @Test
  func anExchangeHelperConnectsBeforeTheIntentIsWrittenAndSendsAfterwards() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    let account = try await vault.row().id
    let connecting = Box<Bench>()
    let begun = Box<Bench>()
    bench.exchange.whenConnecting { connecting.put(try? bench.snapshot()) }
    bench.exchange.observe { if $0 == "begun" { begun.put(try? bench.snapshot()) } }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    for (snapshot, isWritten) in [(connecting.value, false), (begun.value, true)] {
      let vault = try Store(in: StateDirectory(path: try #require(snapshot).scratch.path))
      let intent = try vault.intent(account: account)
      #expect((intent != nil) == isWritten)
    }
  }

  /// A directory whose store has the answer, but in which the later steps are missing.
  private func mixed(
    _ stages: [String: Bench],
    without names: [String]
  ) throws -> Bench {
    let bench = try #require(stages["done"]).snapshot()
    let before = try #require(stages["written"])
    for name in names {
      try run("/bin/rm", ["-rf", bench.scratch.path + "/" + name])
      try run("/bin/cp", ["-a", before.scratch.path + "/" + name, bench.scratch.path + "/" + name])
    }
    return bench
  }

  @Test
  func noLoginIsLostWhereverTheEngineIsKilled() async throws {
    let stages = try await stages()
    let after = [
      try mixed(stages, without: ["rollback-counter", "tokens", "slots"]),
      try mixed(stages, without: ["tokens", "slots"]), try mixed(stages, without: ["slots"]),
      try #require(stages["done"]), try #require(stages["written"]),
    ]
    for (number, bench) in after.enumerated() {
      let vault = try await bench.open()
      #expect(try await vault.token().accessToken == "at-2", "state \(number)")
      #expect(bench.exchange.requests.isEmpty)
      #expect(try await vault.cachedToken() == "at-2")
      #expect(try await vault.row().generation == 2)
      // The new refresh token is used next, and its box still needs a proof.
      bench.clock.advance(3600)
      let need = try await need { _ = try await vault.token() }
      try await bench.pass(need, vault, caller())
      bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
      #expect(try await vault.token(prompt: need.prompt).accessToken == "at-3")
      #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-2"}"#])
      #expect(try await vault.slot().allSatisfy { $0 == 0 })
      for marker in ["rt-1", "rt-2", "rt-3"] {
        #expect(locations(of: #""\#(marker)""#, in: try bench.scratch.files()).isEmpty)
      }
    }
  }

  @Test
  func anEngineThatIsKilledAgainAndAgainLosesNothing() async throws {
    var bench = try #require(try await stages()["written"])
    for _ in 0..<5 {
      bench = try bench.snapshot()
      let vault = try await bench.open()
      #expect(try await vault.stateOfMe().state == .refreshing)
    }
    let vault = try await bench.open()
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func withTheExchangeHelperNeverStartedTheOldTokenIsTriedOnceMore() async throws {
    let bench = try #require(try await stages()["begun"])
    let vault = try await bench.open()
    guard
      case .unavailable(.uncertain, _, retryAfter: 2, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told to wait")
      return
    }
    bench.clock.advance(2)
    // The window of the killed engine is gone: a retry needs its own proof.
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-2")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
  }

  @Test
  func theNextEngineFindsEverythingWhereItWas() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signIn(vault)
      try await bench.protect(vault)
      try await bench.enroll(vault)
      try await bench.unlock(vault)
      // The vault closes even with open prompts and a pending sweep.
      bench.clock.advance(3600)
      _ = try await need { _ = try await vault.token() }
    }
    vault = nil
    let next = try await bench.open()
    #expect(try await next.facts().unlockedFor == nil)
    #expect(try await next.facts().fingers == ["right-index"])
    #expect(try await next.stateOfMe().isProtected)
    let need = try await need { _ = try await next.token() }
    #expect(need.methods == [.fingerprint, .password])
  }

  @Test
  func aSecondEngineOnTheSameStateIsRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    #expect(throws: StorageError.inUse) { try StateDirectory(path: bench.scratch.path) }
    try await bench.signIn(vault)
  }
}
