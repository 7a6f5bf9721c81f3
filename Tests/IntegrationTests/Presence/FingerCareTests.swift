import Glibc
import System
import TestSupport
import Testing

/// Enrolled fingers, failed tries and waits with the built programs: a person with a terminal, a
/// virtual reader of libfprint, the system password of a real user, and SIGKILL.
@Suite(.serialized)
struct FingerCareTests {
  static let prompt = "Touch the fingerprint reader to use account 'me' (requested by"
  static let question = "System password for"
  /// A request that was refused twice is not asked again at once.
  ///
  /// So the requests alternate, and the last one is the rarest.
  static let questions = [
    ["presence", "test"], ["presence", "disable", "me"], ["token", "me"],
  ]

  /// A person with enrolled fingers, and the protected account `me`.
  func protected(_ fingers: String...) throws -> Person {
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

  func token(_ person: Person, by finger: String) throws {
    let terminal = try person.terminal("token", "me")
    try terminal.expect(Self.prompt)
    try person.touch(finger)
    try terminal.expect("at_")
    try terminal.end()
  }

  func tokenByPassword(_ person: Person, after text: String) throws {
    let terminal = try person.terminal("token", "me", columns: 240)
    try terminal.expect(text)
    try terminal.expect("Type the system password to use account 'me'")
    try terminal.expect(Self.question)
    try terminal.enter(Person.systemPassword)
    try terminal.expect("at_")
    try terminal.end()
  }

  func helpers(_ person: Person) -> [Int32] {
    processes(in: person.programs, named: "thumblatch-presence")
  }

  /// Runs `body` while the engine is stopped.
  ///
  /// An engine that hears of a finger would arm the reader again, and the next try would be under
  /// way.
  func whileTheEngineStands(_ person: Person, _ body: () throws -> Void) throws {
    // A helper of the engine is another one until its exec.
    var engines: [Int32] = []
    try #require(
      eventually {
        engines = processes(in: person.programs, named: "thumblatchd")
        return engines.count == 1
      }
    )
    for engine in engines { halt(engine) }
    defer { for engine in engines { kill(engine, SIGCONT) } }
    try body()
  }

  /// The last verdict may still be on its way.
  func waitForLockout(_ person: Person) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while try !isLockedOut(person) {
      try #require(BootInstant.now < deadline)
    }
  }

  /// Waits for the next question.
  ///
  /// After a wrong password, the next question comes after at least this many seconds. Until then
  /// the terminal shows the reason. A machine that is slower than this shows none.
  func waits(
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

  func isLockedOut(_ person: Person) throws -> Bool {
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
    try terminal.expect(Self.question)
    var begun = BootInstant.now
    try terminal.enter("wrong")
    let told = try terminal.expect(Self.question)
    let now = BootInstant.now
    #expect(now >= begun.advanced(bySeconds: 2))
    #expect(told.contains("Wrong password. Try again"), "\(told)")
    // If the machine itself takes as long, the terminal shows a shorter wait, or none.
    let took = now.nanoseconds - begun.nanoseconds
    #expect(told.contains("Try again in 2 seconds.") || took > 2_500_000_000, "\(told)")
    begun = now
    try terminal.enter("wrong")
    try terminal.expect("Wrong password. Try again")
    try person.killEngine()
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
