import AuditLog
import Testing

/// The log after its first records were removed.
@Suite
struct RetentionTests {
  @Test
  func theChainContinuesAtTheCheckpoint() throws {
    let log = try Log(records: 17)
    try log.prune(keeping: 10)
    let verdict = try log.verdict()
    #expect(verdict.found == nil)
    #expect([Int64(verdict.records), verdict.first, verdict.last] == [10, 9, 18])
    try log.write(30)
    try log.prune(keeping: 10)
    let later = try log.verdict()
    #expect(later.found == nil)
    #expect([Int64(later.records), later.first, later.last] == [10, 40, 49])
  }

  @Test
  func aLogWithinItsLimitsStays() throws {
    let log = try Log(records: 10)
    try log.prune(keeping: 10)
    #expect(try log.verdict().records == 10)
  }

  @Test(arguments: [
    ("DELETE FROM audit WHERE number = 17", Int64(17), AuditFlaw.dropped),
    ("DELETE FROM meta WHERE key = 'audit-checkpoint'", 1, .dropped),
    ("UPDATE meta SET value = zeroblob(73) WHERE key = 'audit-checkpoint'", 17, .checkpoint),
    ("UPDATE audit SET number = 16 WHERE number = 20", 16, .added),
    ("DELETE FROM audit WHERE number = 21", 21, .truncated),
  ])
  func aPrunedLogIsGuardedAsWell(_ sql: String, _ bad: Int64, _ flaw: AuditFlaw) throws {
    let log = try Log(records: 20)
    try log.prune(keeping: 5)
    let verdict = try log.verdict()
    #expect(verdict.found == nil)
    #expect([verdict.first, verdict.last] == [17, 21])
    try log.edit(sql)
    let found = try #require(try log.verdict().found)
    #expect(found.number == bad)
    #expect(found.flaw == flaw)
  }
}
