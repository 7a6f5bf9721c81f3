import Glibc
import System
import TestSupport
import Testing

/// A command that is stopped while it asks (Ctrl-Z), and continued later.
@Suite(.serialized)
struct StoppedCommandTests {
  private func stopAndContinue(_ terminal: TerminalSession) {
    #expect(halt(terminal.child.identifier))
    kill(terminal.child.identifier, SIGCONT)
  }

  @Test
  func theQuestionIsShownAgainAndItsAnswerBeginsAgain() throws {
    let person = try Person()
    try person.register()
    let login = try person.terminal("login", "me")
    try login.expect("E-mail: ")
    stopAndContinue(login)
    try login.expect("E-mail: ")
    try login.enter("me@example.org")
    let question = "Password of me@example.org at dev: "
    try login.expect(question)
    try login.type("half of a pass")
    stopAndContinue(login)
    try login.expect(question)
    try login.enter("backend-password")
    #expect(try login.end().contains("signed in: me is me@example.org at dev"))
  }

  @Test
  func anErrorBeginsOnALineOfItsOwn() throws {
    let person = try Person()
    for key in ["\u{3}", "\u{4}"] {
      let login = try person.terminal("login", "me")
      try login.expect("E-mail: ")
      try login.type(key)
      let lines = try login.failed().split(separator: "\r\n")
      #expect(lines.contains { $0.contains("error:") && !$0.contains("E-mail") })
    }
  }
}
