import System
import TestSupport
import Testing

// The limits of a rule that need neither scopes nor a desk. `SignInNoticeTests+Rules` has the
// others.
extension CallerRuleStoryTests {
  /// Waits until a rule holds, which is within a tenth of a second.
  private func expectHeld(_ code: Int32) throws {
    let isHeld = try eventually { try inSandbox("token", "me", "--no-input").end == .exited(code) }
    try #require(isHeld)
  }

  /// The backend's tokens live for a quarter of an hour.
  @Test
  func aTokenThatLivesTooLongIsNotHandedOut() throws {
    let token = try inSandbox("token", "me").succeeded()
    try write("[Caller box]\nsandbox = yes\nlifetime = 5")
    try expectHeld(11)
    refuses(
      try inSandbox("token", "me"),
      "the rule \"box\" does not allow a token that lives longer than 5 min"
    )
    #expect(try person.run("token", "me").succeeded() == token)
    try write("[Caller box]\nsandbox = yes\nlifetime = 15")
    try expectHeld(0)
    #expect(try inSandbox("token", "me").succeeded() == token)
    refuses(
      try inSandbox("token", "me", "--min-ttl", "16m"),
      "the rule \"box\" does not allow a token that lives longer than 15 min"
    )
  }

  /// A stored token needs no check without the rule.
  @Test
  func eachTokenUnderARuleNeedsACheckOfItsOwn() throws {
    let token = try inSandbox("token", "me").succeeded()
    try write("[Caller box]\nsandbox = yes\npresence = each")
    try expectHeld(7)
    let words = sandbox + [person.programs + "/thumblatch", "token", "me"]
    for _ in 1...2 {
      let terminal = try TerminalSession(words, environment: person.environment, columns: 200)
      try terminal.expect("Type the system password to use account 'me'")
      try terminal.expect("System password for")
      try terminal.enter(person.systemPassword)
      #expect(try terminal.end().contains(token.dropLast()))
    }
    let denied = try TerminalSession(words, environment: person.environment, columns: 200)
    try denied.expect("System password for")
    try denied.type("\u{3}")
    #expect(try !denied.end(130).contains("at_"))
    refuses(try inSandbox("token", "me", "--no-input"), "--no-input", code: 7)
    #expect(try person.run("token", "me").succeeded() == token)
    let log = try person.run("audit", "--json").succeeded()
    let records = log.split(separator: #""event":"access-token","outcome":"done""#).count - 1
    #expect(records == 2, "\(log)")
    #expect(log.contains(#""detail":"rule \"box\"""#), "\(log)")
  }
}
