import Glibc
import System
import TestSupport
import Testing

/// Enrolled fingers, failed tries and waits with the built programs: a person with a terminal, a
/// virtual reader of libfprint, the system password of a real user, and SIGKILL.
@Suite(.serialized)
struct FingerCareTests {
  private static let prompt = "Touch the fingerprint reader to use account 'me' (requested by"
  private static let question = "System password for"
  /// A request that was refused twice is not asked again at once.
  ///
  /// So the requests alternate, and the last one is the rarest.
  private static let questions = [
    ["presence", "test"], ["presence", "disable", "me"], ["token", "me"],
  ]

  /// A person with enrolled fingers, and the protected account `me`.
  private func protected(_ fingers: String...) throws -> Person {
    let person = try Person()
    try person.register()
    try enroll(person, fingers[0])
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect(
      "Touch the fingerprint reader to turn on presence protection for account 'me'"
    )
    try person.touch(fingers[0])
    try enable.end()
    try person.run("lock").succeeded()
    // This reader compares with one print at a time, and the test cannot choose which one.
    for finger in fingers.dropFirst() { try enroll(person, finger) }
    return person
  }

  private func enroll(_ person: Person, _ finger: String) throws {
    let terminal = try person.terminal("fingers", "enroll", finger)
    try terminal.expect(Self.question)
    try terminal.enter(Person.systemPassword)
    try terminal.expect("with \(finger)")
    for touch in 1...5 {
      try person.touch(finger)
      if touch < 5 { try terminal.expect("\(touch) of 5") }
    }
    try terminal.end()
  }

  private func killEngine(_ person: Person) throws {
    for process in processes(in: person.programs, named: "thumblatchd") {
      kill(process, SIGKILL)
      try waitForEnd(process)
    }
  }

  private func token(_ person: Person, by finger: String) throws {
    let terminal = try person.terminal("token", "me")
    try terminal.expect(Self.prompt)
    try person.touch(finger)
    try terminal.expect("at_")
    try terminal.end()
  }

  private func tokenByPassword(_ person: Person, after text: String) throws {
    let terminal = try person.terminal("token", "me", columns: 240)
    try terminal.expect(text)
    try terminal.expect("Type the system password to use account 'me'")
    try terminal.expect(Self.question)
    try terminal.enter(Person.systemPassword)
    try terminal.expect("at_")
    try terminal.end()
  }

  private func helpers(_ person: Person) -> [Int32] {
    processes(in: person.programs, named: "thumblatch-presence")
  }

  /// Runs `body` while the engine is stopped.
  ///
  /// An engine that hears of a finger would arm the reader again, and the next try would be under
  /// way.
  private func whileTheEngineStands(_ person: Person, _ body: () throws -> Void) rethrows {
    let engines = processes(in: person.programs, named: "thumblatchd")
    #expect(engines.count == 1)
    for engine in engines { kill(engine, SIGSTOP) }
    defer { for engine in engines { kill(engine, SIGCONT) } }
    try body()
  }

