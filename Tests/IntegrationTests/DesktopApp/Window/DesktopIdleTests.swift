import JSON
import System
import TestSupport
import Testing

/// The desktop app while nothing happens.
///
/// It wakes by itself only for the next change on the screen: when the shown minute of the
/// countdown of an unlock window ends, when that window closes, and when an access token expires.
struct DesktopIdleTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// All views, a presence check and the unlock window were there before.
  @Test
  func anIdleAppWakesNoThread() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("animate()")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    try app.run("press('Presence protection', 'check box')")
    try app.typePassword()
    try app.sees("work, Ready · protected · dev", "list item")
    try app.run("click('Health', 'list item')")
    try app.sees("Look Again")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    let awake = try app.run("awake(60)")
    #expect(awake == .array([]), "\(awake)")
    #expect(try app.run("quit()") == .integer(0))
  }

  /// The page of an account follows the audit log, which costs nothing while no record comes.
  @Test
  func anIdleAppWithTenAccountsWakesNoThreadWhileTheVaultIsOpen() throws {
    defer { bus.remove() }
    for number in 1...10 { try person.register("work-\(number)") }
    try app.run("open()")
    try app.run("click('work-2', 'list item')")
    try app.sees("work-2@example.org")
    try app.sees("Registration, done")
    let awake = try app.run("awake(60)")
    #expect(awake == .array([]), "\(awake)")
    #expect(try app.run("quit()") == .integer(0))
  }
}
