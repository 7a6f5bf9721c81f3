import Glibc
import JSON
import System
import TestSupport
import Testing

// Every part of the desktop can fail at every step.
extension DesktopPromptTests {
  /// Sends a signal to the command.
  func send(_ signal: Int32) {
    for process in processes(in: person.programs, named: "thumblatch-cli") { kill(process, signal) }
  }

  /// Opens the window of the password.
  func openWindow() throws {
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.await_window()")
  }

  private func isReleased() {
    #expect(eventually { !person.readerIsOpen })
  }

  @Test
  func theEndOfTheServerEndsTheCheck() throws {
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.kill_server()")
    try ends(run, 3, "the presence check was cancelled")
    isReleased()
  }

  @Test
  func theEndOfTheServerClosesTheWindowOfThePassword() throws {
    let run = try token()
    try openWindow()
    try desk.run("desk.kill_server()")
    try ends(run, 3, "the presence check was cancelled")
  }

  @Test
  func withoutAServerOrWithOneThatHangsTheReaderIsNotArmed() throws {
    try desk.run("desk.server.send_signal(19)")
    try ends(try token(), 7, "the desktop has no notification server")
    try desk.run("desk.kill_server()")
    try ends(try token(), 7, "the desktop has no notification server")
    #expect(!person.readerIsOpen)
    // The prompt asked for no finger, so none has failed.
    #expect(try desk.count() == 0)
  }

  @Test
  func theReaderIsArmedOnlyAfterTheServerHasAnswered() throws {
    try desk.run("desk.replace_server(7)")
    try desk.run("desk.false.hold()")
    let run = try token()
    try desk.run("desk.until(lambda: bool(desk.false.held))")
    // A reader that did not wait for the answer would be open within this second.
    try desk.run("desk.wait(1, lambda: False)")
    #expect(!person.readerIsOpen)
    try desk.run("desk.false.release()")
    try person.touch()
    try ends(run, 0, "at_")
  }

  /// Without actions the person cannot ask for the window, so it opens by itself.
  @Test
  func aServerWithoutActionsShowsThePromptAndTheWindow() throws {
    try desk.run("desk.replace_server(7, 'body')")
    let touched = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(touched, 0, "at_")
    try person.run("lock").succeeded()
    try person.expireTokens()
    try shell("rm \(person.programs)/virtual-reader.conf")
    let typed = try token()
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(typed, 0, "at_")
  }

  @Test
  func aServerThatShowsNothingEndsTheCheckBeforeTheReaderIsArmed() throws {
    try desk.run("desk.replace_server(0)")
    try ends(try token(), 7, "the notification server showed no notification")
    #expect(!person.readerIsOpen)
  }

  @Test
  func theEndOfPinentryEndsTheCheck() throws {
    let run = try token()
    try openWindow()
    try desk.run("desk.kill('pinentry-gtk-2')")
    try ends(run, 3, "the presence check was cancelled")
    isReleased()
  }

  @Test
  func aPinentryThatWouldAskAtATerminalIsRefused() throws {
    let run = try person.start(
      ["token", "me"],
      variables: desk.variables.filter { !$0.hasPrefix("DISPLAY=") }
    )
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try ends(run, 7, "no pinentry can open a window for the password")
    try desk.run("desk.until(lambda: not desk.programs('pinentry-gtk-2'))")
    isReleased()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalClosesTheNotificationAndTheWindow(_ signal: Int32) throws {
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    send(signal)
    try ends(first, 130, "interrupted")
    isReleased()
    let before = try desk.count()
    let second = try token()
    try desk.sees(Self.question, above: before)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.await_window()")
    send(signal)
    try ends(second, 130, "interrupted")
  }

  @Test
  func aKilledCommandReleasesTheReaderAndItsNotificationDoesNothing() throws {
    let first = try token()
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    send(SIGKILL)
    _ = try first.child.wait()
    isReleased()
    try desk.run("desk.click('Type password')")
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    let second = try token()
    try desk.sees(Self.question, above: 1)
    try person.touchAgain()
    try ends(second, 0, "at_")
  }

  @Test
  func aKilledCommandLeavesNoWindow() throws {
    let run = try token()
    try openWindow()
    send(SIGKILL)
    _ = try run.child.wait()
    try desk.run("desk.await_no_window()")
    isReleased()
  }

  @Test
  func aServerThatClosesTheNotificationAfterAnActionEndsNothing() throws {
    try desk.run("desk.replace_server(7)")
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.false.act('password')")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "at_")
  }

  /// The person no longer sees what a touch would allow.
  @Test
  func aServerThatClosesTheNotificationAfterAnUnknownActionEndsTheCheck() throws {
    try desk.run("desk.replace_server(7)")
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.false.act('default')")
    try ends(run, 3, "the presence check was cancelled")
    isReleased()
  }
}