  /// The last verdict may still be on its way.
  private func waitForLockout(_ person: Person) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while try !isLockedOut(person) {
      try #require(BootInstant.now < deadline)
    }
  }

  /// Waits for the next question.
  ///
  /// After a wrong password it comes after at least this many seconds. Until then the terminal
  /// shows the reason. A machine that takes as long by itself shows none.
  private func waits(
    _ terminal: TerminalSession,
    seconds: Int64,
    since begun: BootInstant,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let told = try terminal.expect(Self.question, sourceLocation: sourceLocation)
    let now = BootInstant.now
    #expect(now >= begun.advanced(bySeconds: seconds), sourceLocation: sourceLocation)
    #expect(
      told.contains("An earlier password was wrong.")
        || now >= begun.advanced(bySeconds: seconds + 1),
      "\(told)",
      sourceLocation: sourceLocation
    )
  }

  private func isLockedOut(_ person: Person) throws -> Bool {
    try person.run("status").succeeded().contains("password only")
  }

  private func edit(_ person: Person, _ sql: String) throws {
    try person.endEngine()
    try python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.executescript(sys.argv[2])
      """,
      person.state + "/vault.db",
      sql
    )
  }

  @Test
  func aDeletedFingerCountsNoMoreAndTheOtherDoes() throws {
    let person = try protected("right-index", "left-thumb")
    #expect(try person.run("fingers", "list").succeeded() == "left-thumb\nright-index\n")
    #expect(try person.run("fingers", "delete", "right-index").end == .exited(7))
    let delete = try person.terminal("fingers", "delete", "right-index")
    try delete.expect("Type the system password to delete ")
    try delete.expect(Self.question)
    try delete.enter(Person.systemPassword)
    #expect(try delete.end().contains("right-index is deleted; left: left-thumb"))
    #expect(try person.run("fingers", "delete", "right-index").end == .exited(9))
    try person.expireTokens()
    let terminal = try person.terminal("token", "me")
    try terminal.expect(Self.prompt)
    try person.touch("right-index")
    try terminal.expect("The finger did not match. Touch the reader again, or")
    try person.touchAgain("left-thumb")
    try terminal.expect("at_")
    try terminal.end()
  }

  @Test
  func fiveKillsOfTheEngineBetweenScanAndAnswerLock() throws {
    let person = try protected("right-index")
    for number in 1...5 {
      try person.expireTokens()
      #expect(try !isLockedOut(person))
      let terminal = try person.terminal("token", "me")
      try terminal.expect(Self.prompt)
      if number == 1 {
        // Armed, and not touched at all: the engine cannot know.
        try person.reader("FINGER 0")
        try killEngine(person)
      } else {
        // Once it is armed the reader sees a finger.
        try person.reader("FINGER 0")
        try whileTheEngineStands(person) {
          try person.touch("stranger")
          try killEngine(person)
        }
      }
      try terminal.end(5)
    }
    #expect(try isLockedOut(person))
    try person.expireTokens()
    try tokenByPassword(person, after: "Too many fingers failed; the system password is needed")
    #expect(try !isLockedOut(person))
    try person.expireTokens()
    try token(person, by: "right-index")
  }

  @Test
  func whoHangsUpRightAfterTheScanIsLockedOutAfterFive() throws {
    let person = try protected("right-index")
    try person.expireTokens()
    for number in 0..<5 {
      #expect(try !isLockedOut(person))
      let terminal = try person.terminal(list: Self.questions[number % 3])
      try terminal.expect("Touch the fingerprint reader")
      try person.touch("stranger")
      terminal.child.kill()
      _ = try terminal.child.wait()
      #expect(eventually { helpers(person).isEmpty })
    }
    try waitForLockout(person)
    try tokenByPassword(person, after: "Too many fingers failed")
  }

  @Test
  func whoKillsTheHelperOfAnArmedReaderIsLockedOutAfterFive() throws {
    let person = try protected("right-index")
    try person.expireTokens()
    for number in 1...5 {
      #expect(try !isLockedOut(person))
      let terminal = try person.terminal(list: Self.questions[(number - 1) % 3])
      try terminal.expect("Touch the fingerprint reader")
      // The engine has heard of the reader. It hears of the finger only together with the end, if
      // at all.
      try person.reader("RETRY 0")
      try terminal.expect("not read well")
      let armed = helpers(person)
      try whileTheEngineStands(person) {
        if number > 2 { try person.touch("stranger") }
        for helper in armed { kill(helper, SIGKILL) }
      }
      if number == 1 { try terminal.expect(Self.question) }
      terminal.child.kill()
      _ = try terminal.child.wait()
      #expect(eventually { helpers(person).isEmpty })
    }
    try waitForLockout(person)
    try tokenByPassword(person, after: "Too many fingers failed")
  }

  @Test
  func whoKillsTheHelperThatHasThePasswordWaitsAllTheSame() throws {
    let person = try protected("right-index")
    let terminal = try person.terminal("presence", "test")
    try terminal.expect("Touch the fingerprint reader")
    try person.reader("FINGER 0")
    try terminal.enter()
    try terminal.expect(Self.question)
    for seconds: Int64 in [2, 4] {
      let begun = BootInstant.now
      let stopped = helpers(person)
      #expect(stopped.count == 1)
      // The helper takes the password and does not report.
      for helper in stopped { kill(helper, SIGSTOP) }
      try terminal.enter("wrong")
      for helper in stopped { kill(helper, SIGKILL) }
      try waits(terminal, seconds: seconds, since: begun)
    }
    try terminal.enter(Person.systemPassword)
    #expect(try terminal.end().contains("the presence check passed, by system password"))
  }

  @Test
  func whoCancelsAgainAndAgainIsNotLockedOut() throws {
    let person = try protected("right-index")
    try person.expireTokens()
    for number in 0..<20 {
      let terminal = try person.terminal(list: Self.questions[number % 3])
      try terminal.expect("Touch the fingerprint reader")
      try person.reader("FINGER 0")
      switch number % 3 {
      case 0:
        try terminal.type("\u{3}")
        try terminal.end(130)
      case 1:
        terminal.child.kill()
        _ = try terminal.child.wait()
      default:
        try person.endEngine()
        try terminal.end(5)
      }
      #expect(eventually { !person.readerIsOpen })
    }
    try killEngine(person)
    #expect(try !isLockedOut(person))
    try token(person, by: "right-index")
  }

  @Test(
    arguments: [
      (
        "UPDATE prints SET finger = 'left-thumb'",
        "print of left-thumb does not open"
      ),
      ("DELETE FROM enrolled_sets", "enrolled fingers not confirmed yet: right-index; "),
      (
        "UPDATE enrolled_sets SET fingers = fingers || char(10)",
        "the record of the confirmed fingers was altered; enrolled: right-index; "
      ),
    ]
  )
  func aStoreThatWasEditedByHandLeadsToThePassword(_ sql: String, _ text: String) throws {
    let person = try protected("right-index")
    try person.expireTokens()
    try edit(person, sql)
    #expect(try person.run("token", "me", "--no-input").end == .exited(7))
    #expect(try person.run("account", "list").succeeded().contains("  on  "))
    try tokenByPassword(person, after: String(text.dropFirst()))
    let events = try person.run("audit").succeeded()
    try person.expireTokens()
    if text.contains("does not open") {
      try tokenByPassword(person, after: String(text.dropFirst()))
    } else {
      // One password is enough.
      try token(person, by: "right-index")
      #expect(events.contains("fingers-changed"))
    }
  }

  @Test(arguments: [
    "DELETE FROM prints",
    "INSERT INTO prints SELECT randomblob(16), owner, 'left-thumb', driver, device, sealed, "
      + "enrolled_at FROM prints",
  ])
  func printsThatWerePutInOrTakenOutByHandAreAnOldCopy(_ sql: String) throws {
    let person = try protected("right-index")
    try person.expireTokens()
    try edit(person, sql)
    let refused = try person.run("token", "me", "--no-input")
    #expect(refused.end == .exited(6))
    #expect(refused.text.contains("thumblatch recover"), "\(refused.text)")
  }

  @Test
  func aWrongPasswordCostsTimeAlsoAfterTheEngineWasKilled() throws {
    let person = try protected("right-index")
    let terminal = try person.terminal("presence", "test")
    try terminal.expect("Touch the fingerprint reader")
    try person.reader("FINGER 0")
    try terminal.enter()
    var begun = BootInstant.now
    for seconds: Int64 in [2, 4] {
      try terminal.expect(Self.question)
      begun = BootInstant.now
      try terminal.enter("wrong")
      try terminal.expect("Wrong password. Try again in \(seconds) seconds.")
      if seconds == 2 {
        try terminal.expect("Wrong password. Try again.")
        #expect(BootInstant.now >= begun.advanced(bySeconds: 2))
      }
    }
    try killEngine(person)
    try terminal.end(5)
    let next = try person.terminal("presence", "test")
    try next.expect("Touch the fingerprint reader")
    try person.reader("FINGER 0")
    try next.enter()
    try waits(next, seconds: 4, since: begun)
    try next.enter(Person.systemPassword)
    #expect(try next.end().contains("the presence check passed, by system password"))
  }
}
