import TestSupport
import Testing

// A rule of the machine for other programs: the vault may answer from its cache.
extension CallerRuleStoryTests {
  private static let ruleForOthers = "[Caller elsewhere]\nunit = none.service"

  private func writeRuleForOthers() throws {
    try write(Self.ruleForOthers)
    let isHeld = try eventually { try person.run("rule", "list").succeeded().contains("elsewhere") }
    #expect(isHeld)
  }

  @Test
  func aRuleOfTheUsersOwnHoldsForATokenOfTheCache() throws {
    try writeRuleForOthers()
    try set("caller.mine.sandbox", "yes", "not set → yes")
    try set("caller.mine.accounts", "me", "not set → me")
    #expect(try person.run("token", "other").succeeded().hasPrefix("at_"))
    // The first call has the user's name looked up, which the cache's answer to the second one
    // needs.
    let program = person.programs + "/thumblatch"
    let both = "\(program) token me && exec \(program) token other"
    let outcome = try person.run(by: sandbox, ["/bin/sh", "-c", both])
    refuses(outcome, "user's rule \"mine\" does not allow")
    #expect(outcome.text.contains("at_"))
    // The rule ends, and the same call gets the token.
    try set("caller.mine.accounts", "default", "me → not set")
    try set("caller.mine.sandbox", "default", "yes → not set")
    try person.run(by: sandbox, ["/bin/sh", "-c", both]).succeeded()
  }

  @Test
  func aStatedReasonIsRecordedBesideARuleForOthers() throws {
    try writeRuleForOthers()
    let first = try person.run("token", "me").succeeded()
    #expect(try person.run("token", "me", "--reason", "nightly copy").succeeded() == first)
    try bench.endEngine()
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("nightly copy"), "\(log)")
  }
}
