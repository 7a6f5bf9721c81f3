import Glibc
import JSON
import System
import TestSupport
import Testing
import VaultInterface

/// The service asks the person of a program without a terminal by an agent in the person's session:
/// a real notification server, a real pinentry, a virtual reader and the password of a real user.
@Suite(.serialized)
struct AgentTests {
  static let question = "Touch the fingerprint reader to use account 'me' (requested by"

  let backend: DevBackend
  let bench: ServiceBench
  let person: Customer
  let desk: Desk

  /// A person at a desktop, with an enrolled finger and the protected account `me`, whose token has
  /// expired.
  init() throws {
    backend = try DevBackend()
    bench = try ServiceBench(idle: 2, withSessions: true)
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

  func startAgent(_ options: String...) throws -> Run {
    let run = try person.start(["agent"] + options, variables: desk.variables)
    try #require(eventually { isKnown(run.child.identifier) })
    return run
  }

  /// Whether the engine has noted an agent, which then watches the directory where it is called.
  func isKnown(_ process: Int32) -> Bool {
    let names = (try? Directory(path: "\(bench.directory)/agents").names()) ?? []
    return names.contains { $0.hasPrefix("\(person.user.user).\(process).") }
  }

  /// `token me` without a terminal, outside the desktop.
  func token(_ arguments: String...) throws -> Run {
    try person.start(["token", "me"] + arguments)
  }

  func ends(_ run: Run, _ code: Int32, _ text: String, others: Int = 0) throws {
    try desk.expectEnd(of: run, code, text, hiding: person.systemPassword, others: others)
  }

  func stop(_ agent: Run, _ said: String = "") throws {
    kill(agent.child.identifier, SIGTERM)
    #expect(try agent.text() == said)
    #expect(try agent.child.wait() == .exited(0))
  }

  /// A program of a person that acts as an agent, and only prints the prompts that it gets.
  private func idleAgent(of person: Someone) throws -> Run {
    let program = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      s.sendall(b'{"method":"io.thumblatch.Vault.NextPrompt","parameters":{}}\\0')
      print("ready", flush=True)
      print(s.recv(65536), flush=True)
      s.recv(1)
      """
    let run = try Run(
      "/usr/bin/setpriv",
      person.become + ["/usr/bin/python3", "-c", program, bench.socket],
      environment: ["PATH=/usr/bin:/bin"]
    )
    try run.waitForOutput()
    return run
  }

  @Test
  func aTouchAtTheDeskAnswersAProgramWithoutATerminal() throws {
    let agent = try startAgent()
    let run = try token()
    let number = try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    // The log names the program that asked.
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains(#""method":"fingerprint""#), "\(log)")
    try stop(agent)
  }

  @Test
  func thePasswordIsAskedInAWindowAfterAClick() throws {
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('wrong')")
    try desk.sees("Wrong password.")
    try desk.run("desk.type(\(desk.quoted(person.systemPassword)))")
    try ends(run, 0, "at_")
    try stop(agent)
  }

  @Test
  func aLateHelperAndTheNextCallHaveOneNotification() throws {
    let agent = try startAgent()
    let notifications = "len({each['id'] for each in desk.shown} - {0})"
    func isLate() throws {
      let late = try token("--helper", "--within", "1s")
      let shown = try late.text()
      #expect(try late.child.wait() == .exited(5))
      #expect(shown.contains("no token within 1s") && !shown.contains("at_"), "\(shown)")
    }
    try isLate()
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    // Another helper joins the open prompt.
    try isLate()
    #expect(try desk.run(notifications) == .integer(1))
    try person.touch()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    try ends(try token("--helper", "--within", "60s"), 0, "at_")
    #expect(try desk.run(notifications) == .integer(1))
    try stop(agent)
  }

  /// The next engine knows it too, and does not call an agent that has ended.
  @Test
  func anAgentThatHasEndedIsNotWaitedFor() throws {
    let agent = try startAgent()
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    try bench.endEngine()
    try ends(try token(), 7, "no agent runs in your session")
    let names = try Directory(path: "\(bench.directory)/agents").names()
    #expect(!names.contains("\(person.user.user)"))
  }

  @Test(arguments: ["click('Deny')", "click_text()"])
  func denyingEndsTheCheckAndSendsNothing(_ act: String) throws {
    let agent = try startAgent()
    try backend.clear()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.\(act)")
    try ends(run, 3, "the presence check was cancelled")
    #expect(eventually { !person.readerIsOpen })
    #expect(try backend.requests().isEmpty)
    try stop(agent)
  }

  @Test
  func withoutAnAgentTheProgramIsToldSo() throws {
    let run = try token()
    try ends(run, 7, "no agent runs in your session")
    #expect(try desk.count() == 0)
  }

  @Test
  func theEndOfTheProgramThatAsksTakesThePromptAway() throws {
    let agent = try startAgent()
    let run = try token()
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    kill(run.child.identifier, SIGKILL)
    _ = try run.text()
    _ = try run.child.wait()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    #expect(eventually { !person.readerIsOpen })
    let shown = try desk.count()
    let second = try token()
    try desk.sees(Self.question, above: shown)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.await_window()")
    kill(second.child.identifier, SIGKILL)
    _ = try second.text()
    _ = try second.child.wait()
    // The agent has no pending call then: the end of its connection tells it.
    try desk.run("desk.await_no_window()")
    try stop(agent)
  }

  @Test
  func theEndOfTheAgentEndsTheCheck() throws {
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    // Its notification stays without effect.
    try ends(run, 3, "the agent at the desktop has ended", others: 1)
    #expect(eventually { !person.readerIsOpen })
  }

  @Test
  func anAgentThatShowsNothingIsPassedOver() throws {
    let agent = try startAgent()
    let idle = try idleAgent(of: person)
    let run = try token()
    try idle.waitForOutput()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    kill(idle.child.identifier, SIGKILL)
    _ = try idle.child.wait()
    try stop(agent)
  }

  @Test
  func aLockedScreenAndTheRuleOffShowNothing() throws {
    let agent = try startAgent()
    try bench.act("set_session('first', LockedHint=True)")
    try ends(try token(), 7, "no prompt is shown for your session: its screen is locked")
    try bench.act("set_session('first', LockedHint=False)")
    try ends(try token("--no-input"), 7, "--no-input")
    let policy = "\(bench.base)/machine/thumblatch.conf"
    try shell("umask 022; printf '[Policy]\\ndesktop = off\\n' >\(policy)")
    try ends(try token(), 7, "desktop = off")
    #expect(try desk.count() == 0)
    try stop(agent)
  }

  @Test
  func anEngineThatEndsLeavesTheAgentWaiting() throws {
    let agent = try startAgent()
    try person.run("status").succeeded()
    #expect(eventually { bench.engine == nil })
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    // The agent leaves, and the engine ends again.
    #expect(eventually { bench.engine == nil })
    try stop(agent)
  }

  @Test
  func noOtherCallerGetsThePromptOrPassesIt() throws {
    let other = try Customer(bench, isSecond: true)
    let strange = try idleAgent(of: other)
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try bench.endEngine()
    #expect(try strange.text() == "ready\nb''\n")
    _ = try strange.child.wait()
    try stop(agent)
  }
}
