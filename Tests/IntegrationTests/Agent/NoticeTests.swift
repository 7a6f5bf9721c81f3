import Glibc
import JSON
import PresenceTerms
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// The notices of an agent at a real notification server, whatever an engine says.
@Suite(.serialized)
struct NoticeTests {
  private let person: Someone
  private let desk: Desk
  private let agent: Run
  private let engine: FalseEngine

  init() throws {
    person = try Someone()
    desk = try Desk(of: person)
    engine = try FalseEngine(of: person)
    agent = try person.start(
      ["agent"],
      variables: desk.variables + ["THUMBLATCH_SOCKET=\(engine.directory)/socket"]
    )
  }

  /// An engine of the person's own that gives notices to the agent.
  private final class FalseEngine {
    let directory: String
    private let run: Run
    private let notices: Descriptor

    init(of person: Someone) throws {
      directory = person.base + "/engine"
      try shell("install -d -m 700 -o \(person.user.name) \(directory)")
      let (near, far) = try UnixSocket.pair()
      notices = Descriptor(owning: near)
      let theirs = Descriptor(owning: far)
      let driver = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/false-engine.py"
      run = try Run(
        "/usr/bin/setpriv",
        person.become + ["/usr/bin/python3", "-B", "-c", try shell("cat \(driver)"), directory],
        environment: ["PATH=/usr/bin:/bin"],
        input: theirs.number
      )
      try run.waitForOutput()
    }

    deinit {
      notices.shutDown()
      _ = try? run.child.wait()
    }

    func give(_ notice: DesktopNotice) throws {
      let message = try VarlinkReply(NextPromptReply(notice: notice)).plainEncoded(on: .vault)
      try notices.write(message.dropLast() + [UInt8(ascii: "\n")])
    }

    /// The calls of programs that are no agent.
    var calls: [String] {
      (try? shell("cat \(directory)/calls"))?.split(separator: "\n").map(String.init) ?? []
    }
  }

  private func end() throws {
    kill(agent.child.identifier, SIGTERM)
    let said = try agent.text()
    #expect(try agent.child.wait() == .exited(0), "\(said)")
  }

  @Test
  func signInStartsALoginInTheBrowserAndAForgedActionDoesNot() throws {
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    let number = try desk.sees("tokens of account 'work' until you sign in again.")
    desk.keepPicture("login-required")
    try desk.run("desk.forge('ActionInvoked', \(number), 'sign-in')")
    // The agent has seen the forged signals by the time that it shows this.
    try engine.give(DesktopNotice(kind: .loginRequired, account: "other"))
    try desk.sees("At a terminal, run: thumblatch login other")
    #expect(engine.calls.isEmpty)
    // The server moves a notification when another one goes, and a click would miss it.
    try desk.run("desk.close(\(try desk.sees("login other")))")
    try desk.run("desk.close(\(number))")
    try desk.run("desk.await_open(0)")
    let count = try desk.count()
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    try desk.sees("tokens of account 'work' until you sign in again.", above: count)
    try desk.run("desk.click('Sign in')")
    #expect(eventually { !engine.calls.isEmpty })
    #expect(engine.calls.count == 1)
    #expect(engine.calls.first?.contains(#""account": "work""#) == true, "\(engine.calls)")
    try end()
  }

  /// The person sees no other output of the login.
  @Test
  func aSignInThatFailsIsTold() throws {
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    try desk.sees("tokens of account 'work' until you sign in again.")
    try desk.run("desk.click('Sign in')")
    let told = try desk.notification("Account 'work' was not signed in: ")
    let body = try told.string("body")
    #expect(body.contains("a test") && body.hasSuffix("run: thumblatch login work"), "\(body)")
    #expect(try told.array("actions").isEmpty)
    desk.keepPicture("login-failed")
    try end()
  }

  @Test
  func theTextsOfOthersAreShownAsText() throws {
    let text = "<b>$(id)%0A&\nHint: x" + String(repeating: "y", count: 10_000)
    try engine.give(
      DesktopNotice(
        kind: .allowed,
        account: "me",
        requester: text,
        purpose: .replace,
        detail: text,
        method: "fingerprint"
      )
    )
    let shown = try desk.notification("requested by &lt;b&gt;$(id)%0A&amp;")
    desk.keepPicture("allowed")
    let body = try shown.string("body")
    #expect(body.utf8.count < 1000 && !body.contains("\n") && !body.contains("<"), "\(body)")
    // No name of an account is an option or a command.
    try engine.give(DesktopNotice(kind: .loginRequired, account: "--private $(id)", browser: true))
    try desk.sees("tokens of account '--private $(id)' until")
    try desk.run("desk.click('Sign in')")
    try engine.give(DesktopNotice(kind: .loginRequired, account: "other"))
    try desk.sees("login other")
    #expect(engine.calls.isEmpty)
    try end()
  }

  /// An engine that has ended in the meantime gives the reminder again.
  @Test
  func aReminderIsShownOnceForEachEnd() throws {
    let moment = 1_800_000_000
    try engine.give(DesktopNotice(kind: .secretExpires, account: "gh", expiresAt: moment))
    let shown = try desk.notification("account 'gh' expires at 2027-01-15T08:00:00Z.")
    #expect(try shown.string("body").hasSuffix("run: thumblatch store gh"))
    #expect(try shown.array("actions").isEmpty)
    desk.keepPicture("secret-expires")
    let count = try desk.count()
    try engine.give(DesktopNotice(kind: .secretExpires, account: "gh", expiresAt: moment))
    // The agent has seen the second one by the time that it shows this.
    try engine.give(DesktopNotice(kind: .secretExpires, account: "gh", expiresAt: moment + 1))
    try desk.sees("account 'gh' expires at 2027-01-15T08:00:01Z.", above: count)
    #expect(try desk.count() == count + 1)
    try engine.give(DesktopNotice(kind: .secretExpires, account: "other", expiresAt: moment))
    try desk.sees("account 'other' expires at 2027-01-15T08:00:00Z.", above: count + 1)
    #expect(engine.calls.isEmpty)
    try end()
  }

  /// The buttons of an agent that has ended would have no effect.
  @Test
  func theEndOfTheAgentTakesItsActionsAway() throws {
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    let number = try desk.sees("tokens of account 'work' until you sign in again.")
    try end()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
  }

  @Test
  func anotherServerIsUsedAfterTheEndOfTheFirst() throws {
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    try desk.sees("tokens of account 'work' until you sign in again.")
    try desk.run("desk.kill_server()")
    try desk.run("desk.start_server()")
    let count = try desk.count()
    try engine.give(DesktopNotice(kind: .loginRequired, account: "next"))
    try desk.sees("thumblatch login next", above: count)
    try end()
  }

  @Test
  func aLockedScreenShowsNothing() throws {
    try desk.lock()
    try engine.give(DesktopNotice(kind: .loginRequired, account: "work", browser: true))
    try agent.waitForOutput()
    kill(agent.child.identifier, SIGTERM)
    #expect(try agent.text().contains("no notice was shown: this program is not at a desktop"))
    #expect(try agent.child.wait() == .exited(0))
    #expect(try desk.count() == 0)
  }
}
