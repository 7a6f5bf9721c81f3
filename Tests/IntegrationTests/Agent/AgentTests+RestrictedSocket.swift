import Glibc
import JSON
import System
import TestSupport
import Testing
import VaultInterface

// A socket behind which programs get access tokens of some accounts, after a check at the desk.
extension AgentTests {
  /// Starts an agent with the socket `build` for the account `me`, and makes the person's programs
  /// use that socket.
  private func startSocket(_ options: String...) throws -> Run {
    let path = person.home + "/build.socket"
    let run = try person.start(
      ["agent", "--socket", path, "--name", "build", "--account", "me"] + options,
      variables: desk.variables
    )
    try awaitSocket(path)
    try #require(eventually { isKnown(run.child.identifier) })
    person.socket = path
    return run
  }

  private func stopSocket(_ agent: Run) throws {
    try stop(agent)
    #expect(try shell("ls \(person.home)").contains("build.socket") == false)
  }

  @Test
  func eachTokenBehindARestrictedSocketNeedsACheckAtTheDesk() throws {
    let agent = try startSocket()
    let asked = Self.question + " restricted socket \"build\""
    var last: String?
    for reason in ["deploy the <b>site</b> \"$(id)\"", "again"] {
      let shown = try desk.count()
      let run = try token("--reason", reason)
      // A quote is replaced, and the notification shows markup as text.
      let words = reason.replacing("\"", with: "'").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;")
      try desk.sees("\(asked); stated reason, not verified: \"\(words)\"", above: shown)
      desk.keepPicture("restricted-\(last == nil ? "first" : "second")")
      try person.touch()
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
      // The second token is the stored one.
      if let last { #expect(text == last) }
      last = text
    }
    #expect(try backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
    person.socket = bench.socket
    let log = try person.run("audit", "--json").succeeded()
    for text in [
      #""requester":"restricted socket \"build\"""#, "stated reason \\\"again\\\"",
      #""event":"access-token","outcome":"done""#,
    ] { #expect(log.contains(text), "\(text): \(log)") }
    // The person's other programs get the stored token without a check.
    #expect(last?.hasSuffix(try person.run("token", "me").succeeded()) == true)
    try stopSocket(agent)
  }

  @Test
  func behindARestrictedSocketThereIsNothingElse() throws {
    try person.register("other")
    let agent = try startSocket()
    // The answer does not tell whether an account exists.
    var answers: [String] = []
    for account in ["other", "nobody"] {
      let result = try person.run("token", account)
      #expect(result.end == .exited(11))
      answers.append(result.text)
    }
    #expect(answers[0] == answers[1])
    #expect(answers[0].contains("restricted socket \"build\" does not allow this account"))
    for verb in [
      ["status"], ["audit"], ["unlock"], ["logout", "me", "--local"],
      ["presence", "test"], ["policy"], ["lock"], ["whoami", "me"],
    ] {
      let result = try person.run(verb)
      #expect(result.end == .exited(11), "\(verb): \(result)")
      #expect(result.text.contains("\"build\" does not allow"), "\(verb): \(result)")
    }
    let list = try person.run("account", "list").succeeded()
    #expect(list.contains("me") && !list.contains("other"), "\(list)")
    person.socket = bench.socket
    // An engine records its counts when it ends.
    try bench.endEngine()
    #expect(
      try person.run("audit", "--json").succeeded().contains(
        #"outside the restricted socket \"build\""#
      )
    )
    try stopSocket(agent)
  }

  /// Any program may ask about the service, as on the service's own socket.
  @Test
  func theServiceNamesItselfBehindARestrictedSocket() throws {
    let agent = try startSocket()
    func answer(_ method: String, at path: String) throws -> JSONObject {
      let program = """
        import json, socket, sys
        engine = socket.socket(socket.AF_UNIX)
        engine.connect(sys.argv[1])
        engine.sendall(json.dumps({"method": sys.argv[2]}).encode() + b"\\0")
        answer = b""
        while not answer.endswith(b"\\0"):
            answer += engine.recv(65536) or sys.exit("no answer")
        print(answer[:-1].decode())
        """
      let words = ["/usr/bin/python3", "-c", program, path, method]
      return try object(person.run(by: person.running, words).succeeded())
    }
    let info = try answer("org.varlink.service.GetInfo", at: person.socket)
    #expect(try info == answer("org.varlink.service.GetInfo", at: bench.socket))
    #expect(try info.object("parameters").array("interfaces").contains("io.thumblatch.Vault"))
    let status = try answer("io.thumblatch.Vault.GetStatus", at: person.socket)
    #expect(try status.string("error") == "io.thumblatch.Vault.Refused", "\(status)")
    try stopSocket(agent)
  }

  @Test
  func theCheckIsMadeAtTheDeskOnly() throws {
    let agent = try startSocket()
    person.socket = person.home + "/build.socket"
    // A terminal behind the socket is not the person's, and neither is a session by ssh.
    let shown = try desk.count()
    let terminal = try person.terminal("token", "me")
    try terminal.expect("waiting for a presence check")
    try desk.sees("restricted socket \"build\"", above: shown)
    try person.touch()
    _ = try terminal.end()
    let before = try desk.count()
    let remote = try person.start(
      ["token", "me"],
      variables: ["SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22"]
    )
    try desk.sees("restricted socket \"build\"", above: before)
    try desk.run("desk.click('Deny')")
    try ends(remote, 3, "the presence check was cancelled")
    // No prompt is opened for a program that says that it cannot ask.
    let last = try desk.count()
    try ends(try token("--no-input"), 7, "a presence check to use account 'me'")
    // The advice names the desktop. A terminal behind the socket cannot unlock the account.
    try bench.act("set_session('first', LockedHint=True)")
    for words in [["token", "me"], ["token", "me", "--helper"], ["kube-credential", "me"]] {
      try ends(try person.start(words), 7, "the agent runs; unlock its screen, then try again")
    }
    let locked = try person.terminal("token", "me", columns: 200)
    try locked.expect("the agent runs; unlock its screen, then try again")
    _ = try locked.end(7)
    #expect(try desk.count() == last)
    try stopSocket(agent)
  }

  /// The engine does not know which tool repeats its helper there.
  @Test
  func aRefusedTokenBehindASocketIsReplacedIfTheProgramNamesIt() throws {
    let agent = try startSocket()
    func touched(_ words: [String], _ input: String = "") throws -> String {
      let shown = try desk.count()
      let run = try person.start(words, typing: input)
      try desk.sees("restricted socket \"build\"", above: shown)
      try person.touch()
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
      return try #require(text.matches(of: /at_[A-Za-z0-9_-]+/).first.map { String($0.output) })
    }
    let first = try touched(["token", "me"])
    #expect(try touched(["token", "me", "--helper"]) == first)
    let second = try touched(["token", "me", "--rejected"], first)
    #expect(second != first)
    #expect(try touched(["token", "me"]) == second)
    try stopSocket(agent)
  }

  @Test
  func aRuleSaysWhenATokenBehindASocketNeedsACheck() throws {
    let policy = "\(bench.base)/machine/thumblatch.conf"
    try shell(
      """
      umask 022; cat >\(policy) <<'X'
      [Caller easy]
      presence = window
      [Caller limited]
      socket = build
      rate = 2
      X
      """
    )
    let path = person.home + "/build.socket"
    try ends(
      try person.start(
        ["agent", "--socket", path, "--name", "build", "--account", "me", "--rule", "none"],
        variables: desk.variables
      ),
      2,
      "there is no rule of that name"
    )
    let agent = try startSocket("--rule", "easy")
    // The refresh needs a check, and the stored token does not.
    let run = try token()
    try desk.sees("requested by restricted socket \"build\", rule \"easy\", rule \"limited\"")
    try person.touch()
    try ends(run, 0, "at_")
    try ends(try token(), 0, "at_")
    try ends(try token(), 11, "does not allow more than 2 tokens an hour")
    try stopSocket(agent)
  }

  /// The sandbox shows neither the service's socket nor the person's home.
  @Test
  func aProgramInASandboxAsksByTheSocketThatIsMountedThere() throws {
    let agent = try startSocket()
    let words = person.bubblewrap([
      "--tmpfs", "/run", "--tmpfs", person.base, "--bind", person.home + "/build.socket",
      "/run/vault.socket", "--setenv", "THUMBLATCH_SOCKET", "/run/vault.socket",
    ])
    let run = try Run(
      "/usr/bin/setsid",
      words + [Someone.installed + "/thumblatch", "token", "me"],
      environment: person.environment
    )
    try desk.sees("\(Self.question) restricted socket \"build\"")
    try person.touch()
    let text = try run.text()
    #expect(try run.child.wait() == .exited(0) && text.contains("at_"), "\(text)")
    try stopSocket(agent)
  }

  @Test
  func aPathThatIsTakenIsNotChanged() throws {
    let path = person.home + "/build.socket"
    func start() throws -> Run {
      try person.start(
        ["agent", "--socket", path, "--name", "build", "--account", "me"],
        variables: desk.variables
      )
    }
    try shell("echo kept >\(path); chown \(person.user.name) \(path)")
    try ends(try start(), 2, "cannot be used")
    #expect(try shell("cat \(path)") == "kept\n")
    try shell("rm \(path)")
    let agent = try startSocket()
    person.socket = bench.socket
    try ends(try start(), 2, "cannot be used")
    // The socket of an agent that was killed is taken over.
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    let next = try startSocket()
    try stopSocket(next)
    person.socket = bench.socket
    try ends(
      try person.start(
        ["agent", "--socket", path, "--name", "build", "--account", "nobody"],
        variables: desk.variables
      ),
      9,
      "no such account"
    )
  }
}
