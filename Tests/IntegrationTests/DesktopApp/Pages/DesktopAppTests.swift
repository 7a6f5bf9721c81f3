import JSON
import System
import TestSupport
import Testing

/// The desktop app at a private vault: real engine, virtual reader, real PAM, development backend.
@Suite(.serialized)
struct DesktopAppTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Types the system password into the open prompt, and continues.
  private func typePassword(_ password: String = Someone.systemPassword) throws {
    try app.sees("System password")
    app.keepPicture("prompt")
    // Typed text does not reach a program on the accessibility bus.
    try app.run("type_secret('secret7', 'System password')")
    try app.hides("secret7")
    try app.run("key('ctrl+a', 'BackSpace')")
    try app.run("type_secret(\"\(password)\", 'System password')")
    try app.hides(password)
    try app.press("Continue")
  }

  /// A form of the app cannot bring a secret.
  @Test
  func anAccountWithoutItsSecretSaysHowItIsStoredAgain() throws {
    defer { bus.remove() }
    let store = ["store", "forge", "--host", "git.example.org", "--secret-stdin"]
    try person.run(store, input: "at_1\n").succeeded()
    try app.run("open()")
    try app.run("click('forge', 'list item')")
    try app.sees("Sign Out…")
    try app.sees("Each use needs your finger or your password.")
    try app.misses("Last refresh")
    try app.run("press('Sign Out…')")
    try app.sees("The secret is erased here. It stays valid at its host until you revoke it.")
    try app.run("press('Sign Out Sign Out')")
    try app.sees("Store its secret again, in a terminal: thumblatch store forge")
    try app.misses("Sign In…")
    app.keepPicture("secret-missing")
    try person.run(store, input: "at_2\n").succeeded()
    try app.misses("Store its secret again")
    try app.run("press('Remove…')")
    try app.sees("Remove “forge”?")
    try app.sees("The secret is erased here. It stays valid at its host until you revoke it.")
  }

  @Test
  func anAccountIsSeenFromItsSignInToItsRemoval() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.run("has_picture('No Accounts Yet', 'Thumblatch')")
    app.keepPicture("empty")
    try app.expectNames()
    // Changes by other programs are shown without a question.
    try person.register("work")
    try person.register("private")
    try app.sees("work, Ready · not protected · dev · Valid until ", "list item")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    try app.sees("Registration, done")
    app.keepPicture("account")
    try app.expectNames()

    try app.run("press('Presence protection', 'check box')")
    try typePassword()
    try app.sees("work, Ready · protected · dev", "list item")
    // The prompt has ended, so there is time to look at all windows.
    for secret in ["secret7", Someone.systemPassword] { try app.misses(secret) }
    // The engine cannot look into the app, so the audit log names its parent too.
    try app.sees("\"thumblatch-desk\" run by \"")

    try app.run("press('Sign Out…')")
    try app.sees("Sign out of “work”?")
    try app.expectNames()
    app.keepPicture("sign-out")
    // The check before has opened the unlock window, which counts for a sign-out.
    try app.run("press('Sign Out Sign Out')")
    try app.sees("work, Signed out · protected · dev", "list item")

    try app.run("press('Remove…')")
    try app.run("press('Remove Remove')")
    try typePassword()
    try app.sees("No Account Chosen")
    try app.misses("work@example.org")
    #expect(try person.run("status").succeeded().contains("private"))

    // The doctor's findings, with their remedies.
    try person.run(
      "provider",
      "add",
      "plain",
      "--kind",
      "password-backend",
      "--issuer",
      "http://localhost:1"
    )
    .succeeded()
    try app.run("click('Health', 'list item')")
    try app.sees("warning")
    try app.press("Look Again")
    app.keepPicture("health")
    try app.expectNames()
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func lockingTakesTheAccountsFromTheTree() throws {
    defer { bus.remove() }
    try person.register("work")
    try person.enrollFinger()
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.misses("work")
    app.keepPicture("locked")
    try app.expectNames()

    try app.press("Unlock")
    try app.sees("Touch the fingerprint reader to unlock the vault.")
    let focused = try app.run("focused()")
    #expect(focused == .string("Deny"), "\(focused)")
    try app.press("Deny")
    try app.run("misses('Touch the')")
    try app.sees("The Vault Is Locked")

    #expect(eventually { !person.readerIsOpen })
    try app.press("Unlock")
    try person.touch("a-stranger")
    try app.sees("The finger did not match. Touch the reader again.")
    try app.press("Type Password Instead")
    try typePassword("wrong")
    try app.sees("Wrong password.")
    try typePassword()
    try app.sees("work@example.org")

    // Another program locks.
    try person.run("lock").succeeded()
    try app.sees("The Vault Is Locked")
    try app.misses("work")
    try app.press("Unlock")
    try person.touchAgain()
    try app.sees("work@example.org")
    // A slow machine looks in the next minute.
    let countdown = try app.run("sees('Locks in ')")
    let minutes = [10, 9].map { JSONValue.string("Locks in \($0) minutes") }
    #expect(minutes.contains(countdown), "\(countdown)")
  }

  @Test
  func aVaultThatIsLockedAtTheStartIsUnlockedBesideTheList() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.sees("work, Ready")
    // An account without protection needs no unlocked vault.
    try app.run("until(lambda: not app.shown('push button', 'Unlock'), 'the button is shown')")
    #expect(try app.run("quit()") == .integer(0))
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("System password for")
    try enable.enter(Someone.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()
    try app.run("open()")
    try app.sees("work, ", "list item")
    try app.expectNames()
    try app.press("Unlock")
    try app.sees("System password")
    try app.press("Deny")
    try app.misses("System password")
    // It is locked as before, and its accounts are still there.
    try app.sees("work, ", "list item")
    try app.press("Unlock")
    try typePassword()
    try app.run("sees('Locks in ')")
    try app.run("until(lambda: not app.shown('push button', 'Unlock'), 'the button stays')")
    try person.run("lock").succeeded()
    try app.sees("The Vault Is Locked")
    try app.sees("Unlock", "push button")
  }

  @Test
  func promptsOfOtherProgramsAreShownAndDenied() throws {
    defer { bus.remove() }
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    try person.startEngine(asking: bus)
    try app.run("open()")
    // The token has expired, so the row shows no expiry.
    let row = try app.run("sees('me, Needs a presence check', 'list item')")
    #expect(row == .string("me, Needs a presence check · protected · dev"))
    try app.run("click('me', 'list item')")
    try app.sees("Expired ")

    let first = try person.start(["token", "me"])
    try app.sees("Touch the fingerprint reader to use account 'me'.")
    try app.sees("Requested by")
    app.keepPicture("other")
    try app.expectNames()
    // After a pause the first control has the focus, and denies.
    try app.run("awaits_focus('Deny')")
    try app.run("key('Return')")
    #expect(try first.text().contains("cancelled"))
    try app.run("misses('Touch the')")
    #expect(eventually { !person.readerIsOpen })

    let second = try person.start(["token", "me"])
    try app.sees("Touch the fingerprint reader to use account 'me'.")
    try person.touch()
    let token = try second.text()
    #expect(token.hasPrefix("at_"), "\(token)")
    try app.run("misses('Touch the')")
    try app.sees("me, Ready · protected · dev · Valid until ", "list item")
  }

  /// Hostile facts from a provider about a person.
  private static let hostileAnswer = """
    {"access_token": "at_1", "refresh_token": "rt_1", "token_type": "Bearer", "expires_in": 900,
     "user": {"id": "1", "email": "ada@example.org",
              "name": "<b>&amp;\\u202e\(String(repeating: "very long name ", count: 700))"}}
    """

  @Test
  func hostileNamesFitEachWidth() throws {
    defer { bus.remove() }
    try person.backend.fail(.init("/auth/register", .status(200), body: Self.hostileAnswer))
    try person.register("work")
    try person.register("a-very-long-account-name-that-goes-on-and-on-to-the-limit-of-64")
    for style in ["light", "dark"] {
      try app.run(style == "dark" ? "open(ADW_DEBUG_COLOR_SCHEME='prefer-dark')" : "open()")
      try app.sees("work, Ready")
      for width in [360, 800, 1280] {
        try app.run("resize(\(width), 640)")
        app.keepPicture("list-\(width)-\(style)")
        try app.run("click('work', 'list item')")
        // The vault has taken out the mark that reverses the direction, and nothing is markup.
        try app.sees("<b>&amp; very long name very")
        app.keepPicture("account-\(width)-\(style)")
        try app.expectNames()
        #expect(try app.run("overflowing()") == .array([]))
        if width == 360 { try app.press("Back") }
      }
      #expect(try app.run("quit()") == .integer(0))
    }
  }

  @Test
  func theKeyboardIsEnough() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("tab_to('work')")
    try app.run("key('Return')")
    try app.run("tab_to('Presence protection')")
    try app.run("key('space')")
    try app.sees("System password")
    try app.run("type(\"\(Someone.systemPassword)\")")
    try app.run("key('Return')")
    try app.sees("work, Ready · protected · dev", "list item")
    try app.run("tab_to('Sign Out…')")
    try app.run("key('Return')")
    try app.sees("Sign out of “work”?")
    try app.run("tab_to('Sign Out Sign Out')")
    try app.run("key('Return')")
    try app.sees("work, Signed out · protected · dev", "list item")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func anEngineThatIsKilledIsFollowedAgain() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.sees("work, Ready")
    try person.killEngine()
    try person.register("later")
    try app.sees("later, Ready")
    try app.misses("closed the connection")
  }
}
