import Glibc
import JSON
import System
import TestSupport
import Testing

// Tokens under a restriction, at a real provider: one touch is for one request, whose scope,
// audience and reason the person sees.
extension SignInNoticeTests {
  private static let audience = "https://api.example.org"
  private static let purpose = "Touch the fingerprint reader to use account 'work'"

  private func write(_ rules: String) throws {
    try shell("umask 022; cat >\(bench.base)/machine/thumblatch.conf <<'X'\n\(rules)\nX")
    // The rules are read again within a tenth of a second.
    let isHeld = try eventually {
      let run = try inSandbox()
      _ = try run.text()
      return try run.child.wait() == .exited(11)
    }
    try #require(isHeld)
  }

  /// Starts `token work` in a user namespace of its own, as an AI agent runs in a sandbox.
  private func inSandbox(_ arguments: [String] = []) throws -> Run {
    try Run(
      "/usr/bin/setsid",
      person.namespace("0:0:4294967294") + [person.programs + "/thumblatch", "token", "work"]
        + arguments,
      environment: person.environment
    )
  }

  private func ends(
    _ run: Run,
    _ code: Int32,
    _ text: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try run.text()
    #expect(try run.child.wait() == .exited(code), "\(shown)", sourceLocation: sourceLocation)
    #expect(text.isEmpty || shown.contains(text), "\(shown)", sourceLocation: sourceLocation)
    try desk.run("desk.await_open(0)")
  }

  private func stop(_ agent: Run) throws {
    kill(agent.child.identifier, SIGTERM)
    let said = try agent.text()
    #expect(try agent.child.wait() == .exited(0), "\(said)")
  }

  /// The scope and the audience of each refresh.
  private func refreshes() throws -> [String] {
    try provider.refreshes().map { request in
      "\(request.form["scope"] ?? "none") \(request.form["audience"] ?? "none")"
    }
  }

  @Test
  func aTouchBringsTheTokenThatThePromptNames() throws {
    try person.enroll()
    let socket = person.home + "/build.socket"
    let agent = try startAgent(
      options: ["--socket", socket, "--name", "build", "--account", "work"]
    )
    try awaitSocket(socket)
    try provider.clear()
    person.socket = socket
    let run = try person.start([
      "token", "work", "--scope", "read", "--audience", Self.audience, "--reason",
      "to deploy \"it\"",
    ])
    let shown = try desk.notification(Self.purpose)
    #expect(
      try shown.string("body")
        == "\(Self.purpose) (for \(Self.audience), scope read) (requested by restricted socket"
        + " \"build\"; stated reason, not verified: \"to deploy 'it'\")."
    )
    try person.touch()
    try ends(run, 0)
    #expect(try refreshes() == ["read \(Self.audience)"])
    try stop(agent)
  }

  @Test
  func behindASocketWithAScopeThereIsNoOtherScope() throws {
    try person.enroll()
    let socket = person.home + "/build.socket"
    let agent = try startAgent(
      options: [
        "--socket", socket, "--name", "build", "--account", "work", "--scope", "openid read",
      ]
    )
    try awaitSocket(socket)
    try provider.clear()
    person.socket = socket
    func token(_ arguments: String...) throws -> Run {
      try person.start(["token", "work"] + arguments)
    }
    let refusal = "restricted socket \"build\" does not allow another scope than openid read"
    for scope in ["email", "read email"] { try ends(try token("--scope", scope), 11, refusal) }
    #expect(try desk.count() == 0)
    // The account has more scopes.
    let run = try token()
    try desk.sees("\(Self.purpose) (scope openid read)")
    try person.touch()
    try ends(run, 0)
    #expect(try refreshes() == ["openid read none"])
    try stop(agent)
  }

  @Test
  func oneTouchIsForOneRequestUnderARule() throws {
    try person.enroll()
    try write(
      """
      [Caller box]
      sandbox = yes
      accounts = work
      scopes = openid read
      audiences = \(Self.audience)
      presence = each
      reason = required
      """
    )
    let agent = try startAgent()
    try provider.clear()
    let outside = [
      ([], "a call that states no reason"),
      (["--scope", "email"], "another scope than openid read"),
      (["--audience", "https://example.net"], "another audience than \(Self.audience)"),
    ]
    for (options, what) in outside {
      let words = options.isEmpty ? [] : ["--reason", "nightly"] + options
      try ends(try inSandbox(words), 11, "the rule \"box\" does not allow \(what)")
    }
    #expect(try desk.count() == 0)
    let first = try inSandbox(["--reason", "nightly"])
    let shown = try desk.notification("stated reason, not verified: \"nightly\"")
    let body = try shown.string("body")
    #expect(
      body.hasPrefix("\(Self.purpose) (for \(Self.audience), scope openid read) (requested by"),
      "\(body)"
    )
    // The same request of another program waits for a touch of its own.
    let second = try inSandbox(["--reason", "hourly"])
    try person.touch()
    let text = try first.text()
    #expect(try first.child.wait() == .exited(0), "\(text)")
    #expect(try refreshes() == ["openid read \(Self.audience)"])
    try desk.sees("stated reason, not verified: \"hourly\"")
    try desk.run("desk.click('Deny')")
    try ends(second, 3, "the presence check was cancelled")
    // The person's other programs are under no rule.
    try person.run("token", "work").succeeded()
    try stop(agent)
  }
}
