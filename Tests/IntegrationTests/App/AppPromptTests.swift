import TestSupport
import Testing

/// The prompts of a program with a session at its terminal, compared with those of the commands.
@Suite(.serialized)
struct AppPromptTests {
  /// A person whose account is protected, with an enrolled finger if `enrolled` is true.
  private func person(enrolled: Bool) throws -> Person {
    let person = try Person()
    try person.register()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    if enrolled {
      let terminal = try person.terminal("fingers", "enroll", "right-index")
      try terminal.expect("System password for")
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
      try terminal.expect("System password for")
      try terminal.enter(Person.systemPassword)
    }
    try terminal.end()
    try person.run("lock").succeeded()
    return person
  }

  private func app(_ person: Person, _ arguments: String...) throws -> TerminalSession {
    try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [person.programs + "/AppAtTerminal"] + arguments,
      environment: person.environment,
      columns: 160
    )
  }

  /// The text of a screen, without the caller, the app's own reason, the lines that are rewritten
  /// in place, and how much of the two seconds after a wrong password has passed already.
  private func words(_ screen: String) throws -> String {
    let asked = try Regex("requested by [^)]*").dotMatchesNewlines()
    let plain = screen.replacing(", to show your mail", with: "").replacing("\u{1B}[K", with: "")
      .replacing(asked, with: "requested by X")
      .replacing("Try again in 1 second.", with: "Try again in 2 seconds.")
    let passing = ["unlocked", "checking", "still", "lift the finger"]
    // A carriage return and a line feed are one Character. Line breaks differ with the caller.
    return plain.split(whereSeparator: \.isNewline).filter { line in
      !passing.contains { line.hasPrefix($0) }
    }.joined(separator: " ")
  }

  @Test
  func anAppAsksInTheSameWordsAsACommand() throws {
    let person = try person(enrolled: true)
    var screens: [String] = []
    for isApp in [false, true] {
      let asked = isApp ? try app(person) : try person.terminal("unlock", "me")
      try asked.expect("Touch the fingerprint reader to unlock me")
      try person.touch("a-stranger")
      try asked.expect("The finger did not match")
      // A second miss is shown too, although its words are those of the first.
      try person.touchAgain("a-stranger")
      try asked.expect("The finger did not match")
      try asked.enter()
      try asked.expect("System password for")
      try asked.enter("not the password")
      try asked.expect("Wrong password")
      try asked.expect("System password for")
      try asked.enter(Person.systemPassword)
      try asked.expect("unlocked")
      screens.append(try words(try asked.end()))
      try person.run("lock").succeeded()
    }
    #expect(screens[0] == screens[1])
    let end = "Wrong password. Try again. System password for \(person.user.name): "
    #expect(screens[0].hasSuffix(end), "\(screens)")
  }

  @Test
  func aPasswordIsReadUnseenWithItsCorrections() throws {
    let person = try Person()
    try person.register()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    let app = try app(person, "password", person.backend.url)
    try app.expect("Password of ada: ")
    // Ctrl-U, and backspace over a letter of two bytes.
    try app.enter("wrong\u{15}backend-passwordé\u{7F}")
    try app.expect("isEmpty false")
    try app.expect("Password: ")
    try app.enter("other")
    try app.expect("read Password(redacted)")
    try app.expect("signed in as me@example.org")
    let screen = try app.end()
    #expect(!screen.contains("backend") && !screen.contains("other"))
  }

  @Test(arguments: ["\u{3}", "\u{4}"])
  func ctrlCAndCtrlDGiveThePasswordUpAndTheTerminalIsAsBefore(_ key: String) throws {
    let person = try Person()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    let program = person.programs + "/AppAtTerminal"
    let shell = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become
        + ["/bin/sh", "-c", "\(program) password x; stty -a; \(program) password x </dev/null &"],
      environment: person.environment,
      columns: 160
    )
    try shell.expect("Password of ada: ")
    try shell.type("half" + key)
    try shell.expect("failed cancelled")
    let shown = try shell.expect(" echoe ")
    let modes = shown.split(whereSeparator: \.isWhitespace)
    #expect(modes.contains("isig") && modes.contains("icanon") && modes.contains("echo"))
    #expect(!shown.contains("half"))
    try shell.end()
  }

  @Test
  func aProgramThatExitsDuringAPromptLeavesTheTerminalAsItWas() throws {
    let person = try person(enrolled: false)
    let word = person.home + "/word"
    let command = "mkfifo \(word); \(person.programs)/AppAtTerminal leave <>\(word); stty -a"
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + ["/bin/sh", "-c", command],
      environment: person.environment,
      columns: 160
    )
    try terminal.expect("System password for")
    try shell("echo leave >\(word)")
    let modes = try terminal.expect(" echoe ").split(whereSeparator: \.isWhitespace)
    #expect(modes.contains("isig") && modes.contains("icanon") && modes.contains("echo"))
    try terminal.end()
  }

  @Test
  func afterAnotherPromptTheReaderIsArmedOnRequest() throws {
    let person = try person(enrolled: true)
    let other = try person.terminal("presence", "test")
    try other.expect("Touch the fingerprint reader")
    let app = try app(person)
    try app.expect("Touch the fingerprint reader to unlock me, to show your mail (requested by")
    try app.expect("waiting for the other prompt")
    // Enter neither chooses the password while no reader is armed, nor answers a later question.
    try app.enter()
    try person.touch()
    try other.end()
    try app.expect("The other prompt is over. Press Enter when you are ready for this one.")
    // The other check may still close it.
    #expect(eventually { !person.readerIsOpen })
    try app.enter()
    try app.expect("Touch the fingerprint reader to unlock me, to show your mail (requested by")
    try person.touch()
    try app.expect("unlocked")
    try app.end()
  }

  @Test
  func aPasswordThatHadToWaitIsAskedForByItselfAndWithoutWhatWasTypedBefore() throws {
    let person = try person(enrolled: false)
    let other = try person.terminal("presence", "test")
    try other.expect("System password for")
    let app = try app(person)
    try app.expect("waiting for the other prompt")
    try app.type("half of a pass")
    try other.enter(Person.systemPassword)
    try other.end()
    try app.expect("The other prompt is over.")
    try app.expect("System password for")
    try app.enter(Person.systemPassword)
    try app.expect("unlocked")
    let screen = try app.end()
    #expect(!screen.contains("half"))
  }

  @Test(arguments: [true, false])
  func ctrlCWhileAnotherPromptIsOpenEndsTheWait(_ enrolled: Bool) throws {
    let person = try person(enrolled: enrolled)
    let other = try person.terminal("presence", "test")
    try other.expect(enrolled ? "Touch the fingerprint reader" : "System password for")
    let app = try app(person)
    try app.expect("waiting for the other prompt")
    try app.type("\u{3}")
    try app.expect("failed presence(ThumblatchKit.AuthError.PresenceFailure.cancelled)")
    try app.end()
    // The other prompt continues undisturbed.
    if enrolled { try person.touch() } else { try other.enter(Person.systemPassword) }
    try other.end()
  }
}
