import JSON
import System
import TestSupport
import Testing

/// Sign-ins in the desktop app: the real engine, an OpenID provider, the development backend.
struct DesktopSignInTests {
  /// Opens the app of a person that has files of providers.
  func open(
    of person: Someone,
    _ style: String,
    inHighContrast: Bool = false,
    width: Int
  ) throws -> AppWindows {
    let app = try AppWindows(of: person, "--private")
    try app.run(
      """
      open(XDG_CONFIG_HOME='\(person.home)/.config', XDG_CONFIG_DIRS='\(person.base)/screen', \
      ADW_DEBUG_COLOR_SCHEME='prefer-\(style)', ADW_DEBUG_HIGH_CONTRAST='\(inHighContrast ? 1 : 0)')
      """
    )
    try app.run("resize(\(width), 880)")
    return app
  }

  /// Expects that a screen reader can name each control, and that no text is cut.
  func expectWhole(_ app: AppWindows, _ picture: String) throws {
    app.keepPicture("sign-in-\(picture)")
    try app.expectNames()
    #expect(try app.run("overflowing()") == .array([]))
  }

  /// Makes a program the desktop's browser.
  func setBrowser(_ command: String, of person: Someone) throws {
    try person.shell(
      """
      mkdir -p ~/.local/share/applications && cd ~/.local/share/applications
      printf '[Desktop Entry]\\nType=Application\\nName=Browser\\nExec=\(command) %%u\\n' >browser.desktop
      printf '[Default Applications]\\nx-scheme-handler/http=browser.desktop\\n' >mimeapps.list
      """
    ).succeeded()
  }

  func browse(as member: Member, _ options: [String] = []) throws {
    let variable = try member.browser(options)
    try setBrowser(String(variable.trimmingPrefix("BROWSER=")), of: member)
  }

  /// Shows the form of a provider in the list.
  func choose(_ provider: String, _ app: AppWindows) throws {
    try app.run("key('ctrl+n')")
    try app.run("click('\(provider), http', 'list item')")
    try app.sees("Sign In at \(provider)")
  }

  /// Types a secret into the focused field, which no program on the accessibility bus may read.
  func type(secret: String, _ app: AppWindows) throws {
    try app.run("type_secret('\(secret)')")
    try app.misses(secret)
  }

  @Test
  func aBrowserSignsInByOnlyTheKeyboard() throws {
    let member = try Member()
    try browse(as: member)
    let app = try open(of: member, "light", inHighContrast: true, width: 360)
    try app.sees("No Accounts Yet")
    try app.run("tab_to('Sign In')")
    try app.run("key('Return')")
    try app.sees("idp, http", "list item")
    try expectWhole(app, "choices")
    // The first provider has the focus.
    try app.run("key('Return')")
    try app.sees("Sign In at idp")
    try expectWhole(app, "form")
    try app.run("tab_to('Name of the account here')")
    try app.run("key('ctrl+a')")
    try app.run("type('work')")
    try app.run("key('Return')")
    try app.sees("Protect “work”?")
    try app.sees("Your system password.")
    try app.sees("Enroll Finger…", "push button")
    try expectWhole(app, "protection")
    // The browser shows that it may be closed.
    #expect(eventually { (try? member.shell("cat ~/page").text.contains("signed in")) == true })

    try app.run("tab_to('Presence protection')")
    try app.run("key('space')")
    try app.sees("System password")
    try type(secret: Someone.systemPassword, app)
    try app.run("key('Return')")
    try app.misses("System password")
    try app.run("tab_to('Done')")
    try app.run("key('Return')")
    try app.run("resize(800, 880)")
    try app.sees("work, Ready · protected · idp", "list item")
    try app.sees("ada@example.org")
    try app.sees("Scopes", "label")
    try app.sees("openid", "label")
    #expect(try member.standing() == "ready")
    try signOutByTheKeyboardOnly(app)
    #expect(try member.standing() == "signed-out")
    #expect(try app.run("quit()") == .integer(0))
  }

  /// Signs out of the protected account on the page.
  private func signOutByTheKeyboardOnly(_ app: AppWindows) throws {
    try app.run("tab_to('Sign Out…')")
    try app.run("key('Return')")
    try app.sees("Sign out of “work”?")
    try app.run("tab_to('Sign Out Sign Out')")
    try app.run("key('Return')")
    // The check before has opened the unlock window.
    try app.sees("work, Signed out · protected · idp", "list item")
  }

  @Test
  func aSignInIsGivenUpInTheMiddle() throws {
    let member = try Member()
    try setBrowser("/bin/true", of: member)
    let app = try open(of: member, "dark", inHighContrast: true, width: 800)
    try choose("idp", app)
    try app.run("key('Return')")
    try app.sees("Sign in at idp in your browser.")
    try expectWhole(app, "browser")
    #expect(try app.run("focused()") == .string("Cancel"))
    try app.press("Copy Address")
    try app.run("key('Return')")
    try app.sees("Sign In at idp")

    // The desktop has no browser.
    try member.shell(
      """
      all=$(grep -ls 'x-scheme-handler/http' /usr/share/applications/*.desktop | sed 's,.*/,,')
      cd ~/.local/share/applications && rm browser.desktop
      printf '[Removed Associations]\\nx-scheme-handler/http=%s\\n' "$(echo $all | tr ' ' ';')" >mimeapps.list
      """
    ).succeeded()
    try app.run("key('Return')")
    try app.sees("No browser could be opened.")
    try expectWhole(app, "no-browser")
    try app.press("Cancel")
    try app.sees("Sign In at idp")

    // The provider does not answer.
    try member.endEngine()
    try member.provider.fail(["path": "/o/.well-known/openid-configuration", "hold": true])
    try app.run("key('Return')")
    try app.sees("Asking idp…")
    try app.press("Cancel")
    try app.sees("Sign In at idp")
    try member.provider.release()
    #expect(try member.run("token", "idp").end == .exited(9))

    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.misses("Sign In at idp")
  }

