import JSON
import TestSupport
import Testing

/// A security key that needs its PIN, for programs without a terminal.
@Suite(.serialized)
struct DesktopKeyTests {
  private static let pin = "8261"

  private let person: Person
  private let key: SoftwareKey
  private let desk: Desk

  /// A person at a desktop, with the protected account `me` and a key that always needs its PIN.
  init() throws {
    person = try Person()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    key = try SoftwareKey(state: person.base + "/key", pin: Self.pin, ["--always-verifies"])
    try person.plug(key)
    try person.register()
    try person.enroll(key, pin: Self.pin)
    try person.protect(by: key, pin: Self.pin)
    desk = try Desk(of: person)
  }

  private func start(_ command: [String]) throws -> Run {
    try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become + command,
      environment: person.environment + desk.variables
    )
  }

  @Test(arguments: [
    ["AppAtTerminal", "desktop", "to show your mail"], ["thumblatch", "unlock", "me"],
  ])
  func thePINIsAskedInAWindowAfterAClick(_ command: [String]) throws {
    let run = try start([person.programs + "/" + command[0]] + command.dropFirst())
    try desk.sees("Touch the security key to unlock")
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    desk.keepPicture("pin-window-" + command[0])
    try desk.run("desk.type('\(Self.pin)')")
    try key.say("touch")
    try desk.expectEnd(of: run, 0, "unlocked", hiding: Self.pin)
  }

  @Test
  func closingTheWindowOfThePINCancelsThePrompt() throws {
    let run = try start([person.programs + "/AppAtTerminal", "desktop", "to show your mail"])
    try desk.sees("Touch the security key to unlock")
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    try desk.run("desk.press('Escape')")
    try desk.expectEnd(of: run, 0, "PresenceFailure.cancelled", hiding: Self.pin)
  }

  /// The person may see only then that the prompt is not wanted.
  @Test(arguments: [
    (["AppAtTerminal", "desktop", "to show your mail"], Int32(0), "PresenceFailure.cancelled"),
    (["thumblatch", "unlock", "me"], 3, "the presence check was cancelled"),
  ])
  func denyingAfterThePINEndsTheLightOfTheKey(
    _ command: [String],
    _ code: Int32,
    _ text: String
  ) throws {
    let run = try start([person.programs + "/" + command[0]] + command.dropFirst())
    try desk.sees("Touch the security key to unlock")
    try desk.run("desk.click('Type PIN')")
    try desk.run("desk.await_window()")
    try desk.run("desk.type('\(Self.pin)')")
    // It has signed to protect the account. With the right PIN it is lit again.
    try key.wait(for: "signed")
    try key.wait(for: "touch")
    try desk.run("desk.click('Deny')")
    try desk.expectEnd(of: run, code, text, hiding: Self.pin)
    try key.wait(for: "cancelled")
  }

  @Test
  func atATerminalThePINIsNotIntroducedAsThePassword() throws {
    let app = try TerminalSession(
      person.running + [person.programs + "/AppAtTerminal"],
      environment: person.environment,
      columns: 200
    )
    try app.expect("Touch the security key to unlock me, to show your mail")
    try app.expect("PIN of the security key")
    try app.enter(Self.pin)
    try key.say("touch")
    try app.expect("unlocked")
    #expect(try !app.end().contains("system password"))
  }
}
