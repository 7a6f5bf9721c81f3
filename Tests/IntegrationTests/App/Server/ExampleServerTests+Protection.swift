import Glibc
import System
import TestSupport
import Testing

/// The protection of a login at the page.
extension ExampleServerTests {
  @Test
  func aLoginIsProtectedLockedOpenedAndReleasedAtThePage() throws {
    let person = try Person()
    try person.enroll()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    try register(browser)
    try browser.sees("Protect this login?", "right-index")
    try browser.choose("Not now")
    try browser.sees("Hello")
    try turnsProtectionOn(browser, of: person)
    try staysLocked(browser, at: server, of: person)
    try opensWithAFinger(browser, of: person)
    try cancels(browser)
    try choosesThePassword(browser, of: person)
    try opensWithThePassword(browser)
    try turnsProtectionOffAndSignsOut(browser, of: person)
    #expect(server.end() == "open \(server.link)\n")
  }

  /// The touch opens the account as well.
  private func turnsProtectionOn(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Turn on presence protection")
    let prompt = try browser.sees("Touch the fingerprint reader", "to protect your login")
    #expect(try prompt.text.contains("example-server"))
    #expect(try prompt.states == ["Waiting for your finger…"])
    #expect(try prompt.focus == "Waiting for your finger…")
    try browser.look("prompt-finger")
    try person.touch()
    let on = try browser.sees("Hello", "Presence protection is on.")
    #expect(try on.states == ["Presence protection is on."])
    try browser.choose("Lock now")
    let locked = try browser.sees("Locked", "Ada Lovelace is signed in.")
    #expect(try locked.focus == "Locked")
    try browser.look("lock")
  }

  /// No address leads past the lock.
  private func staysLocked(
    _ browser: BrowserProcess,
    at server: ExampleServerProcess,
    of person: Person
  ) throws {
    try browser.open("http://127.0.0.1:\(server.port)/inside")
    try browser.sees("Locked")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])
  }

  /// A finger that is not enrolled comes first, then the right one.
  private func opensWithAFinger(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Unlock")
    try browser.sees("Touch the fingerprint reader", "to open the protected area")
    try person.touch("a-stranger")
    let stranger = try browser.sees("Touch the fingerprint reader", "That finger is not enrolled.")
    #expect(try stranger.alerts.count == 1)
    try browser.look("prompt-wrong-finger")
    try person.touch()
    try browser.sees("Hello", "On")
    try browser.look("profile-protected")
    try browser.choose("Open the protected area")
    try browser.sees("Protected area")
    try browser.choose("Back to your profile")
    try browser.sees("Hello")
  }

  /// After a cancelled prompt the account stays locked.
  private func cancels(_ browser: BrowserProcess) throws {
    try browser.choose("Lock now")
    try browser.sees("Locked")
    try browser.choose("Unlock")
    try browser.sees("Touch the fingerprint reader")
    try browser.choose("Cancel")
    let kept = try browser.sees("Locked")
    #expect(try kept.states == ["Cancelled. You can try again."])
  }

  /// The user chooses the password after a wrong finger, which is no error at the password field.
  ///
  /// After a cancelled prompt the next one starts only after a moment.
  private func choosesThePassword(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Unlock")
    while try !browser.shows("Touch the fingerprint reader", insteadOf: "Something went wrong") {
      try browser.choose("Back")
      try browser.sees("Locked")
      try browser.choose("Unlock")
    }
    try person.touch("a-stranger")
    try browser.sees("Touch the fingerprint reader", "That finger is not enrolled.")
    try browser.choose("Use the system password")
    let question = try browser.sees("Enter your system password")
    let label = "System password for \(person.user.name)"
    #expect(try question.focus == label)
    #expect(try question.alerts.isEmpty && !question.text.contains("finger is not"))
    try browser.look("prompt-password")
    try typesAWrongPassword(browser, at: label)
  }

  private func typesAWrongPassword(_ browser: BrowserProcess, at label: String) throws {
    try browser.type("wrong")
    try browser.press("Enter")
    let wrong = try browser.sees("Enter your system password", "That was not the password.")
    #expect(try wrong.focus == label)
    #expect(try wrong.alerts.count == 1)
    try browser.look("prompt-wrong-password")
  }

  private func opensWithThePassword(_ browser: BrowserProcess) throws {
    try browser.type(Person.systemPassword)
    try browser.press("Enter")
    try browser.sees("Hello")
  }

  private func turnsProtectionOffAndSignsOut(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Turn off protection")
    try browser.sees("Touch the fingerprint reader", "to end the protection")
    try person.touch()
    let ended = try browser.sees("Hello", "Presence protection is off.")
    #expect(try ended.text.contains("Off"))
    try browser.choose("Sign out")
    try browser.sees("Sign in")
  }
}
