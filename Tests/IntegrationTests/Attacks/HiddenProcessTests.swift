import Glibc
import System
import TestSupport
import Testing

/// The service on a machine whose proc(5) hides the processes of others (hidepid).
@Suite(.serialized)
struct HiddenProcessTests {
  private let backend: DevBackend
  private let bench: ServiceBench
  private let person: Customer
  private let desk: Desk

  /// A person at a desktop, with an enrolled finger and the protected account `me`, whose token has
  /// expired.
  init() throws {
    backend = try DevBackend()
    bench = try ServiceBench(withSessions: true, hidingProcesses: true)
    person = try Customer(bench, backend: backend)
    try person.register()
    try person.enroll()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    desk = try Desk(of: person, bus: bench.bus)
  }

  @Test
  func theNextEngineKnowsAnAgentThatItCannotSee() throws {
    let agent = try person.start(["agent"], variables: desk.variables)
    let note = "\(person.user.user).\(agent.child.identifier).0"
    try #require(
      eventually {
        (try? Directory(path: "\(bench.directory)/agents").names().contains(note)) == true
      }
    )
    try bench.endEngine()
    let run = try person.start(["token", "me"])
    try desk.sees(AgentTests.question)
    try person.touch()
    try desk.expectEnd(of: run, 0, "at_", hiding: person.systemPassword)
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    try person.expireTokens()
    let next = try person.start(["token", "me"])
    try desk.expectEnd(
      of: next,
      7,
      "no agent runs in your session",
      hiding: person.systemPassword
    )
  }
}
