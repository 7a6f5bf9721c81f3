import Glibc
import System
import TestSupport
import Testing

// The directory in which the engine of a private vault notes its agents.
extension PrivateAgentTests {
  private var agents: String { person.state + "/agents" }

  private func makeAgents(mode: String) throws {
    try shell("install -d -m \(mode) -o \(person.user.name) \(agents)")
  }

  @Test
  func anAgentSaysThatTheEngineDoesNotUseADirectoryThatOthersMayEnter() throws {
    defer { bus.remove() }
    try makeAgents(mode: "755")
    let agent = try person.start(["agent"], variables: desk.variables)
    try ends(agent, 6, "chmod 700 \(agents)")
  }

  @Test
  func anAgentThatTheEngineDoesNotNoteSaysSo() throws {
    defer { bus.remove() }
    try makeAgents(mode: "700")
    let others = try (0..<16).map { _ in
      try ChildProcess(path: "/bin/sleep", arguments: ["600"], environment: [], descriptors: [])
    }
    defer {
      for other in others {
        other.kill()
        _ = try? other.wait()
      }
    }
    let directory = try Directory(path: agents)
    for other in others {
      let facts = try #require(ProcessFacts(process: other.identifier))
      try directory.note(
        ProcessNote(user: person.user.user, process: other.identifier, started: facts.started)
      )
    }
    let agent = try person.start(["agent"], variables: desk.variables)
    try agent.waitForOutput()
    #expect(notes.count == 16)
    try stop(
      agent,
      "the engine does not call this agent: too many agents run, or it cannot write into \(agents)\n"
    )
  }

  /// Neither the engine nor the program reaches logind.
  @Test
  func withoutLogindNoPromptIsShownAtTheDesk() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    // The command starts the next engine, which asks the machine's bus.
    try person.endEngine()
    let lost = desk.variables.filter { !$0.hasPrefix("DBUS_SYSTEM_BUS_ADDRESS=") }
    let run = try person.start(
      ["token", "me"],
      variables: lost + ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=/none"]
    )
    try ends(run, 7, "logind does not answer")
    #expect(try desk.count() == 0)
    try stop(agent)
  }
}
