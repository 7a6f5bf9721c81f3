import Glibc
import JSON
import System
import TestSupport
import Testing

/// An agent at a private vault: a real engine that asks a stand-in for logind, a real notification
/// server, a real pinentry and a virtual reader.
@Suite(.serialized)
struct PrivateAgentTests {
  static let question = "Touch the fingerprint reader to use account 'me' (requested by"

  let person: Person
  let bus: DesktopBus
  let desk: Desk

  /// A person at a desktop, with an enrolled finger and the protected account `me`, whose token has
  /// expired.
  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    try bus.act("seat_users({\(person.user.user): 'c1'})")
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    desk = try Desk(of: person, bus: bus.address)
    try person.startEngine(asking: bus)
  }

  /// Makes the tokens expire, which a new engine finds.
  func expireTokens() throws {
    try person.expireTokens()
    try person.startEngine(asking: bus)
  }

  var notes: [String] {
    let names = (try? Directory(path: person.state + "/agents").names()) ?? []
    return names.filter { $0.hasPrefix("\(person.user.user).") }
  }

  /// Starts an agent, and waits until the engine knows it.
  func startAgent(_ options: String...) throws -> Run {
    let run = try person.start(["agent"] + options, variables: desk.variables)
    let process = "\(person.user.user).\(run.child.identifier)."
    try #require(eventually { notes.contains { $0.hasPrefix(process) } })
    return run
  }

  /// `token me` without a terminal; with `atDesktop` it could show the prompt itself.
  func token(_ arguments: String..., atDesktop: Bool = false) throws -> Run {
    try person.start(["token", "me"] + arguments, variables: atDesktop ? desk.variables : [])
  }

  func ends(_ run: Run, _ code: Int32, _ text: String, others: Int = 0) throws {
    try desk.expectEnd(of: run, code, text, hiding: Someone.systemPassword, others: others)
  }

  func kill(_ run: Run) throws {
    run.child.kill()
    _ = try run.child.wait()
  }

  func stop(_ agent: Run, _ said: String = "") throws {
    Glibc.kill(agent.child.identifier, SIGTERM)
    let text = try agent.text()
    #expect(text == said, "\(text)")
    #expect(try agent.child.wait() == .exited(0))
  }

  /// How many notifications were shown, however often each was changed.
  func notifications() throws -> JSONValue {
    try desk.run("len({each['id'] for each in desk.shown} - {0})")
  }

  @Test
  func aTouchAtTheAgentAnswersAProgramThatHasNoDesktop() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try token()
    let number = try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains(#""method":"fingerprint""#), "\(log)")
    try stop(agent)
  }

  @Test
  func thePasswordIsAskedByTheAgentAfterAClick() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try token(atDesktop: true)
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('wrong')")
    try desk.sees("Wrong password.")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "at_")
    try stop(agent)
  }

  /// The check opens the unlock window of the private vault, which all programs share.
  @Test
  func aCheckByTheAgentOpensTheUnlockWindow() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try person.start(["unlock", "--reason", "read the \"logs\""])
    try desk.sees("Touch the fingerprint reader to unlock")
    try desk.sees("stated reason, not verified: \"read the 'logs'\"")
    try person.touch()
    try ends(run, 0, "unlocked")
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("stated reason \\\"read the 'logs'\\\""), "\(log)")
    #expect(try person.run("status").succeeded().contains("unlocked"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    let long = String(repeating: "x", count: 201)
    try ends(try person.start(["lock"]), 0, "locked")
    try ends(try person.start(["unlock", "--reason", long]), 2, "at most 200 characters")
    try stop(agent)
  }

  @Test
  func aLateHelperAndTheNextCallHaveOneNotification() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    func isLate() throws {
      let late = try token("--helper", "--within", "1s", atDesktop: true)
      let shown = try late.text()
      #expect(try late.child.wait() == .exited(5))
      #expect(shown.contains("no token within 1s") && !shown.contains("at_"), "\(shown)")
    }
    try isLate()
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    // Another helper joins the open prompt.
    try isLate()
    #expect(try notifications() == .integer(1))
    try person.touch()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    try ends(try token("--helper", "--within", "60s", atDesktop: true), 0, "at_")
    #expect(try notifications() == .integer(1))
    try stop(agent)
  }

  @Test
  func afterTheEndOfTheAgentAProgramShowsItsPromptItselfAtOnce() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    try kill(agent)
    let run = try token(atDesktop: true)
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    // Without a desktop of its own it cannot, and no agent was called or waited for.
    try expireTokens()
    try ends(try token(), 7, "there is no terminal")
    let names = try Directory(path: person.state + "/agents").names()
    #expect(!names.contains("\(person.user.user)"))
  }

  @Test
  func theEndOfTheAgentDuringTheCheckEndsIt() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try token(atDesktop: true)
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    try kill(agent)
    try ends(run, 3, "the agent at the desktop has ended", others: 1)
    #expect(eventually { !person.readerIsOpen })
    let count = try desk.count()
    let next = try token(atDesktop: true)
    try desk.sees(Self.question, above: count)
    try person.touchAgain()
    try ends(next, 0, "at_", others: 1)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func theAgentComesBackToTheNextEngine(_ signal: Int32) throws {
    defer { bus.remove() }
    let agent = try startAgent()
    for engine in processes(in: person.programs, named: "thumblatchd") {
      Glibc.kill(engine, signal)
      try waitForEnd(engine)
    }
    try person.startEngine(asking: bus)
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try stop(agent)
  }

  /// The person can no longer answer the shown prompt, and the agent shows the next one.
  @Test
  func theEndOfTheEngineTakesThePromptAway() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    for engine in processes(in: person.programs, named: "thumblatchd") {
      Glibc.kill(engine, SIGKILL)
      try waitForEnd(engine)
    }
    try ends(run, 5, "the engine closed the connection")
    #expect(eventually { !person.readerIsOpen })
    try stop(agent)
  }

  @Test
  func ofTwoAgentsTheNewestShowsThePromptAndTheOtherTakesItsPlace() throws {
    defer { bus.remove() }
    let first = try startAgent()
    let second = try startAgent()
    #expect(notes.count == 2)
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    #expect(try notifications() == .integer(1))
    try kill(second)
    // The engine stays: an agent that was called during the check would start another one.
    let count = try desk.count()
    let next = try person.start(["unlock"])
    try desk.sees("Touch the fingerprint reader to unlock", above: count)
    try person.touchAgain()
    try ends(next, 0, "unlocked")
    try stop(first)
  }

  @Test(arguments: [
    ("LockedHint=True", "its screen is locked"), ("Active=False", "not active"),
    ("Remote=True", "remote session"),
  ])
  func noPromptIsShownInASessionWhosePersonIsNotAtTheMachine(
    _ change: String,
    _ reason: String
  ) throws {
    defer { bus.remove() }
    let agent = try startAgent()
    try bus.act("set_session('c1', \(change))")
    try ends(try token(atDesktop: true), 7, reason)
    try ends(try token(), 7, "there is no terminal")
    try ends(try token("--no-input", atDesktop: true), 7, "--no-input")
    #expect(try desk.count() == 0)
    try stop(agent)
  }

  /// Without logind no session is known: the program decides about its own prompt, as without an
  /// agent.
  @Test
  func anEngineThatDoesNotReachLogindLeavesThePromptToTheProgram() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    // The command starts the next engine, which asks the machine's bus.
    try person.endEngine()
    let run = try token(atDesktop: true)
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try stop(agent)
  }

  @Test
  func aUseIsShownQuietlyIfTheRuleAsksForIt() throws {
    defer { bus.remove() }
    let rule = try person.terminal("policy", "notify", "all")
    try rule.expect("System password for")
    try rule.enter(Someone.systemPassword)
    try rule.end()
    #expect(try person.run("policy", "desktop", "off").end == .exited(2))
    let agent = try startAgent()
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    let shown = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(shown)")
    let notice = try desk.notification("Allowed by fingerprint: use account 'me' (requested by")
    #expect(try notice.array("actions").isEmpty)
    try stop(agent)
  }
}
