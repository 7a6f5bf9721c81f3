import JSON
import TestSupport
import Testing

/// How a prompt comes to the screen, and what moves in it.
extension DesktopAppPromptTests {
  @Test
  func aPromptLeavesTheKeyboardInTheWindowOfAnotherProgram() throws {
    defer { bus.remove() }
    try openProtected()
    try app.run("open_other()")
    let run = try person.start(["token", "me"])
    #expect(try app.run("other_keeps_keys(\"\(Self.touch)\")") == .boolean(true))
    // It lies above that window.
    try app.run("has_picture('Requested ', 'Presence Check')")
    try app.keepPicture("above-another-program")
    // The reader waits for a finger once the prompt is on the screen.
    #expect(eventually { person.readerIsOpen })
    #expect(try app.run("active()") == .string("Event Tester"))
    try app.run("work_in()")
    try app.run("awaits_focus('Deny')")
    try app.run("key('Return')")
    #expect(try run.text().contains("cancelled"))
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
