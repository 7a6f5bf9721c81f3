import AuditLog
import Testing

/// The log under the keys of another device secret.
@Suite
struct ReauthenticationTests {
  @Test
  func underOtherKeysTheLogIsAsIntactAsBefore() throws {
    let log = try Log(records: 600)
    try log.prune(keeping: 580)
    try log.changeKeys()
    try log.write(3)
    let verdict = try log.verdict()
    #expect(verdict.found == nil)
    #expect([verdict.first, verdict.last] == [27, 604])
    // Under keys that did not write it, the log does not verify.
    #expect(try log.verdictUnderOtherKeys().found?.flaw == .checkpoint)
  }

  @Test(arguments: [
    ("UPDATE audit SET detail = 'x' WHERE number = 300", Int64(300), AuditFlaw.altered),
    ("UPDATE audit SET detail = CAST(x'ff' AS TEXT) WHERE number = 300", 300, .altered),
    ("DELETE FROM audit WHERE number = 300", 300, .dropped),
    ("DELETE FROM audit WHERE number > 300", 301, .truncated),
    ("DELETE FROM meta WHERE key = 'audit-head'", 601, .head),
  ])
  func otherKeysDoNotMakeABrokenLogIntact(
    _ sql: String,
    _ bad: Int64,
    _ flaw: AuditFlaw
  ) throws {
    let log = try Log(records: 600)
    try log.edit(sql)
    try log.changeKeys()
    try log.write(3)
    let found = try #require(try log.verdict().found)
    #expect(found.number == bad)
    #expect(found.flaw == flaw)
  }
}
