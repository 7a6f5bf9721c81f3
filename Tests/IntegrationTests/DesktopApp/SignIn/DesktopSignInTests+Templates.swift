import JSON
import TestSupport
import Testing

// Sign-ins at a known provider: the app has its settings, and asks for the rest.
extension DesktopSignInTests {
  /// Fills a field, only with the keyboard.
  private func fill(_ field: String, _ text: String, _ app: AppWindows) throws {
    try app.run("tab_to('\(field)')")
    try app.run("key('ctrl+a')")
    try app.run("type('\(text)')")
  }

  @Test
  func aTemplateAsksForWhatOnlyThePersonKnows() throws {
    let person = try Someone()
    let app = try open(of: person, "light", width: 800)
    try app.run("key('ctrl+n')")
    try app.run("click('Keycloak, With a client ID', 'list item')")
    try app.misses("Add a Provider")
    try app.sees("Keycloak", "label")
    try app.sees("Its valid redirect URI is http://127.0.0.1/callback.", "label")
    try app.sees("Client secret (optional)")
    try expectWhole(app, "template")
    try app.run("key('Return')")
    let host = "The host of your Keycloak, with /auth if its URLs have it"
    try app.sees("This is missing.", "alert")
    #expect(try app.run("focused()") == .string(host))
    try expectWhole(app, "template-empty")

    // The host is not an address, and each field keeps its typed text.
    try app.run("type('https://id.example.org')")
    try fill("The realm", "staff", app)
    try fill("Client ID", "thumblatch", app)
    try app.run("key('Return')")
    try app.sees("This must be a host such as id.example.com, without https://", "alert")
    try app.misses("This is missing.")
    #expect(try app.run("focused()") == .string(host))
    try expectWhole(app, "template-host")

    // Nothing listens at that port, and no file of the provider is kept.
    try app.run("key('ctrl+a')")
    try app.run("type('localhost:1')")
    try app.run("key('Return')")
    try app.sees("ocalhost:1 is not answering", "alert")
    #expect(try !person.shell("ls -R ~/.config").text.contains("keycloak"))
  }

  @Test
  func aTemplateHasTheHostThatMostPeopleUse() throws {
    let person = try Someone()
    let app = try open(of: person, "dark", width: 360)
    try app.run("key('ctrl+n')")
    try app.run("click('GitLab.com, or your own GitLab', 'list item')")
    try app.sees("Add an application, not confidential, with the redirect URI", "label")
    try app.sees("The host of your GitLab", "text")
    // The first field that is empty has the focus: the host and the account have their text.
    #expect(try app.run("focused()") == .string("Client ID"))
    try expectWhole(app, "template-dark")
    try app.press("Other Provider")
    try app.sees("Add a Provider")
  }
}