  @Test
  func aSignInWhoseEngineIsKilledIsMadeAgain() throws {
    let member = try Member()
    try member.shell(
      """
      printf '#!/bin/sh\\nprintf %%s "$1" >~/new; mv ~/new ~/address\\n' >~/keep; chmod 700 ~/keep
      """
    ).succeeded()
    try setBrowser(member.home + "/keep", of: member)
    let app = try open(of: member, "light", width: 800)
    try choose("idp", app)
    try app.run("key('Return')")
    try app.sees("Sign in at idp in your browser.")
    #expect(eventually { (try? member.shell("cat ~/address").text.hasPrefix("http")) == true })
    try member.killEngine()
    let browser = try member.browser().trimmingPrefix("BROWSER=")
    _ = try member.shell("\(browser) \"$(cat ~/address)\"")
    try app.sees("Sign In at idp")
    try app.sees("see the list of accounts before you try again", "alert")
    try expectWhole(app, "engine-killed")
    try browse(as: member)
    try app.run("key('Return')")
    try app.sees("Protect “idp”?")
    // The finger that a check would take is enrolled without a terminal.
    try app.press("Enroll Finger…")
    try app.sees("No Finger Enrolled")
    try app.press("Enroll Finger")
    try app.sees("Type the system password to enroll your right index finger.")
  }

  @Test
  func whatIsWrongIsTold() throws {
    let member = try Member(.toolkit, ["--consent"])
    try browse(as: member, ["--deny"])
    let app = try open(of: member, "light", width: 800)
    try choose("idp", app)
    try app.run("key('Return')")
    try app.sees("The provider refused: ", "alert")
    try app.sees("Try again, or ask the provider why.", "alert")

    // A new provider, by its address.
    try app.press("Other Provider")
    try app.run("click('Another OpenID Connect provider', 'list item')")
    try app.run("key('Return')")
    try app.sees("This is missing.", "alert")
    // Only the beginning of an address is there.
    #expect(try app.run("focused()") == .string("Address of the provider"))
    try app.run("key('ctrl+a')")
    try app.run("type('ftp://x')")
    try app.run("tab_to('Client ID')")
    try app.run("type('thumblatch')")
    try app.run("key('Return')")
    try app.sees("This must be an https:// URL")
    try expectWhole(app, "wrong")
    #expect(try app.run("focused()") == .string("Address of the provider"))
    try browse(as: member)
    try app.run("key('ctrl+a')")
    try app.run("type('\(member.provider.issuer)')")
    try app.run("key('Return')")
    try app.sees("Protect “127.0.0.1-")
    // The provider is kept for the next sign-in.
    try app.run("key('ctrl+n')")
    #expect(try member.run("provider", "list").succeeded().contains("127.0.0.1-"))
  }

  @Test
  func aCodeSignsInOnAnotherDevice() throws {
    let member = try Member()
    try member.enrollFinger()
    let app = try open(of: member, "dark", inHighContrast: true, width: 360)
    try choose("idp", app)
    try app.press("Use a Code")
    try app.sees("Valid for ")
    try app.sees("QR code of the address")
    try expectWhole(app, "code")
    try app.press("Cancel")
    try app.sees("Sign In at idp")
    try app.misses("Valid for ")

    try app.press("Use a Code")
    try app.sees("Valid for ")
    let page = try #require(try texts(app).first { $0.hasPrefix(member.provider.issuer) })
    let code = try #require(try texts(app).first { $0.wholeMatch(of: /[A-Z0-9-]{8,9}/) != nil })
    #expect(try readPicture(of: app) == "\(member.provider.issuer)/device/?user_code=\(code)\n")
    try member.visit(page, ["--user-code", code]).succeeded()
    try app.sees("Protect “idp”?")
    try app.sees("right index finger, and your system password")
    try app.misses("Enroll Finger…")
    try app.press("Done")
    try app.sees("Last Uses")
  }

  private func texts(_ app: AppWindows) throws -> [String] {
    guard case .array(let texts) = try app.run("texts()") else { return [] }
    return texts.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The text of the QR code on the screen, as a phone would read it. (zbarimg(1))
  private func readPicture(of app: AppWindows) throws -> String {
    let path = app.session + "/code.png"
    try app.run("picture('\(path)')")
    let options = ["--quiet", "--raw", "--nodbus", path]
    let (text, end) = try output(of: "/usr/bin/zbarimg", options)
    #expect(end == .exited(0))
    return text
  }
}
