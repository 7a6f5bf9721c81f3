import JSON
import TestSupport
import Testing

/// The main menu of the desktop app, by the keyboard.
@Suite(.serialized)
struct DesktopAppMenuTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  @Test
  func theMenuShowsTheKeysAndTheVersionAndLocks() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("resize(360, 860)")
    try app.sees("work, Ready")
    try app.run("key('F10')")
    try app.sees("About Thumblatch")
    app.keepPicture("menu")
    try app.expectNames()
    try app.run("key('Down', 'Return')")
    try app.sees("Show the keyboard shortcuts")
    app.keepPicture("shortcuts")
    try app.expectNames()
    try app.run("key('Escape')")
    try app.misses("Show the keyboard shortcuts")
    // It has its own key.
    try app.run("key('ctrl+question')")
    try app.sees("Show the keyboard shortcuts")
    try app.run("key('Escape')")
    try app.misses("Show the keyboard shortcuts")

    try app.run("key('F10')")
    try app.sees("About Thumblatch")
    try app.run("key('Down', 'Down', 'Return')")
    let version = try person.shell("\(person.programs)/thumblatch-desktop --version").succeeded()
    let number = try #require(version.split(whereSeparator: \.isWhitespace).last)
    try app.sees(String(number))
    app.keepPicture("about")
    try app.expectNames()
    try app.run("key('Escape')")
    try app.misses("The authors of Thumblatch")

    try app.run("key('F10')")
    try app.sees("About Thumblatch")
    try app.run("key('Return')")
    try app.sees("The Vault Is Locked")
    // Without its window the app has nothing to do.
    try app.run("key('ctrl+w')")
    #expect(try app.run("app.wait(60)") == .integer(0))
  }

  @Test
  func aScreenReaderSpeaksTheTextsOfEachRow() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("resize(800, 860)")
    func expectSpeech(_ place: String) throws {
      let unspoken = try app.run("unspoken()")
      #expect(unspoken == .array([]), "\(place): \(unspoken)")
    }
    try app.sees("work, Ready")
    #expect(try app.run("is_marked('work, ')") == .boolean(false))
    try app.run("click('work, ', 'list item')")
    try app.sees("work@example.org")
    try expectSpeech("account")
    #expect(try app.run("is_marked('work, ')") == .boolean(true))
    #expect(
      try app.run("find('check box', 'Presence protection').get_description()")
        == .string("Each refresh needs your finger or your password.")
    )
    for (place, text) in [
      ("Fingers", "No Finger Enrolled"), ("Keys and Backup", "No security key enrolled"),
      ("Health", "The audit log is intact"), ("Settings", "10 minutes (default)"),
    ] {
      try app.run("click('\(place)', 'list item')")
      try app.sees(text)
      try expectSpeech(place)
    }
    #expect(try app.run("is_marked('work, ')") == .boolean(false))
    #expect(try app.run("quit()") == .integer(0))
  }
}
