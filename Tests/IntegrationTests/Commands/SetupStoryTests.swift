import System
import TestSupport
import Testing

/// `setup` with the engine, a virtual reader and a backend.
@Suite(.serialized)
struct SetupStoryTests {
  private func agree(_ terminal: TerminalSession, to question: String) throws {
    try terminal.expect(question)
    try terminal.expect("[Y/n/q]")
    try terminal.enter()
  }

  @Test
  func aPersonGetsFromNothingToAProtectedAccount() throws {
    let backend = try DevBackend()
    let person = try Someone()
    let guide = try person.run().succeeded()
    #expect(guide.contains("There is no account yet") && guide.contains("thumblatch setup"))

    let first = try person.terminal("setup")
    try agree(first, to: "Enroll the right index finger?")
    try first.expect("System password for")
    try first.enter(Someone.systemPassword)
    for touch in 1...5 {
      try person.touch()
      if touch < 5 { try first.expect("\(touch) of 5") }
    }
    try first.expect("right-index is enrolled")
    try first.expect("Add the provider where you sign in?")
    try first.enter("q")
    let left = try first.end()
    #expect(left.contains("  thumblatch provider add"))

    let missing = try person.run("setup", "--no-input")
    #expect(missing.end == .exited(7) && !missing.text.contains("fingers enroll"))

    // The second run continues after the step of the finger.
    let second = try person.terminal("setup")
    try second.expect("finger: right-index")
    try agree(second, to: "Add the provider where you sign in?")
    try second.expect("Number or name: ")
    try second.enter("password-backend")
    try second.expect("URL of the provider: ")
    try second.enter(backend.url)
    try second.expect("Your name for it")
    try second.enter("dev")
    try agree(second, to: "Sign in now?")
    try second.expect("Are you registered at dev already?")
    try second.enter("n")
    try second.expect("E-mail: ")
    try second.enter("ada@example.org")
    try second.expect("Name (may be empty): ")
    try second.enter()
    for question in ["Password of ada@example.org", "Password again: "] {
      try second.expect(question)
      try second.enter("backend-password")
    }
    try agree(second, to: "Require a finger or the system password")
    try second.expect("Touch the fingerprint reader")
    try person.touch()
    try second.expect("Everything is set up.")
    let shown = try second.end()
    #expect(!shown.contains("backend-password") && !shown.contains(Someone.systemPassword))

    try person.run("setup", "--no-input").succeeded()
    let status = try person.run().succeeded()
    #expect(status.contains("engine") && status.contains("ada@example.org"))
  }

  @Test
  func aCodeOfAnIdentityProviderIsOneOfTheSteps() throws {
    let member = try Member()
    let setup = try member.terminal("setup")
    try setup.expect("Enroll the right index finger?")
    try setup.enter("n")
    try setup.expect("provider: idp")
    try agree(setup, to: "Sign in now?")
    let url = try setup.link()
    try member.visit(url, ["--user-code", try setup.userCode()]).succeeded()
    // The protection is skipped, too.
    try setup.expect("signed in: idp at idp")
    try setup.expect("[Y/n/q]")
    try setup.enter("n")
    try setup.expect("Still to do:")
    try setup.expect("thumblatch presence enable idp")
    try setup.end()
    #expect(!(try member.run("token").succeeded().isEmpty))
  }

  @Test
  func aRemovalThatIsNotOnTheDiskIsReported() throws {
    let person = try Someone()
    try person.shell("mkdir ~/.codex").succeeded()
    try person.run("setup", "codex", "me", "--yes", "--url", "https://ai.example.com/v1")
      .succeeded()
    let (text, end) = try output(
      of: "/usr/bin/strace",
      ["-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"]
        + person.running + [person.programs + "/thumblatch", "setup", "--undo", "codex"],
      environment: person.environment
    )
    #expect(end == .exited(2) && text.contains("could not be removed"), "\(text)")
  }
}
