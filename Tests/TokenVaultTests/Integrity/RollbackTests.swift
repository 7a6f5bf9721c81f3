import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The detected old copies, and their effects.
@Suite(.timeLimit(.minutes(10)))
struct RollbackTests {
  /// An old state of a vault, and the state two rotations later.
  private func copies() async throws -> (old: Bench, now: Bench) {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.signIn(vault, lifetime: 1) }
    vault = nil
    let old = try bench.snapshot()
    vault = try await bench.open()
    for number in 2...3 {
      bench.clock.advance(60)
      bench.exchange.plan(.tokens(access: "at-\(number)", refresh: "rt-\(number)", lifetime: 30))
      _ = try await vault?.token()
    }
    vault = nil
    return (old, bench)
  }

  private func put(_ names: [String], of old: Bench, into now: Bench) throws {
    for name in names {
      try run("/bin/cp", ["-a", old.scratch.path + "/" + name, now.scratch.path + "/" + name])
    }
  }

  private func overwriteCounter(_ bench: Bench, _ bytes: [UInt8]) throws {
    let counter = try Directory(path: bench.scratch.path)
    try counter.unlink("rollback-counter")
    try counter.create("rollback-counter").write(bytes)
  }

  private func edit(_ bench: Bench, _ sql: String) throws {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.executescript(sys.argv[2])
      """
    try run("/usr/bin/python3", ["-c", program, bench.scratch.path + "/vault.db", sql])
  }

  /// An old or edited copy, and the resulting error, or `nil` if it is not detected.
  private func damaged(
    _ what: String,
    _ old: Bench,
    _ now: Bench
  ) throws -> StoreFreshness {
    switch what {
    case "store": try put(["vault.db"], of: old, into: now)
    case "store and tokens": try put(["vault.db", "tokens/me"], of: old, into: now)
    case "file":
      try put(["rollback-counter"], of: old, into: now)
      return .newerThanCounter
    case "file removed":
      try run("/bin/rm", [now.scratch.path + "/rollback-counter"])
      return .counterMissing
    case "file edited":
      var bytes = try #require(try now.scratch.files()["rollback-counter"])
      bytes[8] -= 1
      try overwriteCounter(now, bytes)
      return .counterDamaged
    case "file cut":
      let bytes = try #require(now.scratch.files()["rollback-counter"])
      try overwriteCounter(now, Array(bytes.prefix(24)))
      return .counterDamaged
    case "store, with the count of today":
      try put(["vault.db"], of: old, into: now)
      try edit(now, "UPDATE meta SET value = x'0300000000000000' WHERE key = 'box-changes'")
      return .boxesChanged
    case "store, with count and seal of today":
      let meta = "SELECT m.value FROM now.meta AS m WHERE m.key = main.meta.key"
      try run("/bin/mv", [now.scratch.path + "/vault.db", now.scratch.base + "/now.db"])
      try put(["vault.db"], of: old, into: now)
      try edit(
        now,
        "ATTACH '\(now.scratch.base)/now.db' AS now; UPDATE main.meta SET value = (\(meta)) "
          + "WHERE key IN ('box-changes', 'box-seal')"
      )
      return .boxesChanged
    case "a token":
      try edit(
        now,
        "ATTACH '\(old.scratch.path)/vault.db' AS old; UPDATE accounts SET "
          + "(sealed_refresh_token, generation) = (SELECT sealed_refresh_token, generation "
          + "FROM old.accounts AS a WHERE a.id = accounts.id)"
      )
      return .boxesChanged
    case "no count and no file":
      try run("/bin/rm", [now.scratch.path + "/rollback-counter"])
      try edit(now, "DELETE FROM meta WHERE key = 'box-changes'")
      return .boxesChanged
    case "no store":
      try run("/bin/rm", [now.scratch.path + "/vault.db"])
      return .storeMissing
    default: Issue.record("\(what)")
    }
    return .olderThanCounter
  }

  private func refusesEverything(
    _ vault: Vault,
    _ now: Bench,
    _ standing: StoreFreshness,
    _ what: String
  ) async throws {
    #expect(await vault.freshness == standing)
    #expect(try await vault.facts().problem != nil)
    let sent = now.exchange.requests.count
    for failure in [
      await failure { _ = try await vault.demandCurrentStore() },
      await failure { _ = try await vault.token() },
      await failure { try await now.signIn(vault) },
      await failure { _ = try await now.rekey(vault) },
      // Its audit log is intact, but ends too early.
      await failure { _ = try await vault.verifyAuditLog() },
    ] {
      guard case .vaultUnsafe(_, let hint)? = failure else {
        Issue.record("\(what): \(String(describing: failure))")
        continue
      }
      #expect(hint?.text.contains("thumblatch recover") == true)
    }
    #expect(now.exchange.requests.count == sent)
    let finding = try #require(await vault.examine().first { $0.name == "audit-log" })
    #expect(finding.level != .ok && finding.remedy != nil)
  }

  private func isAccepted(_ vault: Vault, _ now: Bench, _ what: String) async throws {
    #expect(try await now.accept(vault) == ["me"])
    let facts = try await vault.stateOfMe()
    #expect(
      facts.state == .loginRequired && facts.cause == "the vault was restored from a copy"
    )
    #expect(try await vault.cachedToken() == nil)
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("\(what): a token of another time")
      return
    }
    #expect(now.exchange.refreshes.count == 2)
    #expect(try await vault.events().last == "store-recovered done")
    // The head of the audit log has the count, too.
    let isEdited = what.contains("count")
    #expect(try await vault.verifyAuditLog().isWhole == !isEdited)
    try await now.signIn(vault, refresh: "rt-9")
    try await now.rekey(vault)
  }

  @Test(arguments: [
    "store", "store and tokens", "file", "file removed", "file edited", "file cut", "a token",
    "store, with the count of today", "store, with count and seal of today", "no count and no file",
  ])
  func anOldCopyIsRefusedChangesNothingAndCanBeAccepted(_ what: String) async throws {
    let (old, now) = try await copies()
    let standing = try damaged(what, old, now)
    let before = try now.scratch.files()
    var vault: Vault? = try await now.open()
    if let vault { try await refusesEverything(vault, now, standing, what) }
    vault = nil
    // Neither a look nor a request has changed anything except the record of refusals.
    let after = try now.scratch.files()
    #expect(after == before)

    vault = try await now.open()
    if let vault { try await isAccepted(vault, now, what) }
    vault = nil
    vault = try await now.open()
    #expect(await vault?.freshness == .current)
    #expect(try await vault?.token().accessToken == "at-1")
    // The replaced store is detected if it comes back.
    vault = nil
    try put(["vault.db"], of: old, into: now)
    _ = try? await now.open().demandCurrentStore()
  }

  @Test
  func theStoreThatWasLeftBehindIsOlderThanTheOneThatWasAccepted() async throws {
    let (old, now) = try await copies()
    let left = try now.snapshot()
    try put(["vault.db"], of: old, into: now)
    var vault: Vault? = try await now.open()
    if let vault { try await now.accept(vault) }
    vault = nil
    try put(["vault.db"], of: left, into: now)
    #expect(try await now.open().freshness == .olderThanCounter)
  }

  @Test
  func aStoreThatIsGoneIsNotSilentlyReplaced() async throws {
    let (old, now) = try await copies()
    let standing = try damaged("no store", old, now)
    var vault: Vault? = try await now.open()
    #expect(await vault?.freshness == standing)
    // The empty store has its identifier, so that records before `recover` belong to one vault.
    let name = await vault?.identifier
    vault = nil
    vault = try await now.open()
    #expect(await vault?.freshness == standing)
    #expect(await vault?.identifier == name)
    if let vault {
      #expect(try await now.accept(vault) == [])
      #expect(try await vault.verifyAuditLog().isWhole)
      try await now.signIn(vault)
    }
    vault = nil
    vault = try await now.open()
    #expect(await vault?.freshness == .current)
    #expect(try await vault?.verifyAuditLog().isWhole == true)
    vault = nil
    #expect(try now.scratch.files().keys.filter { $0.hasPrefix("slots/") }.count == 1)
  }

  @Test
  func anEmptyStoreBeginsItsAuditLogUnderTheNewSecret() async throws {
    let bench = try Bench()
    do { _ = try await bench.open() }
    try run("/bin/rm", [bench.scratch.path + "/device-secret"])
    let vault = try await bench.open()
    #expect(await vault.freshness == .current)
    #expect(try await vault.verifyAuditLog().isWhole)
  }

  @Test
  func aKillBetweenCommitAndMarkIsNoRollback() async throws {
    let (_, now) = try await copies()
    let counter = try #require(try now.scratch.files()["rollback-counter"])
    var vault: Vault? = try await now.open()
    if let vault {
      now.clock.advance(60)
      now.exchange.plan(.tokens(access: "at-4", refresh: "rt-4"))
      _ = try await vault.token()
    }
    vault = nil
    try overwriteCounter(now, counter)
    vault = try await now.open()
    #expect(await vault?.freshness == .current)
    vault = nil
    // The rollback counter has caught up.
    #expect(try now.scratch.files()["rollback-counter"] != counter)
    try overwriteCounter(now, counter)
    #expect(try await now.open().freshness == .current)
  }

  @Test
  func aWholeCopyPutBackIsNotSeen() async throws {
    let (old, now) = try await copies()
    try put(["vault.db", "rollback-counter"], of: old, into: now)
    let vault = try await now.open()
    #expect(await vault.freshness == .current)
    #expect(try await vault.row().generation == 1)
  }

  @Test
  func aWholeCopyIsAcceptedByOneWhoKnows() async throws {
    let (old, now) = try await copies()
    let left = try now.snapshot()
    try put(["vault.db", "rollback-counter"], of: old, into: now)
    var vault: Vault? = try await now.open()
    if let vault {
      #expect(try await now.accept(vault) == ["me"])
      #expect(try await vault.stateOfMe().state == .loginRequired)
      #expect(try await vault.verifyAuditLog().isWhole)
      // No account has to sign in a second time.
      #expect(try await now.accept(vault) == [])
    }
    vault = nil
    try put(["vault.db"], of: left, into: now)
    #expect(try await now.open().freshness == .olderThanCounter)
  }

  @Test
  func aMarkThatCannotBeRaisedIsRaisedBeforeTheNextChange() async throws {
    let (_, now) = try await copies()
    let vault = try await now.open()
    // A directory in its place: it cannot be written.
    let counter = now.scratch.path + "/rollback-counter"
    try run("/bin/sh", ["-c", "rm \(counter) && mkdir \(counter)"])
    now.clock.advance(60)
    now.exchange.plan(.tokens(access: "at-4", refresh: "rt-4", lifetime: 30))
    #expect(try await vault.token().accessToken == "at-4")
    #expect(await vault.examine().contains { $0.message.hasPrefix("the rollback counter cannot") })
    #expect(try await vault.row().generation == 4)
    now.clock.advance(60)
    let sent = now.exchange.requests.count
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(now.exchange.requests.count == sent)
    try run("/bin/rmdir", [counter])
    now.exchange.plan(.tokens(access: "at-5", refresh: "rt-5"))
    #expect(try await vault.token().accessToken == "at-5")
    #expect(try await vault.boxChanges() == vault.counterValue)
  }
}
