import Glibc
import System
import TestSupport
import Testing

/// The example server as a person meets it, in a real browser without scripts and without a mouse.
@Suite(.serialized)
struct ExampleServerTests {
  static let password = "backend Pa55wörd & more"

  /// Registers an account on the page, up to the question whether to protect it.
  func register(_ browser: BrowserProcess, name: String = "Ada Lovelace") throws {
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
