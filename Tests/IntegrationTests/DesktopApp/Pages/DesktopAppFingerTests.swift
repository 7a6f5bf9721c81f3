import JSON
import System
import TestSupport
import Testing

/// The fingers in the desktop app: real engine, virtual reader, real PAM.
@Suite(.serialized)
struct DesktopAppFingerTests {
  private let person: Someone
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Someone()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  private func openPage(_ variables: String = "") throws {
    try app.run("open(\(variables))")
    try app.run("click('Fingers', 'list item')")
    try app.sees("No Finger Enrolled")
  }

  /// Looks at the page at the width of a telephone, and at the usual one again.
  private func expectFit(_ name: String) throws {
    app.keepPicture("\(name)-800")
    try app.run("resize(360, 640)")
    app.keepPicture("\(name)-360")
    #expect(try app.run("overflowing()") == .array([]))
    try app.run("resize(800, 640)")
  }

  /// Begins the enrollment of the finger that is offered first.
  private func beginEnrollment() throws {
    try app.press("Enroll Finger")
    try app.sees("Type the system password to enroll your right index finger.")
    try app.typePassword()
    try app.sees("Touch the reader several times with your right index finger")
  }

  @Test
  func aFingerIsEnrolledStageByStageAndDeleted() throws {
    defer { bus.remove() }
    try openPage("ADW_DEBUG_HIGH_CONTRAST='1'")
    try expectFit("fingers-empty")
    try app.expectNames()
    try beginEnrollment()
    try app.expectNames()
    let advice = [
      "Not read well: touch the reader again.",
      "Too short: keep the finger on the reader a little longer.",
      "Not in the middle: put the finger on the center of the reader.",
      "Lift the finger, then touch the reader again.",
    ]
    for touch in 1...4 {
      try person.reader("RETRY \(touch - 1)")
      try app.sees(advice[touch - 1])
      if touch == 3 { app.keepPicture("fingers-bad-scan") }
      try person.touch()
      try app.sees("\(touch) of 5 touches")
      try app.sees("Good: lift the finger, then touch again.")
    }
    try expectFit("fingers-enrolling")
    try person.touch()
    try app.sees("Right index finger", "list item")
    try app.misses("of 5 touches")
    try expectFit("fingers-enrolled")
    try app.expectNames()
    #expect(try person.run("fingers", "list").succeeded() == "right-index\n")

    try app.press("Delete right index finger")
    try app.sees("Delete “Right index finger”?")
    app.keepPicture("fingers-delete")
    try app.run("press('Cancel Cancel')")
    try app.misses("Delete “")
    try app.press("Delete right index finger")
    try app.run("press('Delete Delete')")
    try app.sees("Type the system password to delete")
    try app.typePassword()
    try app.sees("No Finger Enrolled")
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
  }

  @Test
  func aWrongPasswordAndACancelledEnrollmentEnrollNothing() throws {
    defer { bus.remove() }
    try openPage("ADW_DEBUG_COLOR_SCHEME='prefer-dark'")
    try expectFit("fingers-empty-dark")
    try app.press("Enroll Finger")
    try app.typePassword("wrong")
    try app.sees("Wrong password.")
    try app.press("Deny")
    try app.sees("No Finger Enrolled")
    try app.misses("Wrong password")

    try beginEnrollment()
    try person.touch()
    try app.sees("1 of 5 touches")
    try expectFit("fingers-enrolling-dark")
    #expect(eventually { person.readerIsOpen })
    let focused = try app.run("focused()")
    #expect(focused == .string("Cancel"), "\(focused)")
    try app.run("key('Return')")
    try app.sees("No Finger Enrolled")
    #expect(eventually { !person.readerIsOpen })

    // A page that is no longer shown accepts no touches.
    try beginEnrollment()
    #expect(eventually { person.readerIsOpen })
    try app.run("click('Health', 'list item')")
    #expect(eventually { !person.readerIsOpen })
    try app.run("click('Fingers', 'list item')")
    try app.sees("No Finger Enrolled")

    // Neither does a locked vault.
    try beginEnrollment()
    #expect(eventually { person.readerIsOpen })
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    #expect(eventually { !person.readerIsOpen })
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
  }

  @Test
  func fingersOfOtherProgramsComeAndGo() throws {
    defer { bus.remove() }
    try openPage()
    // Only with the keyboard.
    try app.run("tab_to('Health')")
    try app.run("tab_to('Finger')")
    try app.run("key('space')")
    try app.sees("Left little finger")
    app.keepPicture("fingers-choice")
    try app.run("key('Down')")
    try app.run("key('Return')")
    try app.misses("Left little finger")
    try app.run("tab_to('Enroll Finger')")
    try app.run("key('Return')")
    try app.sees("Type the system password to enroll your right thumb.")
    try app.run("key('Escape')")
    try app.sees("Enroll Finger")

    try person.enrollFinger("left-thumb")
    try app.sees("Left thumb", "list item")
    try app.press("Delete left thumb")
    try app.sees("Delete “Left thumb”?")
    let delete = try person.terminal("fingers", "delete", "left-thumb")
    try delete.expect("System password for")
    try delete.enter(Someone.systemPassword)
    try delete.end()
    try app.sees("No Finger Enrolled")
    try app.run("press('Delete Delete')")
    try app.sees("The finger is no longer there. The list shows what is there now.")
    app.keepPicture("fingers-gone")
  }
}
