import JSON
import System
import TestSupport
import Testing

/// The touch that opens the vault, for programs without a terminal.
extension KeySlotStoryTests {
  private static let pin = "8261"
  private static let asked = "Touch the security key to open the vault (requested by "

  /// A person at a desktop, whose engine needs the key.
  private func seat(_ key: SoftwareKey, pin: String? = nil) throws -> (Person, Desk) {
    let person = try person(key)
    try addKey(key, pin: pin, person)
    try person.endEngine()
    try person.expireTokens()
    return (person, try Desk(of: person))
  }

  private func ends(_ run: Run, at desk: Desk, _ code: Int32, _ text: String) throws {
    try desk.expectEnd(of: run, code, text, hiding: Self.pin)
  }

  @Test
  func aTouchAtTheDeskOpensTheVault() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let (person, desk) = try seat(key)
    func list(_ options: String...) throws -> Run {
      try person.start(["token", "me"] + options, variables: desk.variables)
    }

    try ends(try list("--no-input"), at: desk, 7, "needs a touch of its security key")
    #expect(try desk.count() == 0)
    // Deny, and the end of the program, end the light of the key, which has signed for its slot.
    try key.wait(for: "signed")
    var run = try list()
    try desk.sees(Self.asked)
    try key.wait(for: "touch")
    try desk.run("desk.click('Deny')")
    try ends(run, at: desk, 3, "the presence check was cancelled")
    try key.wait(for: "cancelled")

    var count = try desk.count()
    run = try list()
    try desk.sees(Self.asked, above: count)
    desk.keepPicture("vault-opening")
    try key.say("touch")
    try ends(run, at: desk, 0, "at_")
    // It is open for the others.
    count = try desk.count()
    try ends(try list(), at: desk, 0, "at_")
    #expect(try desk.count() == count)
  }

  @Test
  func thePINThatOpensTheVaultIsAskedInAWindowAfterAClick() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: Self.pin)
    let (person, desk) = try seat(key, pin: Self.pin)
    let run = try person.start(["token", "me"], variables: desk.variables)
    try desk.sees(Self.asked)
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    desk.keepPicture("vault-opening-pin")
    try desk.run("desk.type('0000')")
    try desk.run("desk.await_window()")
    try desk.run("desk.type('\(Self.pin)')")
    try key.say("touch")
    try ends(run, at: desk, 0, "at_")
  }

  @Test
  func closingTheWindowOfThePINLeavesTheVaultClosed() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: Self.pin)
    let (person, desk) = try seat(key, pin: Self.pin)
    let run = try person.start(["status"], variables: desk.variables)
    try desk.sees(Self.asked)
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    try desk.run("desk.press('Escape')")
    try ends(run, at: desk, 3, "the presence check was cancelled")
    #expect(try person.run("token", "me").end == .exited(7))

    let count = try desk.count()
    let again = try person.start(["status"], variables: desk.variables)
    try desk.sees(Self.asked, above: count)
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    try desk.run("desk.type('\(Self.pin)')")
    try key.say("touch")
    try ends(again, at: desk, 0, "security key (or the recovery code)")
  }

  @Test
  func denyingTheTouchThatWantsAPINLeavesTheVaultClosed() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: Self.pin)
    let (person, desk) = try seat(key, pin: Self.pin)
    func deny(_ run: Run, _ code: Int32, above count: Int64) throws {
      try desk.sees("Touch the security key to open the vault", above: count)
      try desk.run("desk.click('Deny')")
      try ends(run, at: desk, code, "cancelled")
    }
    try deny(try person.start(["status"], variables: desk.variables), 3, above: 0)
    let count = try desk.count()
    try deny(try startApp(person, at: desk), 0, above: count)
    #expect(try person.run("token", "me").end == .exited(7))
  }

  // MARK: Apps with a session

  private func app(_ words: String..., of person: Person) throws -> [String] {
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    return person.become + ["\(person.programs)/AppAtTerminal"] + words
  }

  /// Starts an app that wants a token and has no terminal.
  private func startApp(_ person: Person, at desk: Desk) throws -> Run {
    let command = try app("token", "to read mail", of: person)
    return try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + command,
      environment: person.environment + desk.variables
    )
  }

  @Test
  func aTouchAtTheDeskOpensTheVaultOfAnApp() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: Self.pin)
    let (person, desk) = try seat(key, pin: Self.pin)
    let run = try startApp(person, at: desk)
    try desk.sees("Touch the security key to open the vault, to read mail (requested by ")
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    try desk.run("desk.type('0000')")
    try desk.run("desk.await_window()")
    try desk.run("desk.type('\(Self.pin)')")
    try key.say("touch")
    try ends(run, at: desk, 0, "got a Bearer token")
    // It is open for the others.
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test
  func aTouchAtTheTerminalOpensTheVaultOfAnApp() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: Self.pin)
    let person = try person(key)
    try addKey(key, pin: Self.pin, person)
    try person.endEngine()
    try person.expireTokens()
    let app = try TerminalSession(
      ["/usr/bin/setpriv"] + (try app("token", "to read mail", of: person)),
      environment: person.environment,
      columns: 200
    )
    try app.expect("Touch the security key to open the vault, to read mail")
    try app.expect("PIN of the security key (8 tries left): ")
    try app.enter("0000")
    try app.expect("Wrong PIN. PIN of the security key (7 tries left): ")
    try app.enter(Self.pin)
    try key.say("touch")
    try app.expect("got a Bearer token")
    try app.end()
    #expect(!app.screen.contains(Self.pin))
  }
}
