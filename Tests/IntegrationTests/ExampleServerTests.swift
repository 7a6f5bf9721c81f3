import Glibc
import System
import TestSupport
import Testing

/// The example server as a person meets it: a real browser without scripts and without a mouse.
@Suite(.serialized)
struct ExampleServerTests {
  static let password = "backend Pa55wörd & more"

  /// Makes an account by the page; ends at the question whether to protect it.
  private func register(_ browser: BrowserProcess, name: String = "Ada Lovelace") throws {
    try browser.sees("Sign in")
    try browser.choose("Make an account")
    let page = try browser.sees("Make an account")
    #expect(try page.focus == "Name")
    try browser.type(name)
    try browser.press("Tab")
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Protect your login?")
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
    #expect(stops == ["E-mail", "Password", "Sign in", "Make an account"])

    // Nothing typed: told where it belongs, and the first field has the focus.
    try browser.choose("Make an account")
    try browser.sees("Make an account")
    try browser.look("register")
    try browser.choose("Make an account")
    let empty = try browser.sees("Make an account", "Type your password.")
    #expect(try empty.alerts == ["Type your e-mail address.", "Type your password."])
    #expect(try empty.focus == "E-mail")
    try browser.look("register-empty")
    try browser.open("http://127.0.0.1:\(server.port)/")
    try register(browser)
    try browser.look("presence-setup")
    try browser.choose("Maybe later")
    let profile = try browser.sees("Hello, Ada Lovelace", "ada@example.org")
    #expect(try profile.text.contains(person.backend.url))
    #expect(try profile.focus == "Open the protected area")
    try browser.look("profile")
    try browser.press("Enter")
    try browser.sees("Protected area", "ada@example.org")
    try browser.look("protected-area")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register", "/auth/me"])

    try browser.press("Enter")
    try browser.sees("Hello")
    try browser.choose("Sign out")
    try browser.sees("Sign in", "You are signed out.")
    try browser.look("signed-out")
    #expect(try person.backend.count("sessions") == 0)

    // A wrong password: what happened, the way back, and what was typed but for the password.
    try browser.type("ada@example.org")
    try browser.press("Tab")
    try browser.type("wrong")
    try browser.press("Enter")
    let error = try browser.sees("That did not work")
    #expect(try error.alerts == ["The e-mail address or the password is wrong."])
    #expect(try [error.focus] == error.alerts, "\(error.object)")
    try browser.look("error")
    try browser.choose("Go back")
    let again = try browser.sees("Sign in")
    #expect(try again.field("email") == "ada@example.org")
    #expect(try again.focus == "Password")
    try browser.type(Self.password)
    try browser.press("Enter")
    try browser.sees("Protect your login?")
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
    let setup = try browser.sees("Protect your login?", "right-index")
    #expect(try setup.focus == "Turn it on")
    try browser.choose("Maybe later")
    try browser.sees("Hello")

    // Later, by a finger.
    try browser.choose("Turn presence protection on")
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
    #expect(try locked.focus == "Unlock")
    try browser.look("lock")

    // Locked: no address leads past it.
    try browser.open("http://127.0.0.1:\(server.port)/inside")
    try browser.sees("Locked")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])

    // A stranger's finger, then the right one.
    try browser.press("Enter")
    try browser.sees("Touch the fingerprint reader", "to open the protected area")
    try person.touch("a-stranger")
    let stranger = try browser.sees("Touch the fingerprint reader", "That finger is not enrolled.")
    #expect(try stranger.alerts.count == 1)
    try browser.look("prompt-wrong-finger")
    try person.touch()
    try browser.sees("Hello", "On")
    try browser.look("profile-protected")
    try browser.press("Enter")
    try browser.sees("Protected area")
    try browser.press("Enter")
    try browser.sees("Hello")

    // Given up: locked as before.
    try browser.choose("Lock now")
    try browser.sees("Locked")
    try browser.press("Enter")
    try browser.sees("Touch the fingerprint reader")
    try browser.choose("Cancel")
    let kept = try browser.sees("Locked")
    #expect(try kept.states == ["Nothing has changed."])

    // By the system password; a wrong one first. Who has given up is asked again after a moment.
    try browser.press("Enter")
    while try !browser.shows("Touch the fingerprint reader", insteadOf: "That did not work") {
      try browser.choose("Go back")
      try browser.sees("Locked")
      try browser.choose("Unlock")
    }
    try browser.choose("Use the system password")
    let question = try browser.sees("Type your system password")
    let label = "System password for \(person.user.name)"
    #expect(try question.focus == label)
    try browser.look("prompt-password")
    try browser.type("wrong")
    try browser.press("Enter")
    let wrong = try browser.sees("Type your system password", "That was not the password.")
    #expect(try wrong.focus == label)
    #expect(try wrong.alerts.count == 1)
    try browser.look("prompt-wrong-password")
    try browser.type(Person.systemPassword)
    try browser.press("Enter")
    try browser.sees("Hello")

    // And the end of it.
    try browser.choose("Turn the protection off")
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
    try browser.choose("Maybe later")
    try browser.sees("Hello")

    backend = nil
    try browser.choose("Open the protected area")
    let offline = try browser.sees("No connection", "is still signed in")
    #expect(try offline.alerts.count == 1)
    #expect(try offline.focus == "Try again")
    try browser.look("offline")
    try browser.press("Enter")
    try browser.sees("No connection")

    let port = try #require(url.split(separator: ":").last)
    backend = try DevBackend(["--port", String(port), "--state", kept])
    try browser.press("Enter")
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
    let loading = try browser.sees("One moment")
    #expect(try loading.states == ["Please wait…"])
    try browser.look("loading")
    try person.backend.release()
    // The page brings what comes by itself.
    let error = try browser.sees("That did not work")
    #expect(try error.alerts.count == 1)
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
    try browser.choose("Maybe later")
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
