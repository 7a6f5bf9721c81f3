import JSON
import System
import TestSupport
import Testing

/// Secrets that a person has typed into the desktop app must not stay in the memory of its process:
/// real engine and real PAM, development backend.
@Suite(.serialized)
struct DesktopAppMemoryTests {
  private static let program = "thumblatch-desktop"
  private static let deleted = "deleted-Pa55word-17be40"
  private static let wrong = "wrong-Pa55word-90c1ab37"
  private static let half = "half-a-Pa55word-5e7d02"
  private static let ofNobody = "nobodys-Pa55word-a6320f"
  private static let ofProvider = "backend-Pa55word-c41f86de"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows
  private let record: MemoryRecord

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
    record = try MemoryRecord()
  }

  /// Types into the prompt that is open, without an answer.
  private func type(_ password: String) throws {
    try app.run("awaits_focus('System password')")
    try app.run("type_secret('\(password)', 'System password')")
  }

  /// Types into a field of the sign-in.
  private func type(_ text: String, into title: String, isSecret: Bool = true) throws {
    try app.run("tab_to('\(title)')")
    try app.run("\(isSecret ? "type_secret" : "type")('\(text)')")
  }

  /// Deletes the typed text in the prompt.
  private func deleteAll() throws {
    try app.run("key('ctrl+a')")
    try app.run("key('Delete')")
    // The app handles keys in their order.
    try app.run("key('Tab')")
    try app.run("awaits_focus('Deny')")
    try app.run("key('shift+Tab')")
    try app.run("awaits_focus('System password')")
  }

  private func keep(_ moment: String) throws {
    try record.keep(moment, of: person, running: Self.program)
  }

  /// Expects that none of these secrets was found, and that the search finds the shown texts.
  private func expectsNoTrace(of secrets: [String: String], but shown: String) throws {
    #expect(try record.places(of: secrets) == [])
    #expect(try !record.places(of: ["shown": shown]).isEmpty)
  }

  @Test
  func noPasswordIsLeftAfterAnAnswer() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try type(Self.wrong)
    try app.press("Continue")
    try app.sees("Wrong password.")
    try keep("wrong password")
    try type(Someone.systemPassword)
    try app.press("Continue")
    try app.sees("work, Ready · protected · dev", "list item")
    try app.misses("System password")
    try keep("right password")
    try app.run("press('Presence protection', 'check box')")
    try type(Self.deleted)
    try deleteAll()
    try keep("deleted")
    try type(Self.half)
    try app.press("Deny")
    try app.misses("System password")
    try keep("denied")
    let secrets = [
      "deleted": Self.deleted, "wrong": Self.wrong, "right": Someone.systemPassword,
      "half": Self.half,
    ]
    try expectsNoTrace(of: secrets, but: "work@example.org")
  }

  /// The rest moves to the place of the deleted part, and its former end would stay behind it.
  @Test
  func noPartIsLeftThatWasTypedOver() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try type("covered-Pa55word-77c0e1b4")
    try app.run("key(*['shift+Left'] * 17)")
    try app.run("type('x')")
    // The app takes keys in their order.
    try app.run("key('Tab')")
    try app.run("awaits_focus('Deny')")
    try keep("typed over")
    // The new text is where the first of the deleted letters was.
    try expectsNoTrace(of: ["deleted": "a55word-77c0e1b4"], but: "work@example.org")
  }

  @Test
  func noPasswordIsLeftAfterASignIn() throws {
    defer { bus.remove() }
    let configuration = person.home + "/.config"
    try app.run("open(XDG_CONFIG_HOME='\(configuration)', XDG_CONFIG_DIRS='\(person.base)/screen')")
    try app.run("resize(800, 880)")
    try app.run("key('ctrl+n')")
    try app.run("click('dev, http', 'list item')")
    try app.sees("Sign In at dev")
    try type("ada@example.org", into: "E-mail", isSecret: false)
    try type(Self.ofNobody, into: "Password")
    try app.run("key('Return')")
    try app.sees("E-mail and password do not belong together. Check both.", "alert")
    try keep("refused")
    try app.press("Register Instead")
    try app.sees("Register at dev")
    for title in ["Password", "Password again"] { try type(Self.ofProvider, into: title) }
    try app.run("key('Return')")
    try app.sees("Protect “dev”?")
    try keep("registered")
    try app.press("Done")
    try app.run("key('ctrl+n')")
    try app.run("click('dev, http', 'list item')")
    try app.sees("Sign In at dev")
    try type(Self.half, into: "Password")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try keep("locked")
    let secrets = [
      "nobody's": Self.ofNobody, "provider's": Self.ofProvider, "half": Self.half,
    ]
    try expectsNoTrace(of: secrets, but: "ada@example.org")
  }
}
