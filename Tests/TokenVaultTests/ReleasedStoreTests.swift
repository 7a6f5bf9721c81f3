import Glibc
import Presence
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// State directories as each released format left them, opened by the program of today.
///
/// `Stores/schema-N.tar.gz` is one whose store has schema N: the accounts `work` and `me` (the one under
/// protection, rotated once) of the owner 0, one enrolled finger, and a trail. Their refresh tokens
/// begin with `rt_FIXTURE-schema-N-`. From schema 2 on, `work` is exportable. None is ever made anew:
/// a format that is not written any more must still open.
struct ReleasedStoreTests {
  static let schemas = [1, 2, 3, 4, 5]

  /// The directory of a released format, in a bench; its tokens have expired.
  private func bench(_ schema: Int) throws -> Bench {
    let scratch = try Scratch()
    let archive =
      BuiltPrograms.sourceDirectory + "/Tests/TokenVaultTests/Stores/schema-\(schema).tar.gz"
    guard unsafe mkdir(scratch.path, 0o700) == 0 else { throw SystemError("mkdir", code: errno) }
    let arguments = ["--no-same-owner", "-C", scratch.path, "-xzf", archive]
    try run("/bin/tar", arguments)
    return try Bench(scratch, clock: ManualClock(wall: 1_900_000_000))
  }

  @Test(arguments: schemas)
  func itsTokensOpenAndAreRotated(_ schema: Int) async throws {
    let bench = try bench(schema)
    let vault = try await bench.open(owner: 0)
    let facts = try await vault.accountFacts(named: nil)
    #expect(facts.map(\.name) == ["me", "work"])
    #expect(facts.map(\.isProtected) == [true, false])
    #expect(facts.map(\.isExportable) == [false, schema > 1])
    bench.exchange.plan(.tokens(access: "at-new", refresh: "rt-new"))
    #expect(try await vault.token("work", caller: root()).accessToken == "at-new")

    if schema == 1 {
      // Fingers were not bound to a password then: it confirms them once, and then they count.
      let first = try await need { _ = try await vault.token("me", caller: root()) }
      #expect(first.methods == [.password])
      try await bench.pass(first, vault, root())
      await vault.cancel(first.prompt, caller: root())
    }
    let need = try await need { _ = try await vault.token("me", caller: root()) }
    #expect(need.methods == [.fingerprint, .password])
    bench.check.plan([.ready, .matched])
    let step = try await vault.check(need.prompt, by: .fingerprint, caller: root()) { _ in }
    #expect(step == .passed)
    bench.exchange.plan(.tokens(access: "at-newer", refresh: "rt-newer"))
    let grant = try await vault.token("me", prompt: need.prompt, caller: root())
    #expect(grant.accessToken == "at-newer")
    let sent = bench.exchange.refreshes
    #expect(sent.count == 2)
    #expect(sent.allSatisfy { $0.contains("rt_FIXTURE-schema-\(schema)-") })
    #expect(try await vault.row("me", 0).generation == 3)
    #expect(try await vault.verifyTrail().isWhole)
  }

  @Test(arguments: schemas)
  func itIsOfTheSchemaOfTodayAfterwardsAndWhole(_ schema: Int) async throws {
    let bench = try bench(schema)
    do { _ = try await bench.open(owner: 0) }
    try await bench.withStore { store in
      try store.verify()
      #expect(try store.accounts(owner: 0).count == 2)
      #expect(try store.prints(owner: 0).map(\.finger) == ["right-index"])
    }
    // Once more, as a store of today.
    let vault = try await bench.open(owner: 0)
    let events = try await vault.events()
    let registered = ["registration begun", "registration done"]
    #expect(events.filter { $0.hasPrefix("registration") } == registered + registered)
    // Since schema 2 the end of the trail is sealed.
    #expect(events.count { $0 == "trail-adoption done" } == (schema == 1 ? 1 : 0))
    #expect(try await vault.verifyTrail().isWhole)
  }

  private func root() -> Caller { Caller(connection: 1, user: 0, requester: "bash, pid 1") }
}

extension Vault {
  /// The row of an account of somebody.
  fileprivate func row(_ name: String, _ owner: UInt32) throws -> AccountRow {
    try #require(try store.account(named: name, owner: owner))
  }
}
