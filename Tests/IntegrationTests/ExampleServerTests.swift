import Glibc
import System
import TestSupport
import Testing

/// The example server as a person meets it, in a real browser without scripts and without a mouse.
@Suite(.serialized)
struct ExampleServerTests {
  static let password = "backend Pa55wörd & more"

  /// Registers an account on the page, up to the question whether to protect it.
  private func register(_ browser: BrowserProcess, name: String = "Ada Lovelace") throws {
    try browser.sees("Sign in")
    try browser.choose("Create an account")
    let page = try browser.sees("Create an account")
    #expect(try page.focus == "Name (optional)")
    try browser.type(name)
    try browser.press("Tab")
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Protect this login?")
  }

  @Test
  func someoneMakesAnAccountLooksAroundSignsOutAndInAgain() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
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

    // An empty form: the page says what is missing, and the first field has the focus.
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
    try browser.choose("Open the protected area")
    let inside = try browser.sees("Protected area", "ada@example.org")
    #expect(try inside.text.contains("Member since") && inside.text.contains("E-mail confirmed"))
    #expect(try !inside.text.contains("Number"))
    try browser.look("protected-area")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register", "/auth/me"])

    try browser.choose("Back to your profile")
    try browser.sees("Hello")
    try browser.choose("Sign out")
    try browser.sees("Sign in", "You are signed out.")
    try browser.look("signed-out")
    #expect(try person.backend.count("sessions") == 0)

    // A wrong password: a line at its field, and the other fields keep their content.
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type("wrong")
    try browser.press("Enter")
    let again = try browser.sees("Sign in", "is wrong")
    #expect(try again.alerts == ["The e-mail address or the password is wrong."])
    #expect(try again.field("email") == "ada@example.org")
    #expect(try again.focus == "Password")
    try browser.look("wrong-password")

    // An address that is taken: a line at that field, with the way to the other form and back.
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
    try browser.choose("Sign in")
    let back = try browser.sees("Sign in")
    #expect(try back.alerts.isEmpty && back.field("email") == "ada@example.org")
    #expect(try back.focus == "Password")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Protect this login?")
    #expect(try person.backend.count("sessions") == 1)

    let written = server.end()
    #expect(written == "open \(server.link)\n", "\(written)")
  }

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

    // Later, with a finger.
    try browser.choose("Turn on presence protection")
    let prompt = try browser.sees("Touch the fingerprint reader", "to protect your login")
    #expect(try prompt.text.contains("example-server"))
    #expect(try prompt.states == ["Waiting for your finger…"])
    #expect(try prompt.focus == "Waiting for your finger…")
    try browser.look("prompt-finger")
    try person.touch()
    // The touch has opened the account as well.
    let on = try browser.sees("Hello", "Presence protection is on.")
    #expect(try on.states == ["Presence protection is on."])
    try browser.choose("Lock now")
    let locked = try browser.sees("Locked", "Ada Lovelace is signed in.")
    #expect(try locked.focus == "Locked")
    try browser.look("lock")

    // Locked: no address leads past it.
    try browser.open("http://127.0.0.1:\(server.port)/inside")
    try browser.sees("Locked")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])

    // A finger that is not enrolled, then the right one.
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

    // After a cancelled prompt the account stays locked.
    try browser.choose("Lock now")
    try browser.sees("Locked")
    try browser.choose("Unlock")
    try browser.sees("Touch the fingerprint reader")
    try browser.choose("Cancel")
    let kept = try browser.sees("Locked")
    #expect(try kept.states == ["Cancelled. You can try again."])

    // By the system password, after a wrong finger, which is no error at the password field. A
    // wrong password comes first. After a cancelled prompt the next one starts only after a moment.
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
    try browser.type("wrong")
    try browser.press("Enter")
    let wrong = try browser.sees("Enter your system password", "That was not the password.")
    #expect(try wrong.focus == label)
    #expect(try wrong.alerts.count == 1)
    try browser.look("prompt-wrong-password")
    try browser.type(Person.systemPassword)
    try browser.press("Enter")
    try browser.sees("Hello")

    // Then protection is turned off.
    try browser.choose("Turn off protection")
    try browser.sees("Touch the fingerprint reader", "to end the protection")
    try person.touch()
    let ended = try browser.sees("Hello", "Presence protection is off.")
    #expect(try ended.text.contains("Off"))
    try browser.choose("Sign out")
    try browser.sees("Sign in")
    #expect(server.end() == "open \(server.link)\n")
  }

  @Test
  func aBackendThatIsDownIsToldAndNothingIsLost() throws {
    let person = try Person()
    let kept = person.base + "/kept.json"
    var backend: DevBackend? = try DevBackend(["--state", kept])
    let url = try #require(backend?.url)
    let server = try ExampleServerProcess(person, backend: url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    try register(browser)
    try browser.choose("Not now")
    try browser.sees("Hello")

    backend = nil
    try browser.choose("Open the protected area")
    let offline = try browser.sees("No connection", "is still signed in")
    #expect(try offline.alerts.count == 1)
    try browser.look("offline")
    try browser.choose("Try again")
    try browser.sees("No connection")

    let port = try #require(url.split(separator: ":").last)
    backend = try DevBackend(["--port", String(port), "--state", kept])
    try browser.choose("Try again")
    try browser.sees("Protected area", "ada@example.org")
    #expect(try backend?.count("sessions") == 1)
  }

  @Test
  func whatTakesLongIsWaitedForWithoutAScript() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    try browser.sees("Sign in")
    try person.backend.fail(DevBackendFault("/auth/login", .status(500), hold: true))
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type(Self.password)
    try browser.press("Enter")
    let loading = try browser.sees("Please wait")
    #expect(try loading.states.first?.hasPrefix("Waiting for 127.0.0.1:") == true)
    try browser.look("loading")
    try person.backend.release()
    // The page updates by itself.
    let error = try browser.sees("Something went wrong")
    #expect(try error.alerts.count == 1)
    try browser.look("error")
  }

  @Test
  func whatTakesLongCanBeCancelled() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    try browser.sees("Sign in")
    try person.backend.fail(DevBackendFault("/auth/login", .none, hold: true))
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Please wait")
    try browser.choose("Cancel")
    let kept = try browser.sees("Sign in", "Cancelled.")
    #expect(try kept.field("email") == "ada@example.org")
    #expect(try kept.alerts.isEmpty)
    // The cancelled sign-in is over, so the next one is not refused as a second one.
    try person.backend.release()
    try browser.type("wrong")
    try browser.press("Enter")
    try browser.sees("Sign in", "The e-mail address or the password is wrong.")
  }

  @Test
  func aHostileNameIsTextAndNothingElse() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let browser = try BrowserProcess(in: person.base + "/browser")
    try browser.open(server.link)
    let attack = "<script>document.title='owned'</script>\"'><h1>x</h1>\u{202E}txt.exe שלום "
    let name = attack + String(repeating: "Wolfeschlegelsteinhausen", count: 10).prefix(230)
    try register(browser, name: name)
    try browser.choose("Not now")
    let profile = try browser.sees(
      "Hello, <script>document",
      "<script>document.title='owned'</script>"
    )
    #expect(try profile.text.contains("ada@example.org"))
    try browser.look("profile-hostile")
    try browser.choose("Open the protected area")
    try browser.sees("Protected area", "<script>document.title='owned'</script>")
    try browser.look("protected-area-hostile")
  }
}
