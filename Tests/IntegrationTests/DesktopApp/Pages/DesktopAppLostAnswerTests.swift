import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app while its engine is killed between a call of the person and its answer: the
/// account may have lost its name, and the app does not know.
@Suite(.serialized)
struct DesktopAppLostAnswerTests {
  /// When the engine is killed.
  enum Moment: String {
    case before, after
  }

  private static let doubt =
    "The change may have been made: look at the list of accounts before you try again."

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// The configuration of the app.
  private var hosts: String { app.session + "/thumblatch/hosts.conf" }

  /// Gives the account a host, and opens the page of the account.
  private func openAccount() throws {
    let text = "[example.com]\naccount = work\n"
    try person.shell(
      "umask 077 && mkdir -p \(app.session)/thumblatch && printf '%s' '\(text)' >\(hosts)"
    ).succeeded()
    try app.run("open()")
    try app.run("resize(800, 880)")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
  }

  /// Kills the engine at the next call of a method, while `act` makes it.
  private func cut(_ method: String, _ moment: Moment, during act: () throws -> Void) throws {
    let path = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/engine-cutter.py"
    let words = [person.state, method, moment.rawValue]
    let cutter = try Run(
      "/usr/bin/setpriv",
      person.become + ["/usr/bin/python3", "-B", "-c", try shell("cat \(path)")] + words,
      environment: person.environment
    )
    defer { kill(cutter.child.identifier, SIGKILL) }
    try cutter.waitForOutput()
    try act()
    #expect(try cutter.text() == "ready\n")
    #expect(try cutter.child.wait() == .exited(0))
  }

  /// Gives the account on the page another name.
  private func typeName() throws {
    try app.run("click('Name in the vault', 'text')")
    try app.run("key('ctrl+a')")
    try app.run("type('job')")
    try app.run("key('Return')")
  }

  private func rename(_ moment: Moment) throws {
    try openAccount()
    try cut("RenameAccount", moment) { try typeName() }
    try app.sees("The engine closed the connection.", "alert")
    // The field lies below what the page shows of its beginning.
    try app.run(
      "until(lambda: app.lies_within('The engine closed', 'Thumblatch', 'alert'), 'out of view')"
    )
  }

  private func remove(_ moment: Moment) throws {
    try openAccount()
    try app.press("Remove…")
    try cut("RemoveAccount", moment) { try app.run("press('Remove Remove')") }
  }

  @Test
  func aRenamingThatWasLostIsLeftToThePerson() throws {
    defer { bus.remove() }
    try rename(.before)
    try app.sees(Self.doubt, "alert")
    try app.sees("work, Ready", "list item")
    // The page shows the name that the account has, and offers no other one.
    try app.run("until(lambda: not app.shown('push button', 'Apply'), 'the button stays')")
    app.keepPicture("lost-before")
    #expect(try person.shell("cat \(hosts)").succeeded().contains("account = work"))
  }

  @Test
  func aRenamingThatWasMadeNamesTheHostsThatAreLeft() throws {
    defer { bus.remove() }
    try rename(.after)
    try app.sees("Hosts may still get tokens by the former name", "alert")
    try app.sees("thumblatch host list", "alert")
    try app.sees("job, Ready", "list item")
    try app.misses("work, Ready")
    app.keepPicture("lost-after")
    #expect(try person.shell("cat \(hosts)").succeeded().contains("account = work"))
  }

  /// Here the answer comes.
  @Test
  func aRenamingThatCannotChangeTheHostsNamesThem() throws {
    defer { bus.remove() }
    try openAccount()
    try person.shell("chmod 500 \(app.session)/thumblatch").succeeded()
    try typeName()
    try app.sees("The former name of the account may still be in hosts.conf: ", "alert")
    try app.sees("job, Ready", "list item")
    app.keepPicture("hosts-not-changed")
  }

  @Test
  func aRemovalThatWasLostIsLeftToThePerson() throws {
    defer { bus.remove() }
    try remove(.before)
    try app.sees("The engine closed the connection. \(Self.doubt)", "alert")
    try app.sees("work, Ready", "list item")
    // It is not made again.
    #expect(try person.run("account", "list").succeeded().contains("work"))
  }

  @Test
  func aRemovalThatWasMadeNamesTheHostsThatAreLeft() throws {
    defer { bus.remove() }
    try remove(.after)
    try app.sees("No Accounts Yet")
    // A message about something that the person must do stays until it is closed.
    try app.sees("hosts.conf may still name it")
    try app.expectNames()
    try app.misses("work@example.org")
    #expect(try person.shell("cat \(hosts)").succeeded().contains("account = work"))
    try app.press("Close the message")
    try app.misses("hosts.conf may still name it")
  }
}
