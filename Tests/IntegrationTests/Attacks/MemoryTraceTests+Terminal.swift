import System
import TestSupport
import Testing

/// The same for a wrong password that is typed at the terminal.
extension MemoryTraceTests {
  private static let wrong = "wrong-Pa55word-2d94c6e1"

  @Test
  func noWrongPasswordIsLeftInMemoryAtTheNextQuestion() throws {
    let person = try Person()
    let record = try MemoryRecord()
    try person.register("me")
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("System password for")
    try enable.enter(Self.wrong)
    try enable.expect("Wrong password")
    try enable.expect("System password for")
    try record.keep("next question", of: person, running: "thumblatch-cli", "thumblatchd")
    try enable.enter(Person.systemPassword)
    try enable.end()
    #expect(try record.places(of: ["wrong": Self.wrong]) == [])
    // Control: the environment of the command is in its memory.
    let control = try record.places(of: ["home": person.home])
    #expect(control.contains("next question, thumblatch-cli: home"), "\(control)")
  }
}
