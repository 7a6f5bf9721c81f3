import JSON
import System
import TestSupport
import Testing

/// The end of an account while the desktop app shows it.
@Suite(.serialized)
struct DesktopAppRemovalTests {
  private static let gone = "The account is no longer there. The list shows what is there now."

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  private func removeElsewhere(_ account: String) throws {
    try person.run("account", "remove", account, "--yes").succeeded()
  }

  @Test
  func thePageOfAnAccountThatIsRemovedElsewhereIsLeft() throws {
    defer { bus.remove() }
    try person.register("home")
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    try app.run("point_at_toasts()")
    try removeElsewhere("work")
    try app.sees(Self.gone)
    try app.sees("No Account Chosen")
    try app.misses("work@example.org")
    try app.expectNames()
    #expect(try app.run("quit()") == .integer(0))
  }
}
