import JSON
import System
import TestSupport
import Testing

/// The end of an account while the desktop app shows it.
@Suite(.serialized)
struct DesktopAppRemovalTests {
  private static let gone = "The account is no longer there. The list shows what is there now."

  private static let givenUp =
    "You no longer wait for the provider. The vault may still finish the call: look at the state of the"
    + " account before you try again."

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

  /// Opens the page of an account whose provider does not answer a sign-out until it is released.
  private func openAccountOfSilentProvider() throws {
    try person.backend.fail(.init("/auth/logout", hold: true))
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
  }

  @Test
  func aSignOutThatWaitsForTheProviderIsGivenUp() throws {
    defer { bus.remove() }
    try person.register("home")
    try person.register("work")
    try openAccountOfSilentProvider()
    try app.press("Sign Out…")
    try app.press("Sign Out Sign Out")
    try app.sees("Signing out…", "alert")
    app.keepPicture("signing-out")
    try app.expectNames()
    try app.press("Cancel")
    try app.sees(Self.givenUp, "alert")
    try app.misses("Signing out…")
    // Nothing was erased.
    try app.sees("work, Ready", "list item")
    // The vault carries it out when the provider answers.
    try person.backend.release()
    try app.sees("work, Signed out", "list item")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func aSignOutThatWaitsForThePersonDoesNotWaitForTheProvider() throws {
    defer { bus.remove() }
    try person.register("home")
    try person.register("work")
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("System password for")
    try enable.enter(Person.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()
    try openAccountOfSilentProvider()
    try app.press("Sign Out…")
    try app.press("Sign Out Sign Out")
    // PAM takes its time for a wrong password.
    try app.typePassword("wrong")
    try app.sees("Wrong password", "alert")
    let waits = try app.run("steadily(lambda: len(app.shown(None, 'Signing out…')))")
    #expect(waits == .integer(0))
    try app.typePassword()
    try app.sees("Signing out…", "alert")
    try person.backend.release()
    try app.sees("work, Signed out", "list item")
  }

  @Test
  func aRemovalThatWaitsForTheProviderIsGivenUp() throws {
    defer { bus.remove() }
    try person.register("home")
    try person.register("work")
    try openAccountOfSilentProvider()
    try app.press("Remove…")
    try app.press("Remove Remove")
    try app.sees("Removing the account…", "alert")
    try app.press("Cancel")
    try app.sees(Self.givenUp, "alert")
    try app.sees("work, Ready", "list item")
    try app.run("point_at_toasts()")
    try person.backend.release()
    try app.sees(Self.gone)
    try app.misses("work@example.org")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func thePageOfAnAccountThatIsRemovedElsewhereIsLeft() throws {
    defer { bus.remove() }
    try person.register("home")
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    // Another account may get the name.
    try app.press("Remove…")
    try app.sees("Remove “work”?")
    try app.run("point_at_toasts()")
    try removeElsewhere("work")
    try app.misses("Remove “work”?")
    try app.sees(Self.gone)
    try app.sees("No Account Chosen")
    try app.misses("work@example.org")
    try app.expectNames()
    #expect(try app.run("quit()") == .integer(0))
  }
}
