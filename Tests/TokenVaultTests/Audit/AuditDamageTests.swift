import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Damage to the audit log by sqlite3 while no engine runs, and the resulting report.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AuditDamageTests {
  /// One damage to the audit log.
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let sql: String
    let bad: Int64
    let problem: String
    var testDescription: String { name }

    init(_ name: String, _ sql: String, _ bad: Int64, _ problem: String) {
      self.name = name
      self.sql = sql
      self.bad = bad
      self.problem = problem
    }
  }

  private static let columns =
    "time, owner, event, outcome, account_id, account, method, requester, detail, mac"

  /// A record with the contents of another.
  private static func copy(_ from: Int, to: String) -> String {
    "INSERT INTO audit (number, \(columns)) SELECT \(to), \(columns) FROM audit WHERE number = \(from)"
  }

  private static let shift = """
    UPDATE audit SET number = -number WHERE number > 5;
    UPDATE audit SET number = 1 - number WHERE number < 0;
    """

  private static let unshift = """
    UPDATE audit SET number = -number WHERE number > 5;
    UPDATE audit SET number = -1 - number WHERE number < 0;
    """

  /// The damaged audit log has the numbers 1 to 12.
  static let damages: [Damage] = [
    Damage("time", "UPDATE audit SET time = time + 1 WHERE number = 4", 4, "altered"),
    Damage("owner", "UPDATE audit SET owner = 4242 WHERE number = 4", 4, "altered"),
    Damage("event", "UPDATE audit SET event = 'login' WHERE number = 4", 4, "altered"),
    Damage("outcome", "UPDATE audit SET outcome = 'refused' WHERE number = 4", 4, "altered"),
    Damage(
      "account id",
      "UPDATE audit SET account_id = zeroblob(16) WHERE number = 4",
      4,
      "altered"
    ),
    Damage("no account id", "UPDATE audit SET account_id = NULL WHERE number = 4", 4, "altered"),
    Damage("account", "UPDATE audit SET account = 'you' WHERE number = 4", 4, "altered"),
    Damage("method", "UPDATE audit SET method = 'fingerprint' WHERE number = 4", 4, "altered"),
    Damage("requester", "UPDATE audit SET requester = 'vi' WHERE number = 4", 4, "altered"),
    Damage("detail", "UPDATE audit SET detail = 'x' WHERE number = 4", 4, "altered"),
    Damage("empty", "UPDATE audit SET detail = '' WHERE number = 8", 8, "altered"),
    Damage("code", "UPDATE audit SET mac = randomblob(32) WHERE number = 4", 4, "altered"),
    Damage("last time", "UPDATE audit SET time = 0 WHERE number = 12", 12, "altered"),
    Damage("last code", "UPDATE audit SET mac = randomblob(32) WHERE number = 12", 12, "altered"),
    Damage("first", "UPDATE audit SET event = 'logout' WHERE number = 1", 1, "altered"),
    Damage(
      "no text",
      "UPDATE audit SET detail = CAST(x'ff' AS TEXT) WHERE number = 4",
      4,
      "altered"
    ),
    Damage(
      "last no text",
      "UPDATE audit SET event = CAST(x'c3' AS TEXT) WHERE number = 12",
      12,
      "altered"
    ),
    Damage(
      "not a code",
      "PRAGMA ignore_check_constraints = 1; UPDATE audit SET mac = x'00' WHERE number = 12",
      12,
      "altered"
    ),
    Damage("two altered", "UPDATE audit SET detail = 'x' WHERE number IN (3, 9)", 3, "altered"),
    Damage("dropped first", "DELETE FROM audit WHERE number = 1", 1, "dropped"),
    Damage("dropped middle", "DELETE FROM audit WHERE number = 6", 6, "dropped"),
    Damage("dropped several", "DELETE FROM audit WHERE number BETWEEN 2 AND 9", 2, "dropped"),
    Damage("dropped last", "DELETE FROM audit WHERE number = 12", 12, "truncated"),
    Damage("cut", "DELETE FROM audit WHERE number > 7", 8, "truncated"),
    Damage("emptied", "DELETE FROM audit", 1, "truncated"),
    Damage(
      "dropped and renumbered",
      "DELETE FROM audit WHERE number = 5; \(unshift)",
      5,
      "dropped"
    ),
    Damage(
      "cut, head edited",
      """
      DELETE FROM audit WHERE number > 7;
      UPDATE meta SET value = CAST(substr(value, 1, 9) || x'07' || substr(value, 11) AS BLOB)
      WHERE key = 'audit-head'
      """,
      8,
      "head"
    ),
    Damage("no head", "DELETE FROM meta WHERE key = 'audit-head'", 13, "head"),
    Damage(
      "cut, no head",
      "DELETE FROM audit WHERE number > 7; DELETE FROM meta WHERE key = 'audit-head'",
      8,
      "head"
    ),
    Damage(
      "nothing left",
      "DELETE FROM audit; DELETE FROM meta WHERE key = 'audit-head'",
      1,
      "head"
    ),
    Damage(
      "head of zeros",
      "UPDATE meta SET value = zeroblob(113) WHERE key = 'audit-head'",
      13,
      "head"
    ),
    Damage("empty head", "UPDATE meta SET value = x'' WHERE key = 'audit-head'", 13, "head"),
    Damage(
      "a forged checkpoint",
      """
      DELETE FROM audit WHERE number < 6;
      INSERT INTO meta SELECT 'audit-checkpoint', zeroblob(73)
      """,
      6,
      "checkpoint"
    ),
    Damage(
      "neighbours swapped",
      """
      UPDATE audit SET number = 100 WHERE number = 4; UPDATE audit SET number = 4 WHERE number = 5;
      UPDATE audit SET number = 5 WHERE number = 100
      """,
      4,
      "reordered"
    ),
    Damage(
      "far ones swapped",
      """
      UPDATE audit SET number = 100 WHERE number = 3; UPDATE audit SET number = 3 WHERE number = 9;
      UPDATE audit SET number = 9 WHERE number = 100
      """,
      3,
      "reordered"
    ),
    Damage("moved to the end", "UPDATE audit SET number = 13 WHERE number = 5", 5, "reordered"),
    Damage("a copy at the end", copy(3, to: "13"), 13, "duplicated"),
    Damage("a copy far behind", copy(3, to: "9223372036854775807"), .max, "duplicated"),
    Damage("a copy between", shift + copy(5, to: "6"), 6, "duplicated"),
    Damage(
      "a copy in place of another",
      "DELETE FROM audit WHERE number = 8; " + copy(6, to: "8"),
      8,
      "duplicated"
    ),
    Damage(
      "forged at the end",
      copy(3, to: "13") + "; UPDATE audit SET mac = randomblob(32) WHERE number = 13",
      13,
      "added"
    ),
    Damage(
      "forged between",
      shift + copy(3, to: "6") + "; UPDATE audit SET mac = randomblob(32) WHERE number = 6",
      6,
      "added"
    ),
    Damage(
      "head put back",
      "UPDATE meta SET value = (SELECT value FROM old.meta WHERE key = 'audit-head') WHERE key = 'audit-head'",
      9,
      "head"
    ),
    Damage(
      "tail and head put back",
      """
      UPDATE meta SET value = (SELECT value FROM old.meta WHERE key = 'audit-head')
      WHERE key = 'audit-head';
      DELETE FROM audit; INSERT INTO audit SELECT * FROM old.audit
      """,
      9,
      "truncated"
    ),
    Damage(
      "tail put back",
      "DELETE FROM audit; INSERT INTO audit SELECT * FROM old.audit",
      9,
      "truncated"
    ),
  ]

  /// A vault with twelve records, and a copy of its store with eight.
  private static func damaged(_ damage: Damage?) async throws -> Bench {
    let bench = try Bench()
    do {
      let vault = try await bench.open()
      try await bench.signIn(vault)
      try await bench.protect(vault)
      bench.clock.advance(3600)
      let need = try await need { _ = try await vault.token() }
      try await bench.pass(need, vault, caller())
      bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
      _ = try await vault.token(prompt: need.prompt)
    }
    try #require(try await bench.withStore { try $0.auditCount() } == 8)
    try run("/bin/cp", [bench.scratch.path + "/vault.db", bench.scratch.base + "/old.db"])
    do {
      let vault = try await bench.open()
      bench.clock.advance(3600)
      try await bench.unlock(vault)
      bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
      _ = try await vault.token()
    }
    try #require(try await bench.withStore { try $0.auditCount() } == 12)
    if let damage { try edit(bench, damage.sql) }
    return bench
  }

  private static func edit(_ bench: Bench, _ sql: String) throws {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1] + "/vault/vault.db", isolation_level=None)
      store.execute("ATTACH ? AS old", (sys.argv[1] + "/old.db",))
      store.executescript("PRAGMA ignore_check_constraints = 1;" + sys.argv[2])
      """
    try run("/usr/bin/python3", ["-c", program, bench.scratch.base, sql])
  }

  @Test
  func anUnchangedAuditLogIsIntact() async throws {
    let bench = try await Self.damaged(nil)
    let facts = try await bench.open().verifyAuditLog()
    #expect(facts.isWhole)
    #expect(facts.bad == nil)
    #expect(facts.problem == nil)
    #expect([Int64(facts.records), facts.first, facts.last] == [12, 1, 12])
  }

  @Test
  func anIntactAuditLogIsNoFinding() async throws {
    let bench = try await Self.damaged(nil)
    let finding = try #require(await bench.open().examine().first { $0.name == "audit-log" })
    #expect(finding.level == .ok && finding.remedy == nil)
  }

  @Test(arguments: damages)
  func theFirstBadRecordIsNamedAndStaysNamed(_ damage: Damage) async throws {
    let bench = try await Self.damaged(damage)
    let before: AuditReport
    do {
      let vault = try await bench.open()
      before = try await vault.verifyAuditLog()
      #expect(!before.isWhole)
      #expect(before.bad == damage.bad)
      #expect(before.problem == damage.problem)
      // The vault stays usable, and its new records hide nothing.
      let count = before.records
      for _ in 0..<3 { try await bench.unlock(vault) }
      let after = try await vault.verifyAuditLog()
      #expect(!after.isWhole)
      #expect(after.bad == damage.bad)
      #expect(after.problem == damage.problem)
      #expect(after.records == count + 6)
      let finding = try #require(await vault.examine().first { $0.name == "audit-log" })
      #expect(finding.level == .problem)
      #expect(finding.message.contains("record \(damage.bad) "))
      #expect(finding.remedy?.contains("audit verify") == true)
    }
    let again = try await bench.open().verifyAuditLog()
    #expect(!again.isWhole)
    #expect(again.bad == damage.bad)
  }
}
