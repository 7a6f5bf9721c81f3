import JSON
import TestSupport
import Testing

// Sign-ins by e-mail and password.
extension DesktopSignInTests {
  @Test
  func aPasswordBackendRegistersAndSignsIn() throws {
    let person = try Person()
    let app = try open(of: person, "light", width: 360)
    try choose("dev", app)
    try app.press("Register Instead")
    try app.sees("Register at dev")
    try expectWhole(app, "register")
    try app.run("tab_to('E-mail')")
    try app.run("type('ada@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "backend-password", app)
    try app.run("tab_to('Password again')")
    try type(secret: "backend-passwort", app)
    try app.press("Register")
    try app.sees("The two passwords differ.", "alert")
    try type(secret: "backend-password", app)
    try app.run("key('shift+Tab')")
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Protect “dev”?")
    try app.press("Done")
    try app.sees("ada@example.org")
    try signInAgain(app)
    let hostile = """
      {"errors": [{"field": "email", "message":
        "<b>&amp;\\u202e\(String(repeating: "very long reason ", count: 600))"}]}
      """
    try person.backend.fail(.init("/auth/login", .status(422), body: hostile))
    try signInWithPassword(app)
    try registerWithFaults(app)
  }

  /// Signs out of the account on the page, and in to it again.
  private func signInAgain(_ app: AppWindows) throws {
    try app.press("Sign Out…")
    try app.press("Sign Out Sign Out")
    try app.press("Sign In…")
    try app.sees("Sign In to “dev”")
    try expectWhole(app, "again")
    // The e-mail is known.
    #expect(try app.run("focused()") == .string("Password"))
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Protect “dev”?")
  }

  /// Signs the person in to a second account, `dev-2`.
  private func signInWithPassword(_ app: AppWindows) throws {
    try choose("dev", app)
    try app.run("tab_to('E-mail')")
    try app.run("type('ada@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "wrong", app)
    try app.run("key('Return')")
    // The provider's words are no markup, and reverse nothing.
    try app.sees("<b>&amp;", "alert")
    try app.misses("\u{202e}")
    try expectWhole(app, "hostile")
    try app.run("tab_to('Password')")
    try type(secret: "wrong", app)
    try app.run("key('Return')")
    try app.sees("E-mail and password do not belong together. Check both.", "alert")
    try expectWhole(app, "credentials")
    #expect(try app.run("focused()") == .string("Password"))
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Protect “dev-2”?")
  }

  /// Tries the name of an account that is there, and then an address that is taken.
  private func registerWithFaults(_ app: AppWindows) throws {
    try choose("dev", app)
    try app.press("Register Instead")
    for (account, problem) in [
      ("dev", "There is an account of this name."),
      ("dev-3", "There is a user with this address. Sign in instead."),
    ] {
      try app.run("tab_to('Name of the account here')")
      try app.run("key('ctrl+a')")
      try app.run("type('\(account)')")
      try app.run("tab_to('E-mail')")
      try app.run("key('ctrl+a')")
      try app.run("type('ada@example.org')")
      try app.run("tab_to('Password')")
      try type(secret: "backend-password", app)
      try app.run("key('Tab')")
      try type(secret: "backend-password", app)
      try app.run("key('Return')")
      try app.sees(problem, "alert")
    }
  }

  @Test
  func theQuestionAboutAnAccountThatIsRemovedElsewhereIsLeft() throws {
    let person = try Person()
    try person.register("home")
    let app = try open(of: person, "light", width: 800)
    try choose("dev", app)
    try app.run("tab_to('E-mail')")
    try app.run("type('home@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Protect “dev”?")
    try app.run("point_at_toasts()")
    try person.run("account", "remove", "dev", "--yes").succeeded()
    try app.sees("The account is no longer there. The list shows what is there now.")
    try app.sees("No Account Chosen")
    try app.misses("Protect “dev”?")
    // The question that has ended does not end the next sign-in.
    try choose("dev", app)
    #expect(try app.run("quit()") == .integer(0))
  }

  private func expect(work email: String, of person: Person) throws {
    let shown = try person.run("whoami", "work", "--json").succeeded()
    #expect(shown.contains(email), "\(shown)")
  }

  /// Signs in as the other person under the name of the account `work`, until the question.
  private func signInAsOther(_ app: AppWindows) throws {
    try app.run("tab_to('Name of the account here')")
    try app.run("key('ctrl+a')")
    try app.run("type('work')")
    try app.run("tab_to('E-mail')")
    try app.run("key('ctrl+a')")
    try app.run("type('other@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Replace the login of “work”?")
    try app.sees("work@example.org is signed in there at dev.")
  }

  @Test
  func aLoginIsReplacedAfterAQuestion() throws {
    let person = try Person()
    try person.register("work")
    try person.register("other")
    let app = try open(of: person, "light", width: 360)
    try choose("dev", app)
    try signInAsOther(app)
    try expectWhole(app, "replace")
    try app.press("Cancel Cancel")
    try app.misses("Replace the login of “work”?")
    try expect(work: "work@example.org", of: person)
    try signInAsOther(app)
    try app.press("Replace Replace")
    try app.sees("Protect “work”?")
    try expect(work: "other@example.org", of: person)
  }

  @Test
  func aProtectedLoginIsReplacedAfterACheck() throws {
    let person = try Person()
    try person.register("work")
    try person.register("other")
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("System password for")
    try enable.enter(Someone.systemPassword)
    try enable.end()
    let app = try open(of: person, "dark", width: 800)
    try choose("dev", app)
    try signInAsOther(app)
    try app.sees("Another person needs a presence check, and the protection ends.")
    try app.press("Replace Replace")
    try app.sees("to replace the login of account 'work' (work@example.org at dev")
    try app.typePassword()
    try app.sees("Protect “work”?")
    try expect(work: "other@example.org", of: person)
  }

  @Test
  func aServerThatDoesNotAnswerIsTold() throws {
    let person = try Someone()
    let app = try open(of: person, "dark", width: 800)
    try app.run("key('ctrl+n')")
    try app.run("click('A server that takes', 'list item')")
    try app.sees("Address of the provider")
    try app.run("tab_to('Address of the provider')")
    try app.run("key('End')")
    try app.run("type('localhost')")
    try app.run("tab_to('E-mail')")
    try app.run("type('ada@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("ocalhost is not answering")
    try expectWhole(app, "no-answer")
  }
}
