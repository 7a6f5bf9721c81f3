import System
import TestSupport
import Testing

// The screen is locked, or the computer sleeps, while a person types the password. No call is
// pending then, so the end of the connection tells the program.
extension PrivateAgentTests {
  private static let password = "desk.click('Type password')"

  private func happens(_ event: String) throws {
    try bus.run("await_inhibitor(True)")
    try bus.act(event)
  }

  /// The computer may sleep, and no window waits for the password when the person returns.
  private func isOver(_ run: Run, _ code: Int32, _ text: String) throws {
    try ends(run, code, text)
    try bus.run("await_inhibitor(False)")
    #expect(!person.readerIsOpen)
  }

  @Test(arguments: ["session('c1', 'Lock')", "prepare_for_sleep(True)"])
  func aLockTakesTheWindowOfAProgramAway(_ event: String) throws {
    defer { bus.remove() }
    let run = try token(atDesktop: true)
    try desk.sees(Self.question)
    try desk.run(Self.password)
    try desk.run("desk.await_window()")
    try happens(event)
    try isOver(run, 3, "the presence check was cancelled")
  }

  /// Without a finger the check has begun, and a window opens after the click only.
  @Test(arguments: ["session('c1', 'Lock')", "prepare_for_sleep(True)"])
  func aLockEndsTheWaitForTheClick(_ event: String) throws {
    defer { bus.remove() }
    let delete = try person.terminal("fingers", "delete", "right-index")
    try delete.expect("System password for")
    try delete.enter(person.systemPassword)
    try delete.end()
    // pam_exec(8) reports when the check has begun.
    let (stack, begun) = ("\(person.programs)/pam.d/thumblatch", "\(person.home)/begun")
    try shell("sed -i '1i auth optional pam_exec.so quiet /bin/touch \(begun)' \(stack)")
    let run = try token(atDesktop: true)
    let number = try desk.sees("to use account 'me'")
    #expect(eventually { (try? person.shell("ls \(begun)"))?.end == .exited(0) })
    try happens(event)
    try isOver(run, 3, "the presence check was cancelled")
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
  }

  @Test
  func aLockTakesTheWindowOfAnAppAway() throws {
    defer { bus.remove() }
    let run = try app(desk.variables)
    try desk.sees("Touch the fingerprint reader to unlock me")
    try desk.run(Self.password)
    try desk.run("desk.await_window()")
    try happens("session('c1', 'Lock')")
    try isOver(run, 0, "PresenceFailure.cancelled")
  }

  @Test
  func aLockEndsTheQuestionOfAnAppAtATerminal() throws {
    defer { bus.remove() }
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    let app = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + ["\(person.programs)/AppAtTerminal"],
      environment: person.environment,
      columns: 200
    )
    try app.expect("Touch the fingerprint reader")
    try app.enter("")
    try app.expect("System password for")
    try happens("session('c1', 'Lock')")
    try app.expect("PresenceFailure.cancelled")
    try app.end()
    try bus.run("await_inhibitor(False)")
  }
}
