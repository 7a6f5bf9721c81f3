import Glibc
import JSON
import System
import TestSupport
import Testing

/// When keys count in the app's own prompt, and what moves in a prompt.
extension DesktopAppPromptTests {
  @Test
  func keysThatAreTypedElsewhereDoNotAnswerThePromptOfTheApp() throws {
    defer { bus.remove() }
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.sees("Enroll Finger")
    // A sign-in in the browser may end so.
    let isOpen = try app.run(
      "type_elsewhere('System password', act=lambda: app.press('Enroll Finger'))"
    )
    #expect(isOpen == .boolean(true))
    try app.run("awaits_focus('Deny')")
    try app.run("key('Return')")
    try app.misses("System password")
    try app.sees("No Finger Enrolled")
  }

  /// No other agent shows it, so it may take 20 seconds.
  @Test
  func aPromptOfTheAppThatDoesNotComeToTheScreenIsTold() throws {
    defer { bus.remove() }
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.sees("Enroll Finger")
    try app.run("freeze(True)")
    try app.press("Enroll Finger")
    try app.sees("the prompt did not come to the screen", "alert")
    try app.run("freeze(False)")
    try app.sees("No Finger Enrolled")
  }

  @Test
  func aFingerThatIsAwaitedPulses() throws {
    defer { bus.remove() }
    try app.run("animate()")
    try openProtected()
    let run = try person.start(["token", "me"])
    try app.sees(Self.touch)
    #expect(eventually { person.readerIsOpen })
    #expect(try app.run("picture_moves(30)") == .boolean(true))
    // It fades in steps, each of which is drawn once.
    guard case .integer(let count) = try app.run("count_pictures(4)") else {
      throw SystemError("windows", code: EPROTO)
    }
    #expect(count <= 12)
    // Nothing moves while only the keyboard is awaited.
    try app.press("Type Password Instead")
    try app.sees("System password")
    try app.run("until(lambda: not app.picture_moves(2), 'the picture moves')")
    try app.press("Deny")
    #expect(try run.text().contains("cancelled"))
  }

  @Test
  func aFingerThatIsAwaitedStandsStillForAPersonWhoWantsLessMotion() throws {
    defer { bus.remove() }
    try openProtected()
    let run = try person.start(["token", "me"])
    try app.run("has_picture('Requested ', 'Presence Check')")
    #expect(eventually { person.readerIsOpen })
    try app.run("stand_still()")
    #expect(try app.run("picture_moves(3)") == .boolean(false))
    try app.press("Deny")
    #expect(try run.text().contains("cancelled"))
  }
}
