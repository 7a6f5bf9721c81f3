import TestSupport
import Testing

/// The prompts of a program with a session, at its terminal, beside those of the commands.
@Suite(.serialized)
struct AppPromptTests {
  /// Someone whose account is protected, with an enrolled finger where it says so.
  private func person(enrolled: Bool) throws -> Person {
    let person = try Person()
    try person.register()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    if enrolled {
      let terminal = try person.terminal("fingers", "enroll", "right-index")
      try terminal.expect("Password:")
      try terminal.enter(Person.systemPassword)
      try terminal.expect("with right-index")
      for touch in 1...5 {
        try person.touch()
        if touch < 5 { try terminal.expect("\(touch) of 5") }
      }
      try terminal.end()
    }
    let terminal = try person.terminal("presence", "enable", "me")
    if enrolled {
      try terminal.expect("Touch the fingerprint reader")
      try person.touch()
    } else {
      try terminal.expect("Password:")
      try terminal.enter(Person.systemPassword)
    }
    try terminal.end()
    return person
  }

  private func app(_ person: Person) throws -> TerminalSession {
    try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [person.programs + "/AppAtTerminal"],
      environment: person.environment,
      columns: 80
    )
  }

  @Test
  func afterAnotherPromptTheReaderIsArmedWhenSomebodySaysSo() throws {
    let person = try person(enrolled: true)
    let other = try person.terminal("presence", "test")
    try other.expect("Touch the fingerprint reader")
    let app = try app(person)
    try app.expect("wants to unlock, to show your mail.")
    try app.expect("Another prompt is open. This one waits for its end.")
    // No choice of the password while nothing is armed, and no answer to what is asked later.
    try app.enter()
    try person.touch()
    try other.end()
    let between = try app.expect("Press Enter when you are ready for this one.")
    #expect(between.contains("The other prompt is over."))
    #expect(between.contains("wants to unlock, to show your mail."))
    #expect(!person.readerIsOpen)
    try app.enter()
    try app.expect("Touch the fingerprint reader. Enter: system password.")
    try person.touch()
    try app.expect("unlocked")
    try app.end()
  }

  @Test
  func aPasswordThatHadToWaitIsAskedForByItselfAndWithoutWhatWasTypedBefore() throws {
    let person = try person(enrolled: false)
    let other = try person.terminal("presence", "test")
    try other.expect("Password:")
    let app = try app(person)
    try app.expect("Another prompt is open.")
    try app.type("half of a pass")
    try other.enter(Person.systemPassword)
    try other.end()
    try app.expect("The other prompt is over.")
    try app.expect("Password: ")
    try app.enter(Person.systemPassword)
    try app.expect("unlocked")
    let screen = try app.end()
    #expect(!screen.contains("half"))
  }

  @Test(arguments: [true, false])
  func ctrlCWhileAnotherPromptIsOpenEndsTheWait(_ enrolled: Bool) throws {
    let person = try person(enrolled: enrolled)
    let other = try person.terminal("presence", "test")
    try other.expect(enrolled ? "Touch the fingerprint reader" : "Password:")
    let app = try app(person)
    try app.expect("Another prompt is open.")
    try app.type("\u{3}")
    try app.expect("failed presence(AuthSession.AuthError.PresenceFailure.cancelled)")
    try app.end()
    // The other one goes on as if nothing had been.
    if enrolled { try person.touch() } else { try other.enter(Person.systemPassword) }
    try other.end()
  }
}
