import Glibc
import JSON
import System
import TestSupport
import Testing

/// A program without a terminal asks its person at the desktop: a real notification server, a real
/// pinentry, a virtual reader and the password of a real user.
@Suite(.serialized)
struct DesktopPromptTests {
  static let question = "Touch the fingerprint reader to use account 'me' (requested by"

  let person: Person
  let desk: Desk

  /// A person at a desktop, with an enrolled finger and the protected account `me`, whose token has
  /// expired.
  init() throws {
    person = try Person()
    try person.allowLongAnswers()
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    desk = try Desk(of: person)
  }

  /// `token me` without a terminal.
  func token() throws -> Run {
    try person.start(["token", "me"], variables: desk.variables)
  }

  /// Expects an exit code and a text, and removes everything from the screen.
  func ends(_ run: Run, _ code: Int32, _ text: String, others: Int = 0) throws {
    try desk.expectEnd(of: run, code, text, hiding: Someone.systemPassword, others: others)
  }

  @Test
  func aTouchAnswersAPromptInANotification() throws {
    let run = try token()
    let number = try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
  }

  @Test
  func thePasswordIsAskedInAWindowAfterAClick() throws {
    let run = try token()
    try desk.sees(Self.question)
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('wrong')")
    try desk.sees("Wrong password.")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "at_")
  }

  /// A tool waits a few seconds for its helper, and a person may take longer.
  @Test
  func aHelperThatIsLateLeavesItsPromptToTheNextCall() throws {
    func helper(_ limit: String) throws -> Run {
      try person.start(["token", "me", "--helper", "--within", limit], variables: desk.variables)
    }
    let late = try helper("1s")
    let shown = try late.text()
    #expect(try late.child.wait() == .exited(5))
    #expect(shown.contains("no token within 1s") && !shown.contains("at_"), "\(shown)")
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    try person.touch()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    try ends(try helper("60s"), 0, "at_")
  }

  /// A click on the text puts the notification away.
  @Test(arguments: ["click('Deny')", "click_text()"])
  func denyingEndsTheCheckAndSendsNothing(_ act: String) throws {
    try person.backend.clear()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.\(act)")
    try ends(run, 3, "the presence check was cancelled")
    #expect(eventually { !person.readerIsOpen })
    #expect(try person.backend.requests().isEmpty)
  }

  @Test
  func aClosedWindowOfThePasswordEndsTheCheck() throws {
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.press('Escape')")
    try ends(run, 3, "the presence check was cancelled")
  }

  @Test
  func aNotificationThatAnotherProgramClosesEndsTheCheck() throws {
    let run = try token()
    let number = try desk.sees(Self.question)
    try desk.run("desk.close(\(number))")
    try ends(run, 3, "the presence check was cancelled")
    #expect(eventually { !person.readerIsOpen })
  }

  @Test
  func aSignalOfAnotherProgramIsNotBelieved() throws {
    let run = try token()
    let number = try desk.sees(Self.question)
    // One signal goes to all connections, and one only to this connection: no rule of the bus can
    // filter that one.
    for signal in [
      "'ActionInvoked', \(number), 'deny'", "'ActionInvoked', \(number), 'password'",
      "'NotificationClosed', \(number), 2",
    ] {
      try desk.run("desk.forge(\(signal))")
    }
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    try person.touch()
    try ends(run, 0, "at_")
  }

  @Test
  func aSecondPromptIsContinuedAtTheDesk() throws {
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    let second = try person.start(["presence", "test"], variables: desk.variables)
    try desk.sees("waiting for the other prompt")
    try person.touch()
    try ends(first, 0, "at_", others: 1)
    try desk.sees("Continue when you are ready for this one.")
    // The other check may still close it.
    #expect(eventually { !person.readerIsOpen })
    try desk.run("desk.click('Continue')")
    try person.touch()
    try ends(second, 0, "the presence check passed, by fingerprint")
  }

  @Test
  func theEndOfAWaitingProgramKeepsTheOtherPrompt() throws {
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    let commands = processes(in: person.programs, named: "thumblatch-cli")
    let second = try person.start(["presence", "test"], variables: desk.variables)
    try desk.sees("waiting for the other prompt")
    for command in processes(in: person.programs, named: "thumblatch-cli")
    where !commands.contains(command) {
      kill(command, SIGKILL)
    }
    _ = try second.text()
    _ = try second.child.wait()
    try person.touch()
    // The notification of the second program stays without effect.
    try ends(first, 0, "at_", others: 1)
  }

  @Test
  func aLockedScreenARemoteSessionAndNoInputShowNothing() throws {
    func isRefused(
      _ reason: String,
      _ arguments: [String] = [],
      _ variables: [String] = []
    ) throws {
      let run = try person.start(
        ["token", "me"] + arguments,
        variables: desk.variables + variables
      )
      try ends(run, 7, "is needed, but " + reason)
    }
    let prefix = "there is no terminal, and this program is not at a desktop"
    try isRefused("--no-input is given", ["--no-input"])
    for name in ["SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22", "SSH_TTY=/dev/pts/1"] {
      try isRefused("\(prefix) (\(name.prefix { $0 != "=" }) is set)", [], [name])
    }
    try desk.lock()
    try isRefused("\(prefix) (its screen is locked)")
    #expect(try desk.count() == 0)
  }

  @Test
  func aChangeThatNeedsThePasswordOnlyStaysAtATerminal() throws {
    let run = try person.start(["fingers", "delete", "right-index"], variables: desk.variables)
    try ends(run, 7, "is needed, but there is no terminal")
    #expect(try desk.count() == 0)
  }

  @Test
  func theNameOfAProgramIsShownAsText() throws {
    let name = "<b>$(id)%0A&"
    try shell("install -m 755 /bin/dash '\(person.programs)/\(name)'")
    let run = try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become
        + ["\(person.programs)/\(name)", "-c", "\(person.programs)/thumblatch token me; exit $?"],
      environment: person.environment + desk.variables
    )
    try desk.sees(#"run by "&lt;b&gt;$(id)%0A&amp;", PID"#)
    desk.keepPicture("notification")
    try desk.run("desk.click('Type password')")
    try desk.run("desk.await_window()")
    desk.keepPicture("pinentry")
    try desk.run("desk.press('Escape')")
    try ends(run, 3, "the presence check was cancelled")
  }
}
