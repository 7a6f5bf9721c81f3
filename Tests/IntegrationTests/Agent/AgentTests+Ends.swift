import Glibc
import System
import TestSupport
import Testing

// A program or the agent ends while another prompt waits: one prompt at a time is shown at a desk.
extension AgentTests {
  @Test
  func theEndOfTheProgramThatAsksGivesTheTurnToTheNext() throws {
    let agent = try startAgent()
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    let second = try person.start(["presence", "test"])
    kill(first.child.identifier, SIGKILL)
    _ = try first.text()
    _ = try first.child.wait()
    try desk.sees("Touch the fingerprint reader to test the presence check")
    try person.touchAgain()
    try ends(second, 0, "the presence check passed, by fingerprint")
    try stop(agent)
  }

  @Test
  func theEndOfTheAgentEndsBothPrompts() throws {
    let agent = try startAgent()
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    let second = try person.start(["presence", "test"])
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    // The notification stays without effect.
    try ends(first, 3, "the agent at the desktop has ended", others: 1)
    // It learns that the agent has ended, or that none runs.
    try ends(second, 7, "and no desktop: ", others: 1)
    #expect(eventually { !person.readerIsOpen })
  }

  /// Five misses leave the password only, at the desk as at a terminal.
  @Test
  func afterTooManyMissesTheDeskAsksForThePassword() throws {
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    for _ in 1...5 { try person.touchAgain("stranger") }
    try desk.sees("the system password is needed once")
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type(\(desk.quoted(person.systemPassword)))")
    try ends(run, 0, "at_")
    try stop(agent)
  }
}
