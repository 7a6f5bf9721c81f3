import Glibc
import System
import TestSupport
import Testing

/// Scans and readers that fail, and a user without a finger.
extension PresenceStoryTests {
  @Test
  func fiveWrongFingersLeaveOnlyThePasswordUntilItIsGiven() throws {
    let person = try protected()
    let terminal = try tokenIsDue(person)
    for attempt in 1...5 {
      try attempt == 1 ? person.touch("stranger") : person.touchAgain("stranger")
      try terminal.expect("The finger did not match")
      if attempt < 5 { try terminal.expect("Touch the reader again") }
    }
    try terminal.expect("Too many tries: the system password is needed once.")
    try terminal.expect(Self.question)
    try terminal.type("\u{3}")
    try terminal.end(130)

    // The lockout survives a kill of the engine, and the next prompt starts with the password.
    for process in processes(in: person.programs, named: "thumblatchd") { kill(process, SIGKILL) }
    try person.expireTokens()
    #expect(try person.run("status").succeeded().contains("password only"))
    let again = try person.terminal("token", "me")
    try again.expect("Type the system password to use account 'me'")
    try again.expect(Self.question)
    try again.enter("wrong")
    try again.expect("Wrong password")
    try again.expect(Self.question)
    try again.enter(Person.systemPassword)
    try again.expect("at_")
    try again.end()

    // After the password fingers count again.
    let touched = try tokenIsDue(person)
    try person.touch()
    try touched.expect("at_")
    try touched.end()
    try isSignedIn(person)
  }

  @Test
  func aReaderThatIsUnpluggedOrFailsLeadsToThePasswordAndProtectionStays() throws {
    let person = try protected()
    for command in ["UNPLUG", "ERROR 0", "ERROR 4"] {
      let terminal = try tokenIsDue(person)
      try person.reader(command)
      try terminal.expect(Self.question)
      try terminal.enter(Person.systemPassword)
      try terminal.expect("at_")
      try terminal.end()
    }
    // No reader at all.
    try shell("rm \(person.programs)/virtual-reader.conf")
    let terminal = try tokenIsDue(person)
    try terminal.expect(Self.question)
    try terminal.enter(Person.systemPassword)
    try terminal.expect("at_")
    try terminal.end()
    #expect(try person.run("account", "list").succeeded().contains("  on  "))
    try isSignedIn(person)
  }

  @Test
  func aBadScanIsExplainedAndCountsNothing() throws {
    let person = try protected()
    let terminal = try tokenIsDue(person)
    for (command, advice) in [
      ("RETRY 0", "not read well"), ("RETRY 1", "too short"), ("RETRY 2", "center of the reader"),
      ("RETRY 3", "lift the finger"), ("RETRY 1", "too short"), ("RETRY 1", "too short"),
    ] {
      try person.reader(command)
      try terminal.expect(advice)
    }
    try person.touch()
    try terminal.expect("at_")
    try terminal.end()
    #expect(try !person.run("status").succeeded().contains("password only"))
  }

  @Test
  func withoutAFingerProtectionIsByPassword() throws {
    let person = try Person()
    try person.register()
    let enable = try person.terminal("presence", "enable")
    try enable.expect("Type the system password to turn on presence protection for account 'me'")
    try enable.expect(Self.question)
    try enable.enter("wrong")
    try enable.expect("Wrong password")
    try enable.expect(Self.question)
    try enable.enter(Person.systemPassword)
    #expect(try enable.end().contains("presence protection is on for me"))
    try person.run("lock").succeeded()
    try person.expireTokens()
    let terminal = try person.terminal("token")
    try terminal.expect("Type the system password to use account 'me'")
    try terminal.expect(Self.question)
    try terminal.enter(Person.systemPassword)
    try terminal.expect("at_")
    try terminal.end()
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
    try isSignedIn(person)
  }

  /// Like pam_u2f(8), which waits for a touch in addition to the right password.
  @Test
  func whatAModuleSaysWhileItWorksIsShown() throws {
    let person = try Someone()
    let halted = try person.haltPAM(saying: "Touch the device.")
    let terminal = try person.terminal("presence", "test")
    try terminal.expect(Self.question)
    try terminal.enter(Someone.systemPassword)
    try terminal.expect("Touch the device.")
    try halted.go()
    try terminal.end()
  }
}
