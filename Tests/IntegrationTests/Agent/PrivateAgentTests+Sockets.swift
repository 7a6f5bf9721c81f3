import System
import TestSupport
import Testing

// A socket of an agent at a private vault, for programs that get access tokens only.
extension PrivateAgentTests {
  @Test
  func eachTokenBehindARestrictedSocketNeedsACheckAtTheDesk() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let options = ["agent", "--socket", path, "--name", "build", "--account", "me"]
    try ends(
      try person.start(options + ["--rule", "easy"], variables: desk.variables),
      2,
      "a private vault has no rules for callers"
    )
    let agent = try person.start(options, variables: desk.variables)
    try awaitSocket(path)
    try #require(eventually { notes.count == 1 })
    let socket = ["THUMBLATCH_SOCKET=\(path)"]
    var tokens: [String] = []
    for reason in ["deploy", "again"] {
      let count = try desk.count()
      let run = try person.start(["token", "me", "--reason", reason], variables: socket)
      try desk.sees(
        Self.question + " restricted socket \"build\"; stated reason, not verified: \"\(reason)\"",
        above: count
      )
      try person.touch()
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
      tokens.append(text)
    }
    #expect(tokens[0] == tokens[1])
    for verb in [["status"], ["unlock"], ["logout", "me", "--local"], ["token", "other"]] {
      let result = try person.run(verb, variables: socket)
      #expect(result.end == .exited(11), "\(verb): \(result)")
      #expect(result.text.contains("\"build\" does not allow"), "\(verb): \(result)")
    }
    // The person's other programs get the stored token without a check.
    let own = try person.run("token", "me").succeeded()
    #expect(tokens[0].hasSuffix(own))
    try stop(agent)
  }

  @Test
  func theEndOfTheAgentEndsTheConnectionsBehindItsSocket() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let agent = try startAgent(behind: path)
    let run = try person.start(["token", "me"], variables: ["THUMBLATCH_SOCKET=\(path)"])
    try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    try kill(agent)
    let shown = try run.text()
    #expect(try run.child.wait() != .exited(0), "\(shown)")
    #expect(!shown.contains("at_"), "\(shown)")
    #expect(eventually { !person.readerIsOpen })
  }

  /// The newest agent shows the prompts of both sockets, but replaces neither.
  @Test
  func aSocketStaysWithTheAgentThatOpenedIt() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let other = person.home + "/other.socket"
    let first = try startAgent(behind: path)
    let second = try startAgent("--socket", other, "--name", "other", "--account", "me")
    try awaitSocket(other)
    #expect(notes.count == 2)
    let run = try person.start(["token", "me"], variables: ["THUMBLATCH_SOCKET=\(path)"])
    try desk.sees(Self.question + " restricted socket \"build\"")
    #expect(eventually { person.readerIsOpen })
    try kill(first)
    let shown = try run.text()
    #expect(try run.child.wait() != .exited(0), "\(shown)")
    #expect(!shown.contains("at_"), "\(shown)")
    // The other agent has shown it, and removes it.
    try desk.run("desk.await_open(0)")
    #expect(eventually { !person.readerIsOpen })
    let count = try desk.count()
    let late = try person.run("token", "me", variables: ["THUMBLATCH_SOCKET=\(path)"])
    #expect(late.end != .exited(0) && !late.text.contains("at_"), "\(late)")
    #expect(try desk.count() == count)
    let next = try person.start(["token", "me"], variables: ["THUMBLATCH_SOCKET=\(other)"])
    try desk.sees(Self.question + " restricted socket \"other\"", above: count)
    try person.touch()
    try ends(next, 0, "at_")
    try stop(second)
  }

  /// The person, or another agent, has put another file there.
  @Test
  func theEndOfAnAgentLeavesAFileThatReplacedItsSocket() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let agent = try startAgent(behind: path)
    try person.shell("rm '\(path)'; echo mine >'\(path)'").succeeded()
    try stop(agent)
    #expect(try person.shell("cat '\(path)'").succeeded().hasPrefix("mine"))
  }

  /// As a shell does by `printf ... | socat - UNIX-CONNECT:...`.
  @Test
  func aProgramThatSendsNoMoreGetsItsAnswers() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let agent = try startAgent(behind: path)
    let text = try person.shell(
      """
      /usr/bin/python3 - <<'END' 2>&1
      import json, socket
      call = {"method": "io.thumblatch.Vault.GetAccount", "parameters": {"account": "me"}}
      for count in 1, 2:
          program = socket.socket(socket.AF_UNIX)
          program.settimeout(120)
          program.connect("\(path)")
          program.send(count * (json.dumps(call).encode() + b"\\0"))
          program.shutdown(socket.SHUT_WR)
          with program.makefile("rb") as answers:
              print(answers.read().count(b'"name":"me"'))
      END
      """
    ).succeeded()
    #expect(text == "1\n2\n")
    try stop(agent)
  }

  /// Programs that say nothing, or that say nothing more, have more connections than the agent
  /// keeps.
  @Test
  func silentProgramsKeepNoneOutAndEndNoCall() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let agent = try startAgent(behind: path)
    // The oldest program waits for a touch.
    let run = try person.start(["token", "me"], variables: ["THUMBLATCH_SOCKET=\(path)"])
    try desk.sees(Self.question)
    let text = try person.shell(
      """
      export THUMBLATCH_SOCKET=\(path)
      /usr/bin/python3 - <<'END' 2>&1
      import json, socket, subprocess
      call = {"method": "io.thumblatch.Vault.GetAccount", "parameters": {"account": "me"}}
      oneway = {**call, "oneway": True}
      words = [b"", b"{", *(json.dumps(each).encode() + b"\\0" for each in [call, oneway])]
      silent = []
      for count in range(99):
          silent.append(socket.socket(socket.AF_UNIX))
          silent[-1].settimeout(120)
          silent[-1].connect("\(path)")
          silent[-1].send(words[count % 4])
          if count % 4 == 2:
              assert silent[-1].recv(65536).endswith(b"\\0")
          if count % 33 == 32:
              subprocess.run(["\(person.programs)/thumblatch", "account", "list"], check=True)
      END
      """
    ).succeeded()
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("me ") }.count == 3, "\(text)")
    try person.touch()
    try ends(run, 0, "at_")
    try stop(agent)
  }
}

// The prompts of an app at a private vault.
extension PrivateAgentTests {
  /// Starts an agent that shows prompts, with a restricted socket for `me`.
  private func startAgent(behind path: String) throws -> Run {
    let agent = try startAgent("--socket", path, "--name", "build", "--account", "me")
    try awaitSocket(path)
    return agent
  }

  func app(
    _ variables: [String],
    _ words: [String] = ["desktop", "to show your mail"]
  ) throws -> Run {
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    return try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become + ["\(person.programs)/AppAtTerminal"] + words,
      environment: person.environment + variables
    )
  }

  @Test
  func anAgentShowsThePromptOfAnAppThatHasNoDesktop() throws {
    defer { bus.remove() }
    let agent = try startAgent()
    let run = try app([])
    try desk.sees("Touch the fingerprint reader to unlock me")
    try desk.sees("stated reason, not verified: \"to show your mail\"")
    try person.touch()
    try ends(run, 0, "unlocked")
    try stop(agent)
  }

  @Test
  func anAppGetsATokenBehindARestrictedSocket() throws {
    defer { bus.remove() }
    let path = person.home + "/build.socket"
    let agent = try startAgent(behind: path)
    let run = try app(["THUMBLATCH_SOCKET=\(path)"], ["token", "deploy"])
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "got a Bearer token")
    try stop(agent)
  }
}
