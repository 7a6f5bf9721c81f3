import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Windows and shared checks are bound to the caller's location.
@Suite(.timeLimit(.minutes(10)))
struct CallerLocationTests {
  /// A protected account and a finger.
  ///
  /// Connections 1 and 2 are at one desk, 3 at another one, and 4 comes over the network.
  struct Desks {
    let bench: Bench
    let vault: Vault
    let locations = ScriptedPlaces()
    let windowGuard = ScriptedGuard()

    init(policy: String = "") async throws {
      let administrator = Administrator()
      administrator.write(policy)
      bench = try Bench()
      locations.seat(1, 2, 77, at: "session 1")
      locations.seat(3, at: "session 2")
      locations.seat(4, at: "session 3", objection: "remote session")
      vault = try await bench.open(
        windowGuard: windowGuard,
        rules: administrator,
        locations: locations
      )
      try await bench.signIn(vault)
      try await bench.protect(vault)
      try await bench.enroll(vault)
      bench.clock.advance(3600)
    }

    /// Whether a token needs no prompt.
    ///
    /// A stored token lives only for a second.
    func isFree(_ connection: UInt64) async throws -> Bool {
      bench.exchange.plan(.tokens(access: "at", refresh: "rt", lifetime: 1))
      do {
        _ = try await vault.token(caller: caller(connection))
        return true
      } catch .presenceNeeded(let need) {
        await vault.cancel(need.prompt, caller: caller(connection))
        return false
      }
    }

    func unlockedFor(_ connection: UInt64) async throws -> Int64? {
      try await vault.facts(for: caller(connection)).unlockedFor
    }
  }

