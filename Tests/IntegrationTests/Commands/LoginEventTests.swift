import System
import TestSupport
import Testing

/// The unlock window ends with the login session: the real engine on a real bus, a stand-in for
/// logind, and an app that hears of it.
@Suite(.serialized)
struct LoginEventTests {
  private let person: Person
  private let bus: DesktopBus

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    try bus.act("add_session('1', 'seat0', \(person.user.user))")
    // The first engine makes the files that the next one finds.
    try person.register()
    try person.endEngine()
    let start = try person.shell(
      """
      mkfifo \(person.home)/report
      DBUS_SYSTEM_BUS_ADDRESS=\(bus.address) setsid \(person.programs)/thumblatchd --private \
        </dev/null >/dev/null 2>&1 3<\(person.state) 4>\(person.home)/report &
      head -c 1 \(person.home)/report
      """
    )
    #expect(try start.succeeded() == "L")
  }

  private static let cancelled =
    "failed presence(ThumblatchKit.AuthError.PresenceFailure.cancelled), keepSession: "

  private func protectedApp() throws -> AppProcess {
    try person.enrollFinger()
    let app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("protect") == "")
    #expect(try app.run("lock") == "")
    try app.state("locked")
    return app
  }

  /// A touch by a person at a locked screen must release nothing.
  @Test(arguments: [
    ("session('1', 'Lock')", "session('1', 'Unlock')"),
    ("session('1', 'SetLockedHint', True)", "session('1', 'SetLockedHint', False)"),
    ("prepare_for_sleep(True)", "prepare_for_sleep(False)"),
    ("update_session('1', 'Active', False)", "update_session('1', 'Active', True)"),
  ])
  func whoLocksTheScreenLeavesNoReaderArmedAndNoPromptOpen(
    _ happening: String,
    _ after: String
  ) throws {
    defer { bus.remove() }
    let app = try protectedApp()
    try app.run("person finger")
    try app.begin("unlock")
    try app.hear("prompt")
    #expect(eventually { person.readerIsOpen })
    // Another prompt waits for it.
    let other = try person.terminal("presence", "test")
    try other.expect("waiting for the other prompt")
    try bus.run("await_inhibitor(True)")
    try bus.act(happening)
    let failure = try app.outcome()
    #expect(failure.hasPrefix(Self.cancelled), "\(failure)")
    #expect(eventually { !person.readerIsOpen })
    _ = try other.end(3)
    // The computer may suspend now.
    try bus.run("await_inhibitor(False)")
    try app.state("locked")
    try bus.act(after)
    #expect(try !person.run("status").succeeded().contains("unlocked"))
  }

  /// No call is pending while the person types, so the end of the connection tells the command.
  @Test
  func whoLocksTheScreenEndsAnOpenQuestionAtATerminal() throws {
    defer { bus.remove() }
    let test = try person.terminal("presence", "test")
    try test.expect("System password for")
    try bus.run("await_inhibitor(True)")
    try bus.act("session('1', 'Lock')")
    let shown = try test.end(3)
    #expect(shown.contains("the presence check was cancelled"), "\(shown)")
    try bus.run("await_inhibitor(False)")
  }

  @Test
  func whileAllScreensAreLockedNoReaderIsArmedAndNoWindowOpened() throws {
    defer { bus.remove() }
    let app = try protectedApp()
    try bus.act("session('1', 'SetLockedHint', True)")
    for way in ["finger", "password"] {
      try app.run("person \(way)")
      let failure = try app.run("unlock")
      #expect(failure.hasPrefix(Self.cancelled), "\(way): \(failure)")
      #expect(!person.readerIsOpen)
    }
    try app.state("locked")
    try bus.act("session('1', 'SetLockedHint', False)")
    #expect(try app.run("unlock") == "")
    try app.state("authenticated")
  }

  private func unlock(_ app: AppProcess) throws {
    let unlock = try person.terminal("unlock")
    try unlock.expect("System password for")
    try unlock.enter(Person.systemPassword)
    try unlock.end()
    try app.state("authenticated")
    try bus.run("await_inhibitor(True)")
  }

  @Test
  func eachEndOfASessionLocksTheAppBeforeTheComputerSleeps() throws {
    defer { bus.remove() }
    let app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("protect") == "")
    #expect(try app.run("lock") == "")
    try app.state("locked")
    // Without an open prompt or window the engine holds no inhibitor.
    try bus.run("await_inhibitor(False)")
    for (happening, reason) in [
      ("session('1', 'Lock')", "the screen was locked"),
      ("session('1', 'SetLockedHint', True)", "the screen was locked"),
      ("update_session('1', 'Active', False)", "another session has the seat"),
      ("prepare_for_sleep(True)", "the computer sleeps"),
      ("remove_session('1')", "the session has ended"),
    ] {
      try unlock(app)
      try bus.act(happening)
      // The computer may suspend once the window is closed.
      try bus.run("await_inhibitor(False)")
      let status = try person.run("status").succeeded()
      #expect(!status.contains("unlocked"), "\(happening): \(status)")
      try app.state("locked")
      #expect(try person.run("audit").succeeded().contains(reason))
      if happening.contains("LockedHint") { try bus.act("session('1', 'SetLockedHint', False)") }
    }
    // A session of another user ends nothing.
    try bus.act("add_session('2', 'seat0', 1)")
    try unlock(app)
    try bus.act("remove_session('2')")
    #expect(try bus.run("still_inhibits(10)") == "True")
    #expect(try app.run("restore") == "authenticated me@example.org")
    // Without logind, no event would end the window.
    try bus.killLogind()
    try app.state("locked")
    #expect(try person.run("audit").succeeded().contains("systemd-logind has gone"))
    let doctor = try person.run("doctor").text
    #expect(doctor.contains("login events are not watched"))
  }
}
