import JSON
import System
import TestSupport
import Testing

/// The traces that the desktop app leaves when the vault locks, when a check is denied, and in its
/// memory.
@Suite(.serialized)
struct DesktopAppLockTests {
  private let person: Person
  private let app: AppWindows

  init() throws {
    person = try Person()
    app = try AppWindows(of: person, "--private")
    try person.register("work")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
  }

  private func typePassword() throws {
    try app.typePassword()
    try app.misses("System password")
  }

  @Test
  func aLockClosesTheQuestionAboutAnAccount() throws {
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.press("Unlock")
    try typePassword()
    try app.sees("work@example.org")
    try app.run("press('Remove…')")
    try app.sees("Remove “work”?")
    try person.run("lock").succeeded()
    try app.sees("The Vault Is Locked")
    try app.misses("work")
    #expect(try person.run("status").succeeded().contains("work"))
    // It is no answer, so the account is there after an unlock.
    try app.press("Unlock")
    try typePassword()
    try app.sees("work, Ready", "list item")
  }

  @Test
  func aSignInBeginsAfterASignOutThatWasNotConfirmed() throws {
    try person.backend.fail(.init("/auth/logout", .status(503)))
    try app.run("press('Sign Out…')")
    try app.run("press('Sign Out Sign Out')")
    try app.sees("did not confirm that the login has ended")
    try app.sees("End the session in your account settings there.", "alert")
    try app.run("press('Sign In…')")
    try app.sees("Sign In to")
  }

  @Test
  func aRemovalThatWasNotConfirmedIsToldUntilItIsClosed() throws {
    try person.backend.fail(.init("/auth/logout", .status(503)))
    try app.press("Remove…")
    try app.run("press('Remove Remove')")
    try app.sees("Removed, not confirmed by the provider")
    try app.sees("No Accounts Yet")
    app.keepPicture("removal-not-confirmed")
    // The message takes no row out of reach.
    let row = "sum(app.extents(app.find('list item', 'Settings'))[1::2])"
    let message = "app.extents(app.find('label', 'Removed, not confirmed'))[1]"
    try app.run("until(lambda: \(row) <= \(message), 'a row is covered')")
    try app.press("Close the message")
    let end = "app.extents(app.find('frame', 'Thumblatch'))[3]"
    try app.run("until(lambda: \(row) > \(end) - 12, 'the room stays')")
  }

  /// Without logind the unlock window ends with the connection of the check.
  @Test
  func anUnlockShowsTheAccountsAlsoWithoutLogind() throws {
    let bench = try ServiceBench()
    let customer = try Customer(bench)
    let app = try AppWindows(of: customer)
    try app.run("open()")
    try app.sees("No Accounts Yet")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.press("Unlock")
    try app.typePassword(customer.systemPassword)
    try app.sees("No Accounts Yet")
  }

  /// The person types passwords into the app.
  @Test
  func noOtherProgramOfThePersonReadsTheMemory() throws {
    guard case .integer(let process) = try app.run("app.pid") else {
      Issue.record("no process")
      return
    }
    let looked = try person.shell(
      "head -c 1 /proc/\(process)/maps; grep 'Max core file size *0 *0' /proc/\(process)/limits"
    )
    #expect(looked.text.contains("Permission denied"), "\(looked.text)")
    #expect(looked.text.contains("Max core file size"), "\(looked.text)")
  }
}
