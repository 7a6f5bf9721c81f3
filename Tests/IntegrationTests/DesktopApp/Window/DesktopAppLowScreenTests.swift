import JSON
import TestSupport
import Testing

/// The prompts of the desktop app on the screen of a small phone in landscape orientation.
@Suite(.serialized)
struct DesktopAppLowScreenTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus, screen: "800x294")
  }

  /// Expects that each control of the prompt is on the screen.
  private func expectControls() throws {
    for (name, role) in [
      ("Deny", "push button"), ("Continue", "push button"), ("System password", "text"),
    ] {
      let isSeen = try app.run("lies_within('\(name)', 'Presence Check', '\(role)')")
      #expect(isSeen == .boolean(true), "\(name)")
    }
  }

  @Test
  func aPromptScrollsItsTextAndKeepsItsControls() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("resize(800, 294)")
    try app.run("click('work, ', 'list item')")
    try app.sees("work@example.org")
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    app.keepPicture("low-prompt")
    try expectControls()
    // The keyboard scrolls to the end of the text.
    try app.run("tab_to('Type the system password to turn on')")
    try app.run("key('End')")
    try app.run("shows_whole('Type the system password to turn on')")
    try app.run("tab_to('System password')")
    try app.typePassword("wrong")
    try app.run("shows_whole('Wrong password', 'alert')")
    app.keepPicture("low-prompt-notice")
    try expectControls()
    try app.press("Deny")
    try app.misses("System password")
  }
}
