import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app while its engine is killed during an action of the person.
@Suite(.serialized)
struct DesktopAppEngineTests {
  private func beginEnrollment(_ app: AppWindows) throws {
    try app.press("Enroll Finger")
    try app.typePassword()
    try app.sees("Touch the reader several times")
  }

  @Test
  func anEnrollmentEndsWithItsEngineAndIsMadeAgain() throws {
    let person = try Someone()
    let app = try AppWindows(of: person, "--private")
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.sees("No Finger Enrolled")
    try beginEnrollment(app)
    try person.touch()
    try app.sees("1 of 5 touches")
    #expect(try !person.killEngine().isEmpty)
    try app.sees("closed the connection", "alert")
    try app.sees("No Finger Enrolled")
    try app.misses("1 of 5 touches")
    #expect(eventually { !person.readerIsOpen })
    app.keepPicture("fingers-engine-killed")

    try beginEnrollment(app)
    try app.misses("closed the connection")
    for touch in 1...4 {
      try person.touch()
      try app.sees("\(touch) of 5 touches")
    }
    try person.touch()
    try app.sees("Right index finger", "list item")
  }

  @Test
  func aPromptEndsWithItsEngine() throws {
    let person = try Person()
    try person.register("work")
    let app = try AppWindows(of: person, "--private")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try app.run("type(\"half\")")
    #expect(try !person.killEngine().isEmpty)
    try app.misses("System password")
    try app.sees("work, Ready · not protected · dev", "list item")
    try app.run("press('Presence protection', 'check box')")
    try app.typePassword()
    try app.sees("work, Ready · protected · dev", "list item")
  }

  @Test
  func theWindowSaysWhenItWaitsForTheAccounts() throws {
    let person = try Person()
    try person.register("work")
    let engine = try #require(processes(in: person.programs, named: "thumblatchd").first)
    try #require(halt(engine))
    defer { kill(engine, SIGCONT) }
    let app = try AppWindows(of: person, "--private")
    try app.run("open()")
    try app.sees("Reading the accounts", "progress bar")
    kill(engine, SIGCONT)
    try app.sees("work, Ready · not protected · dev", "list item")
    try app.misses("Reading the accounts")
  }
}
