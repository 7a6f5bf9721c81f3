import Glibc
import System
import TestSupport
import Testing

// A program is killed while the service checks the password that was typed at the desk.
extension AgentTests {
  /// Types the password, and waits until PAM has accepted it and holds its answer.
  private func typePassword(_ reached: String) throws {
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type(\(desk.quoted(person.systemPassword)))")
    #expect(eventually { unsafe access(reached, F_OK) == 0 })
  }

  private func allowsNothing() throws {
    #expect(eventually { processes(in: bench.programs, named: "thumblatch-presence") == [] })
    #expect(try backend.requests().isEmpty)
  }

  @Test
  func theEndOfTheAgentEndsTheCheckOfThePassword() throws {
    let (reached, _) = try person.haltPAM()
    let agent = try startAgent()
    try backend.clear()
    let run = try token()
    try typePassword(reached)
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    // Its notification stays without effect.
    try ends(run, 3, "the agent at the desktop has ended", others: 1)
    try allowsNothing()
  }

  @Test
  func theEndOfTheProgramThatAsksEndsTheCheckOfThePassword() throws {
    let (reached, _) = try person.haltPAM()
    let agent = try startAgent()
    try backend.clear()
    let run = try token()
    try typePassword(reached)
    kill(run.child.identifier, SIGKILL)
    _ = try run.text()
    _ = try run.child.wait()
    try desk.run("desk.await_no_window()")
    try desk.run("desk.await_open(0)")
    try allowsNothing()
    try stop(agent)
  }

  /// The replacement of a protected secret needs its own check, which ends with the tool's helper.
  @Test
  func theEndOfAHelperThatReplacesASecretKeepsTheOldOne() throws {
    let agent = try startAgent()
    try person.run(
      ["store", "pat", "--host", "docker.example.org", "--username", "ann", "--protect"]
        + ["--secret-stdin"],
      input: "old-secret\n"
    ).succeeded()
    let file = "cat ~/.config/thumblatch/hosts.conf"
    let hosts = try person.shell(file).succeeded()
    let helper = try person.start(
      ["docker-credential", "store"],
      typing: #"{"ServerURL":"docker.example.org","Username":"ann","Secret":"new-secret"}"#
    )
    let number = try desk.sees("Touch the fingerprint reader to replace")
    #expect(eventually { person.readerIsOpen })
    kill(helper.child.identifier, SIGKILL)
    _ = try helper.text()
    _ = try helper.child.wait()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    #expect(eventually { !person.readerIsOpen })
    #expect(try person.shell(file).succeeded() == hosts)
    let shown = try desk.count()
    let get = try person.start(["docker-credential", "get"], typing: "docker.example.org")
    try desk.sees("to use account 'pat'", above: shown)
    try person.touchAgain()
    try ends(get, 0, "old-secret")
    try stop(agent)
  }
}
