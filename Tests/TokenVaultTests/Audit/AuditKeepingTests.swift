import AuditLog
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Retention, and audit logs whose head was removed.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AuditKeepingTests {
  /// A vault on the bench that keeps few records.
  private func open(
    _ bench: Bench,
    seconds: Int64 = 1 << 40,
    records: Int = 100_000
  ) async throws -> Vault {
    try await bench.open(limits: AuditLimits(seconds: seconds, records: records))
  }

  @Test
  func whatIsTooManyIsRemovedAndTheChainGoesOn() async throws {
    let bench = try Bench()
    let vault = try await open(bench, records: 10)
    try await vault.write(10)
    try await vault.maintainAuditLog()
    #expect(try await vault.verifyAuditLog().records == 10)
    try await vault.write(7)
    try await vault.pruneAuditLog()
    let facts = try await vault.verifyAuditLog()
    #expect(facts.isWhole)
    #expect([Int64(facts.records), facts.first, facts.last] == [10, 9, 18])
    let last = try await vault.auditPage(after: 0, since: nil, account: nil).last
    #expect(last?.event == "audit-pruning")
    #expect(last?.detail == "8 records removed, up to number 8")
    // Once more, from the checkpoint on.
    try await vault.write(30)
    try await vault.pruneAuditLog()
    let more = try await vault.verifyAuditLog()
    #expect(more.isWhole)
    #expect([Int64(more.records), more.first, more.last] == [10, 40, 49])
  }

  @Test
  func whatIsTooOldIsRemovedOnceADay() async throws {
    let bench = try Bench()
    let vault = try await open(bench, seconds: 365 * 86_400)
    try await vault.write(5)
    try await vault.maintainAuditLog()
    bench.clock.advance(364 * 86_400)
    try await vault.write(2)
    try await vault.maintainAuditLog()
    #expect(try await vault.verifyAuditLog().records == 7)
    bench.clock.advance(2 * 86_400)
    try await vault.write(1)
    try await vault.maintainAuditLog()
    let facts = try await vault.verifyAuditLog()
    #expect(facts.isWhole)
    #expect([Int64(facts.records), facts.first, facts.last] == [4, 6, 9])
    // The last record stays, however old it is, because the head refers to it.
    bench.clock.advance(400 * 86_400)
    try await vault.maintainAuditLog()
    let rest = try await vault.verifyAuditLog()
    #expect(rest.isWhole)
    #expect([Int64(rest.records), rest.first, rest.last] == [2, 9, 10])
  }

  @Test
  func whatIsRemovedIsCheckedForTheLastTime() async throws {
    let bench = try Bench()
    try await write(bench, 20)
    try edit(bench, "UPDATE audit SET detail = 'nothing' WHERE number = 3")
    let vault = try await open(bench, records: 5)
    try await vault.pruneAuditLog()
    let facts = try await vault.verifyAuditLog()
    #expect(facts.first == 17)
    #expect(facts.bad == 3)
    #expect(facts.problem == "altered")
    try await vault.write(20)
    try await vault.pruneAuditLog()
    #expect(try await vault.verifyAuditLog().bad == 3)
  }

  @Test
  func moreThanAHundredThousandRecordsAreCutAndChecked() async throws {
    let bench = try Bench()
    let vault = try await open(bench)
    let clock = ContinuousClock()
    try await vault.writeMany(100_500)
    let cut = try await clock.measure { try await vault.maintainAuditLog() }
    let checked = try await clock.measure {
      let facts = try await vault.verifyAuditLog()
      #expect(facts.isWhole)
      #expect([Int64(facts.records), facts.first, facts.last] == [99_000, 1502, 100_501])
    }
    print("100,500 records: checked in \(checked), cut in \(cut)")
  }

  @Test
  func othersAreServedWhileTheAuditLogIsVerified() async throws {
    let bench = try Bench()
    let vault = try await open(bench, records: 1000)
    try await vault.write(5000)
    let isDone = Box<Bool>()
    async let facts = {
      let facts = try await vault.verifyAuditLog()
      isDone.put(true)
      return facts
    }()
    var served = 0
    while isDone.value == nil {
      try await vault.write(1)
      if served == 1 { try await vault.pruneAuditLog() }
      served += 1
      await Task.yield()
    }
    #expect(try await facts.isWhole)
    #expect(served > 1)
    #expect(try await vault.verifyAuditLog().isWhole)
  }

  // MARK: - Without a head

  @Test(arguments: [
    "DELETE FROM audit; DELETE FROM meta WHERE key IN ('audit-head', 'audit-checkpoint');",
    "DELETE FROM audit WHERE number > 5;", "DELETE FROM meta WHERE key = 'audit-head';",
    "DELETE FROM audit; DELETE FROM meta WHERE key IN ('audit-head', 'box-seal');",
    "DELETE FROM meta WHERE key IN ('audit-head', 'vault', 'device-secret-id');",
  ])
  func anAuditLogThatLosesItsHeadIsNotIntact(_ sql: String) async throws {
    let bench = try Bench()
    try await write(bench, 9)
    try edit(bench, sql)
    let vault = try await bench.open()
    #expect(try await !vault.verifyAuditLog().isWhole)
    try await vault.write(1)
    #expect(try await !vault.verifyAuditLog().isWhole)
  }

  // MARK: -

  private func write(_ bench: Bench, _ count: Int) async throws {
    do {
      let vault = try await bench.open()
      try await vault.write(count)
    }
    try await bench.withStore { _ in }
  }

  private func edit(_ bench: Bench, _ sql: String) throws {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.executescript(sys.argv[2])
      """
    try run("/usr/bin/python3", ["-c", program, bench.scratch.path + "/vault.db", sql])
  }
}

extension Vault {
  /// Writes this many records in one transaction.
  fileprivate func write(_ count: Int) throws {
    try change {
      for number in 0..<count {
        var entry = AuditEntry(event: .lock, outcome: .done)
        entry.requester = "bash, PID \(number)"
        try self.record(entry)
      }
    }
  }

  /// Writes this many first records and their head, faster than one by one.
  fileprivate func writeMany(_ count: Int64) throws {
    var head = AuditHead.empty
    try store.transaction {
      for number in 1...count {
        var row = AuditRow(
          number: number,
          time: clock.wall.seconds,
          owner: owner,
          event: "lock",
          outcome: "done",
          mac: []
        )
        row.requester = "bash, PID \(number)"
        row.mac = try auditLog.code(
          of: row,
          number: number,
          previous: head.code,
          using: storeState.keys.audit
        )
        try store.append(row)
        head.code = row.mac
      }
      head.last = count
      head.count = count
      try auditLog.write(head, using: storeState.keys.audit)
    }
  }
}
