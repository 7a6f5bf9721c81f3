import Glibc
import System
import TestSupport
import Testing

/// A person without an account at the page.
extension ExampleServerTests {
  @Test
  func someoneMakesAnAccountLooksAroundSignsOutAndInAgain() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    try looksAtTheLogin(browser)
    try registers(browser, at: server, of: person)
    try looksAround(browser, of: person)
    try signsOut(browser, of: person)
    try typesAWrongPassword(browser)
    try registersATakenAddress(browser)
    try signsInFromThere(browser, of: person)
    try signsOutOnlyHere(browser, of: person)
    let written = server.end()
    #expect(written == "open \(server.link)\n", "\(written)")
  }

  private func looksAtTheLogin(_ browser: BrowserProcess) throws {
    let login = try browser.sees("Sign in")
    #expect(try login.focus == "E-mail")
    #expect(try login.address == "/")
    try browser.look("login")
    let stops = try browser.round()
    #expect(Set(stops) == ["E-mail", "Password", "Sign in", "Create an account"])
    #expect(stops.count == 4)
    // The keyboard focus has a ring, as `round` has checked. The mouse focus has none.
    #expect(try !browser.showsRingForTheMouse("Sign in"))
    #expect(try !browser.showsRingForTheMouse("Create an account"))
  }

  /// First with an empty form: the page says what is missing, and the first field has the focus.
  private func registers(
    _ browser: BrowserProcess,
    at server: ExampleServerProcess,
    of person: Person
  ) throws {
    try browser.choose("Create an account")
    try browser.sees("Create an account")
    try browser.look("register")
    try browser.choose("Create account")
    let empty = try browser.sees("Create an account", "Enter your password.")
    #expect(try empty.alerts == ["Enter your e-mail address.", "Enter your password."])
    #expect(try empty.focus == "E-mail")
    try browser.look("register-empty")
    try browser.open("http://127.0.0.1:\(server.port)/")
    try register(browser)
    try browser.look("presence-setup")
    try browser.choose("Not now")
    let profile = try browser.sees("Hello, Ada Lovelace", "ada@example.org")
    #expect(try profile.text.contains(person.backend.url))
    #expect(try profile.focus == "Hello, Ada Lovelace")
    try browser.look("profile")
  }

  private func looksAround(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Open the protected area")
    let inside = try browser.sees("Protected area", "ada@example.org")
    #expect(try inside.text.contains("Member since") && inside.text.contains("E-mail confirmed"))
    #expect(try !inside.text.contains("Number"))
    try browser.look("protected-area")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register", "/auth/me"])
  }

  private func signsOut(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Back to your profile")
    try browser.sees("Hello")
    try browser.choose("Sign out")
    try browser.sees("Sign in", "You are signed out.")
    try browser.look("signed-out")
    #expect(try person.backend.count("sessions") == 0)
  }

  /// A line at the field of the password says that it is wrong, and the other fields keep their
  /// content.
  private func typesAWrongPassword(_ browser: BrowserProcess) throws {
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type("wrong")
    try browser.press("Enter")
    let again = try browser.sees("Sign in", "is wrong")
    #expect(try again.alerts == ["The e-mail address or the password is wrong."])
    #expect(try again.field("email") == "ada@example.org")
    #expect(try again.focus == "Password")
    try browser.look("wrong-password")
  }

  /// A line at the field of the address says that it is taken.
  private func registersATakenAddress(_ browser: BrowserProcess) throws {
    try browser.choose("Create an account")
    let fresh = try browser.sees("Create an account")
    #expect(try fresh.alerts.isEmpty && fresh.field("email").isEmpty)
    try browser.press("Tab")
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type(Self.password)
    try browser.press("Enter")
    let taken = try browser.sees("Create an account", "already has an account")
    #expect(try taken.alerts.count == 1)
    #expect(try taken.focus == "E-mail")
    try browser.look("taken-address")
  }

  /// The way leads to the other form with the address that was typed.
  private func signsInFromThere(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Sign in")
    let back = try browser.sees("Sign in")
    #expect(try back.alerts.isEmpty && back.field("email") == "ada@example.org")
    #expect(try back.focus == "Password")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Protect this login?")
    #expect(try person.backend.count("sessions") == 1)
  }

  /// The backend does not end the login, and the page does not claim that it did.
  private func signsOutOnlyHere(_ browser: BrowserProcess, of person: Person) throws {
    try browser.choose("Not now")
    try browser.sees("Hello")
    try person.backend.fail(.init("/auth/logout", .status(503), count: 9))
    try browser.choose("Sign out")
    let out = try browser.sees("Sign in", "may still be alive at the backend")
    #expect(try out.alerts.count == 1)
    try browser.look("signed-out-here")
    #expect(try person.backend.count("sessions") == 1)
  }
}
