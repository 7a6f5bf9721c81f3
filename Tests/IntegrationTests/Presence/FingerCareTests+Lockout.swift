import Glibc
import System
import TestSupport
import Testing

/// Kills and hang-ups, which do not evade the lockout.
extension FingerCareTests {
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
        try person.killEngine()
      } else {
        // Once it is armed the reader sees a finger.
        try person.reader("FINGER 0")
        try whileTheEngineStands(person) {
          try person.touch("stranger")
          try person.killEngine()
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
      // The helper accepts the password but does not report a result.
      for helper in stopped { halt(helper) }
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
    try person.killEngine()
    #expect(try !isLockedOut(person))
    try token(person, by: "right-index")
  }
}
