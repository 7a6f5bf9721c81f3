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
    #expect(try app.run("quit()") == .integer(0))
  }
}
