import Glibc
import System
import TestSupport
import Testing

// The notification server or pinentry is killed at a step that `DesktopPromptTests+Failures` leaves
// out.
extension DesktopPromptTests {
  private func typePassword(_ reached: String) throws {
    try openWindow()
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    #expect(eventually { unsafe access(reached, F_OK) == 0 })
  }

  @Test
  func aServerThatEndsBeforeItHasAnsweredArmsNoReader() throws {
    try desk.run("desk.replace_server(7)")
    try desk.run("desk.false.hold()")
    let run = try token()
    try desk.run("desk.until(lambda: bool(desk.false.held))")
    try desk.run("desk.false.bus.close_sync(None)")
    // The one that it did not answer stays in its book.
    try ends(run, 7, "the notification server showed no notification", others: 1)
    #expect(!person.readerIsOpen)
  }

  @Test
  func theEndOfTheServerEndsAPromptThatWaitsForItsTurn() throws {
    let first = try person.terminal("token", "me")
    try first.expect("Touch the fingerprint reader")
    #expect(eventually { person.readerIsOpen })
    let second = try person.start(["presence", "test"], variables: desk.variables)
    try desk.sees("waiting for the other prompt")
    try desk.run("desk.kill_server()")
    try ends(second, 3, "the presence check was cancelled")
    // The prompt at the terminal needs no server.
    try person.touch()
    #expect(try first.end().contains("at_"))
  }

  @Test
  func theEndOfTheServerEndsTheCheckOfThePassword() throws {
    let (reached, _) = try person.haltPAM()
    try person.backend.clear()
    let run = try token()
    try typePassword(reached)
    try desk.run("desk.kill_server()")
    try ends(run, 3, "the presence check was cancelled")
    #expect(eventually { processes(in: person.programs, named: "thumblatch-presence") == [] })
    #expect(try person.backend.requests().isEmpty)
  }

  /// The password is out of its hands then.
  @Test
  func theEndOfPinentryWhileThePasswordIsCheckedChangesNothing() throws {
    let (reached, go) = try person.haltPAM()
    let run = try token()
    try typePassword(reached)
    try desk.run("desk.kill('pinentry-gtk-2')")
    try desk.run("desk.until(lambda: not desk.programs('pinentry-gtk-2'))")
    try go()
    try ends(run, 0, "at_")
  }
}
