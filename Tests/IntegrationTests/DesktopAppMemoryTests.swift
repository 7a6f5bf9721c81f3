import JSON
import System
import TestSupport
import Testing

/// What a person has typed into the desktop app, in the memory of its process: real engine and real
/// PAM.
@Suite(.serialized)
struct DesktopAppMemoryTests {
  private static let program = "thumblatch-desktop"
  private static let wrong = "wrong-Pa55word-90c1ab37"
  private static let half = "half-a-Pa55word-5e7d02"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Types into the prompt that is open, without an answer.
  private func type(_ password: String) throws {
    try app.sees("System password")
    try app.run("awaits_focus('System password')")
    try app.run("type_secret('\(password)', 'System password')")
  }

  @Test
  func noPasswordIsLeftAfterAPrompt() throws {
    defer { bus.remove() }
    let record = try MemoryRecord()
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try type(Self.wrong)
    try app.press("Continue")
    try app.sees("Wrong password.")
    // The app's locked memory may keep this answer until the next one.
    try type(Someone.systemPassword)
    try app.press("Continue")
    try app.sees("work, Ready · protected · dev", "list item")
    try app.misses("System password")
    try record.keep("right password", of: person, running: Self.program)
    try app.run("press('Presence protection', 'check box')")
    try type(Self.half)
    try app.press("Deny")
    try app.misses("System password")
    try record.keep("denied", of: person, running: Self.program)
    let secrets = [
      "wrong": Self.wrong, "right": Someone.systemPassword, "half": Self.half,
    ]
    #expect(try record.places(of: secrets) == [])
    // The search looks at the memory in which the app keeps what it shows.
    let shown = try record.places(of: ["e-mail": "work@example.org"])
    #expect(shown.contains("denied, \(Self.program): e-mail"))
  }
}
