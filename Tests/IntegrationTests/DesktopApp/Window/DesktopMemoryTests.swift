import Glibc
import System
import TestSupport
import Testing

// The system password that is typed into a window of the desktop, in the memory of the programs
// that read it. The copies of pinentry are out of reach until its process ends.

private let wrongPassword = "wrong-Pa55word-4471ac90"

extension DesktopPromptTests {
  /// The command of a private vault reads the answer of pinentry, and hands it to the engine.
  @Test
  func noPasswordOfAWindowIsLeftInTheMemoryOfTheCommand() throws {
    let record = try MemoryRecord()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('\(wrongPassword)')")
    try desk.sees("Wrong password.")
    try record.keep("second question", of: person, running: "thumblatch-cli")
    try person.backend.fail(.init("/auth/refresh", hold: true))
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try person.backend.waitForRequests("/auth/refresh")
    try record.keep(
      "refresh under way",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-exchange"
    )
    #expect(
      try record.places(of: ["wrong": wrongPassword, "right": Someone.systemPassword]) == []
    )
    // Control: the environment of the command is in its memory.
    let control = try record.places(of: ["home": person.home])
    for moment in ["second question", "refresh under way"] {
      #expect(control.contains("\(moment), thumblatch-cli: home"), "\(control)")
    }
    try person.backend.release()
    try ends(run, 0, "at_")
  }
}

extension AgentTests {
  /// The agent reads the answer of pinentry, and hands it to the service.
  @Test
  func noPasswordOfAWindowIsLeftInTheMemoryOfTheAgent() throws {
    let record = try MemoryRecord()
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('\(wrongPassword)')")
    try desk.sees("Wrong password.")
    try record.keep("second question", "thumblatch-cli", agent.child.identifier)
    try desk.run("desk.type(\(desk.quoted(person.systemPassword)))")
    try ends(run, 0, "at_")
    try record.keep("after the check", "thumblatch-cli", agent.child.identifier)
    let engine = try #require(bench.engine)
    try record.keep("after the check", "thumblatchd", engine)
    #expect(
      try record.places(of: ["wrong": wrongPassword, "right": person.systemPassword]) == []
    )
    let control = try record.places(of: ["home": person.home])
    for moment in ["second question", "after the check"] {
      #expect(control.contains("\(moment), thumblatch-cli: home"), "\(control)")
    }
    try stop(agent)
  }
}
