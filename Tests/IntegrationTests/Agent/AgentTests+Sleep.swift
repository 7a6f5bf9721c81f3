import System
import TestSupport
import Testing

// The computer sleeps while a prompt is shown: its service and its agent, and a stand-in for
// logind.
extension AgentTests {
  /// Lets the computer sleep as soon as nothing delays it.
  ///
  /// The reader is free at that moment.
  private func fallAsleep() throws {
    try bench.act("await_inhibitor(True)")
    try bench.act("prepare_for_sleep(True)")
    try bench.act("await_inhibitor(False)")
    #expect(!person.readerIsOpen)
  }

  /// After the sleep a touch answers the next program.
  private func wakeUp(showing count: Int64) throws {
    try bench.act("prepare_for_sleep(False)")
    let run = try token()
    try desk.sees(Self.question, above: count)
    try person.touchAgain()
    try ends(run, 0, "at_")
  }

  @Test(arguments: [false, true])
  func sleepEndsAPromptAtTheDesk(_ asksForPassword: Bool) throws {
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    if asksForPassword {
      try desk.run("desk.click('Type password')")
      try desk.run("desk.await_window()")
    } else {
      #expect(eventually { person.readerIsOpen })
    }
    try fallAsleep()
    try ends(run, 3, "the presence check was cancelled")
    try wakeUp(showing: desk.count())
    try stop(agent)
  }

  @Test(arguments: [false, true])
  func sleepEndsAPromptAtATerminal(_ asksForPassword: Bool) throws {
    let agent = try startAgent()
    let terminal = try person.terminal("token", "me")
    try terminal.expect("Touch the fingerprint reader")
    if asksForPassword {
      try terminal.enter("")
      try terminal.expect("System password for")
    } else {
      #expect(eventually { person.readerIsOpen })
    }
    try fallAsleep()
    // The window stays until it is answered, but the right password no longer opens anything.
    if asksForPassword { try terminal.enter(person.systemPassword) }
    let shown = try terminal.end(3)
    #expect(
      shown.contains("the presence check was cancelled") && !shown.contains("at_"),
      "\(shown)"
    )
    #expect(try desk.count() == 0)
    try wakeUp(showing: 0)
    try stop(agent)
  }
}
