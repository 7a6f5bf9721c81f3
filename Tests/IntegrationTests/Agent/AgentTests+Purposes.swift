import Glibc
import System
import TestSupport
import Testing
import VaultInterface

// Everything that a finger may answer is asked at the desk.
extension AgentTests {
  /// Runs a command without a terminal, and touches the reader when the desktop asks for it.
  private func touch(
    _ command: [String],
    to purpose: String,
    input: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try desk.count()
    let run = try person.start(command, typing: input)
    try desk.sees("Touch the fingerprint reader to \(purpose)", above: shown)
    try person.touchAgain()
    let text = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(text)", sourceLocation: sourceLocation)
    try desk.run("desk.await_open(0)")
  }

  @Test
  func whatAFingerMayAnswerIsAskedAtTheDesk() throws {
    try person.register("spare")
    try person.register("third")
    let agent = try startAgent()
    try touch(["account", "default", "spare"], to: "make account 'spare' the default account")
    try touch(["account", "rename", "me", "work"], to: "rename account 'me' to 'work'")
    try touch(["unlock"], to: "unlock")
    try person.run("lock").succeeded()
    try touch(["presence", "test"], to: "test the presence check")
    try touch(
      ["presence", "disable", "work"],
      to: "turn off presence protection for account 'work'"
    )
    let enable = ["presence", "enable", "work"]
    let purpose = "turn on presence protection for account 'work'"
    try touch(enable, to: purpose)
    // The open unlock window does not replace the check, but allows the revocation of the earlier
    // login.
    try touch(
      [
        "login", "work", "--provider", "dev", "--email",
        "third-\(person.user.name)@example.org", "--password-stdin", "--yes",
      ],
      to: "replace the login of account 'work'",
      input: "backend-password\n"
    )
    // The login of another person is not protected.
    try touch(enable, to: purpose)
    try person.run("lock").succeeded()
    try touch(["logout", "work", "--yes"], to: "sign out of account 'work'")
    try touch(["account", "remove", "work", "--yes"], to: "remove account 'work'")
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.split(separator: #""method":"fingerprint""#).count > 9)
    try stop(agent)
  }
}