  @Test
  func aWindowIsOpenWhereItWasOpened() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, caller: caller(1))
    #expect(try await desks.isFree(1))
    #expect(try await desks.isFree(2))
    #expect(try await !desks.isFree(3))
    #expect(try await !desks.isFree(4))
    // Nor for a caller whose location is unknown.
    #expect(try await !desks.isFree(5))
    #expect(try await desks.unlockedFor(2) == 600)
    for connection: UInt64 in [3, 4, 5] {
      #expect(try await desks.unlockedFor(connection) == nil)
    }
    // Each location has its own window.
    try await desks.bench.unlock(desks.vault, seconds: 60, caller: caller(4))
    #expect(try await desks.unlockedFor(4) == 60)
    #expect(try await desks.unlockedFor(1) == 600)
    #expect(try await desks.isFree(4))
    #expect(try await !desks.isFree(3))
    // A caller that moves does not keep its window.
    desks.locations.seat(2, at: "session 2")
    #expect(try await !desks.isFree(2))
  }

  @Test
  func lockClosesThoseOfAllPlaces() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, caller: caller(1))
    try await desks.bench.unlock(desks.vault, caller: caller(4))
    #expect(try await desks.vault.lock(caller: caller(3)))
    for connection: UInt64 in 1...4 { #expect(try await !desks.isFree(connection)) }
    #expect(try await !desks.vault.lock(caller: caller(3)))
  }

  @Test
  func theEndOfASessionEndsWhatIsBoundToIt() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, caller: caller(1))
    try await desks.bench.unlock(desks.vault, caller: caller(4))
    let open = try await need {
      _ = try await desks.vault.testPresence(prompt: nil, caller: caller(4))
    }
    let other = try await need {
      _ = try await desks.vault.testPresence(prompt: nil, caller: caller(1))
    }
    await desks.windowGuard.happen("the session has ended", at: "session 3")
    #expect(try await !desks.isFree(4))
    #expect(try await desks.isFree(1))
    let records = try await desks.vault.auditPage(after: 0, since: nil, account: nil)
    let lock = try #require(records.last { $0.event == "lock" })
    #expect(lock.detail == "the session has ended")
    desks.bench.check.plan([.matched])
    let gone = await failure {
      _ = try await desks.vault.check(open.prompt, by: .password, caller: caller(4)) { _ in }
    }
    #expect(gone == .presenceFailed(.cancelled, methods: []))
    let step = try await desks.vault.check(other.prompt, by: .password, caller: caller(1)) { _ in }
    #expect(step == .passed)
    // An event that ends the person's presence ends all windows.
    await desks.windowGuard.happen("the screen was locked")
    #expect(try await !desks.isFree(1))
  }

  /// The person at the reader would give their touches to a print of a person elsewhere.
  @Test
  func aFingerIsEnrolledWhereTheReaderIsAndNowhereElse() async throws {
    let desks = try await Desks()
    let (bench, vault) = (desks.bench, desks.vault)
    let begun = bench.check.enrollments.count
    let refused = VaultFailure.presenceFailed(
      .notAvailable("a finger is enrolled at the machine itself: remote session"),
      methods: []
    )
    let asked = await failure {
      _ = try await vault.enroll("left-index", prompt: nil, caller: caller(4)) { _ in }
    }
    #expect(asked == refused)
    // Nor for a caller that has moved since the password was given.
    let need = try await need {
      _ = try await vault.enroll("left-index", prompt: nil, caller: caller(2)) { _ in }
    }
    try await bench.pass(need, vault, caller(2))
    desks.locations.seat(2, at: "session 3", objection: "remote session")
    let moved = await failure {
      _ = try await vault.enroll("left-index", prompt: need.prompt, caller: caller(2)) { _ in }
    }
    #expect(moved == refused && bench.check.enrollments.count == begun)
  }

  @Test
  func theEndOfASessionEndsOnlyItsEnrollment() async throws {
    let desks = try await Desks()
    let (bench, vault) = (desks.bench, desks.vault)
    let begun = bench.check.enrollments.count
    let need = try await need {
      _ = try await vault.enroll("left-index", prompt: nil, caller: caller(1)) { _ in }
    }
    try await bench.pass(need, vault, caller(1))
    async let end = failure {
      _ = try await vault.enroll("left-index", prompt: need.prompt, caller: caller(1)) { _ in }
    }
    while bench.check.enrollments.count == begun { await Task.yield() }
    await desks.windowGuard.happen("the session has ended", at: "session 2")
    #expect(!bench.check.enrollments[begun].isCancelled)
    await desks.windowGuard.happen("the session has ended", at: "session 1")
    #expect(await end == .presenceFailed(.cancelled, methods: []))
    #expect(bench.check.enrollments[begun].isCancelled)
  }

  @Test
  func aValidTokenNeedsNoLookup() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, caller: caller(1))
    desks.bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await desks.vault.token(caller: caller(1))
    let asked = desks.locations.asked
    for connection: UInt64 in 1...9 {
      #expect(try await desks.vault.token(caller: caller(connection)).accessToken == "at-2")
    }
    #expect(desks.locations.asked == asked)
    // Nor does a status while no window is open.
    _ = try await desks.vault.lock(caller: caller(1))
    _ = try await desks.vault.facts(for: caller(1))
    #expect(desks.locations.asked == asked)
  }

  @Test
  func aWatcherHearsOfTheWindowOfItsPlace() async throws {
    let desks = try await Desks()
    let near = Onlooker(desks.vault, caller: caller(2))
    let far = Onlooker(desks.vault, caller: caller(4))
    await near.untilTold(1)
    await far.untilTold(1)
    try await desks.bench.unlock(desks.vault, seconds: 60, caller: caller(1))
    await near.untilTold(2)
    #expect(near.told.map(\.isUnlocked) == [false, true])
    #expect(try await desks.vault.watchFacts(of: "me", caller: caller(2)).isUnlocked)
    #expect(try await !desks.vault.watchFacts(of: "me", caller: caller(4)).isUnlocked)
    try await desks.bench.unlock(desks.vault, seconds: 60, caller: caller(4))
    await far.untilTold(2)
    #expect(far.told.map(\.isUnlocked) == [false, true])
    await desks.windowGuard.happen("the session has ended", at: "session 1")
    await near.untilTold(3)
    #expect(near.told.map(\.isUnlocked) == [false, true, false])
    #expect(far.told.map(\.isUnlocked) == [false, true])
    await near.end()
    await far.end()
  }

  @Test
  func refreshingAheadGoesByAnyWindowOfTheUser() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, seconds: 12 * 3600, caller: caller(3))
    desks.bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await desks.vault.token(caller: caller(3))
    // The token is used by a caller without a window.
    _ = try await desks.vault.token(caller: caller(1))
    desks.bench.clock.advance(3600 - 120)
    desks.bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    await desks.vault.refreshAhead()
    #expect(try await desks.vault.token(caller: caller(1)).accessToken == "at-3")
  }

  @Test
  func aWindowThatIsOneConnectionsGoesWithIt() async throws {
    let desks = try await Desks()
    try await desks.bench.unlock(desks.vault, caller: caller(9))
    #expect(try await desks.isFree(9))
    #expect(try await !desks.isFree(8))
    await desks.vault.disconnect(9)
    #expect(await !desks.vault.isHoldingWindow)
    #expect(try await !desks.isFree(9))
  }
}
