import Glibc
import System
import TestSupport
import Testing

/// Rules for callers, which an administrator writes, in the service with real users.
@Suite(.serialized)
struct CallerRuleStoryTests {
  let backend: DevBackend
  let bench: ServiceBench
  let person: Customer

  init() throws {
    backend = try DevBackend()
    bench = try ServiceBench()
    person = try Customer(bench, backend: backend)
    try person.register()
    try person.register("other")
  }

  func write(_ rules: String) throws {
    try shell("umask 022; cat >\(bench.base)/machine/thumblatch.conf <<'X'\n\(rules)\nX")
  }

  /// Runs a command in a user namespace of its own.
  func inSandbox(_ arguments: String...) throws -> Someone.Outcome {
    try person.run(by: sandbox, [person.programs + "/thumblatch"] + arguments)
  }

  /// A user namespace in which all users but the last one are as outside.
  var sandbox: [String] { person.namespace("0:0:4294967294") }

  func refuses(_ outcome: Someone.Outcome, _ text: String, code: Int32 = 11) {
    #expect(outcome.end == .exited(code), "\(outcome)")
    #expect(outcome.text.contains(text), "\(outcome)")
  }

  @Test
  func aSandboxGetsWhatItsRuleAllows() throws {
    let first = try inSandbox("token", "me").succeeded()
    try write(
      """
      [Caller box]
      sandbox = yes
      accounts = me
      presence = never-ask
      reason = required
      """
    )
    // The rules are read again within a tenth of a second.
    let isHeld = try eventually { try inSandbox("token", "me").end == .exited(11) }
    #expect(isHeld)
    refuses(try inSandbox("token", "me"), "the rule \"box\" does not allow a call that states no")
    #expect(try inSandbox("token", "me", "--reason", "nightly").succeeded() == first)
    let answers = try ["other", "nobody"].map { account in
      let outcome = try inSandbox("token", account, "--reason", "nightly")
      refuses(outcome, "the rule \"box\" does not allow this account")
      return outcome.text
    }
    #expect(answers[0] == answers[1])
    for verb in [["audit"], ["logout", "me"], ["unlock"], ["whoami", "me"], ["lock"]] {
      refuses(try inSandbox(verb[0], verb.dropFirst().first ?? "--json"), "does not allow")
    }
    // Other programs of the user are not under the rule.
    #expect(try person.run("token", "other").succeeded().hasPrefix("at_"))
    try person.run("logout", "other", "--local").succeeded()
    let rules = try person.run("rule", "list").succeeded()
    #expect(rules.contains("box") && rules.contains("never-ask"), "\(rules)")
    try bench.endEngine()
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains(#"outside the rule \"box\""#), "\(log)")
  }

  /// The terminal of a program whose rule says `never-ask` shows no prompt.
  @Test
  func aProgramThatMustNotAskShowsNoPrompt() throws {
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("System password for")
    try enable.enter(person.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    let words =
      sandbox + [person.programs + "/thumblatch", "token", "me", "--reason", "nightly"]
    func terminal() throws -> TerminalSession {
      try TerminalSession(words, environment: person.environment, columns: 200)
    }
    let asked = try terminal()
    try asked.expect("System password for")
    try asked.type("\u{3}")
    _ = try asked.end(130)
    try write("[Caller box]\nsandbox = yes\npresence = never-ask")
    let isHeld = try eventually {
      try person.run("rule", "list").succeeded().contains("never-ask")
    }
    #expect(isHeld)
    let shown = try terminal().end(7)
    #expect(shown.contains("a rule forbids this program to ask"), "\(shown)")
    #expect(!shown.contains("password"))
  }

  @Test
  func aRefusalIsCountedOnce() throws {
    try write("[Caller box]\nsandbox = yes\nreason = required")
    let isHeld = try eventually { try inSandbox("token", "me").end == .exited(11) }
    #expect(isHeld)
    try bench.endEngine()
    let before = try person.run("audit", "--json").succeeded()
    refuses(try inSandbox("token", "me"), "the rule \"box\" does not allow a call that states no")
    try bench.endEngine()
    let log = try person.run("audit", "--json").succeeded()
    // The records of this call and of the engine's end.
    let added = log.dropFirst(before.count)
    #expect(added.contains(#""detail":"1 × outside the rule \"box\""#), "\(added)")
  }

  @Test
  func aTestOfTheRulesSaysWhichHoldAndWhy() throws {
    try write(
      """
      [Caller box]
      sandbox = yes
      accounts = me
      [Caller ci]
      unit = ci-*.service
      rate = 5
      [Caller tool]
      user-unit = tool.service
      desktop = user
      [Caller login]
      unit = session-*.scope
      desktop = user
      """
    )
    let box = try Run(
      "/usr/bin/setpriv",
      person.become + ["/usr/bin/unshare", "--user", "/bin/sh", "-c", "echo ready; exec cat"],
      environment: ["PATH=/usr/bin:/bin"]
    )
    try box.waitForOutput()
    let process = "\(box.child.identifier)"
    let shown = try person.run("rule", "test", process).succeeded()
    #expect(shown.contains("box") && shown.contains("accounts"), "\(shown)")
    let json = try person.run("rule", "test", "ci-nightly.service", "--json").succeeded()
    #expect(
      json.contains(
        #""rules":["ci"],"because":["unit = ci-*.service"],"limits":{"presence":"window","rate":"5"}"#
      ),
      "\(json)"
    )
    // A rule for a unit that a user can start only tightens.
    let tool = try person.run("rule", "test", "tool.service", "--json").succeeded()
    #expect(tool.contains(#""because":["user-unit = tool.service"]"#), "\(tool)")
    #expect(tool.contains(#""desktop":"session""#), "\(tool)")
    let login = try person.run("rule", "test", "session-3.scope", "--json").succeeded()
    #expect(login.contains(#""because":["unit = session-*.scope"]"#), "\(login)")
    #expect(login.contains(#""desktop":"session""#), "\(login)")
    let none = try person.run("rule", "test", "other.service").succeeded()
    #expect(none.contains("none apply"), "\(none)")
    refuses(try person.run("rule", "test", "1"), "process 1 is another user's")
    refuses(try person.run("rule", "test", "4999999"), "there is no process", code: 2)
    kill(box.child.identifier, SIGKILL)
    _ = try box.child.wait()
  }

  /// An administrator sees the rules that a user has added, for the programs of that user only.
  @Test
  func rootIsToldTheRulesOfTheUserOfAProcess() throws {
    try write("[Caller box]\nsandbox = yes\naccounts = me other")
    try set("caller.mine.sandbox", "yes", "not set → yes")
    try set("caller.mine.accounts", "me", "not set → me")
    func rootsTest(_ process: Int32) throws -> String {
      let (said, end) = try output(
        of: bench.programs + "/thumblatch",
        ["rule", "test", "\(process)", "--json"],
        environment: ["THUMBLATCH_SOCKET=\(bench.socket)", "PATH=/usr/bin:/bin", "HOME=/root"]
      )
      #expect(end == .exited(0), "\(said)")
      return said
    }
    for (user, rules) in [(person.become, #"["box","mine"]"#), ([], #"["box"]"#)] {
      let box = try Run(
        "/usr/bin/setpriv",
        user + ["/usr/bin/unshare", "--user", "/bin/sh", "-c", "echo ready; exec cat"],
        environment: ["PATH=/usr/bin:/bin"]
      )
      try box.waitForOutput()
      let said = try rootsTest(box.child.identifier)
      #expect(said.contains(#""rules":\#(rules)"#), "\(said)")
      kill(box.child.identifier, SIGKILL)
      _ = try box.child.wait()
    }
  }

  /// The user's own setting, by the system password.
  func set(_ key: String, _ value: String, _ change: String) throws {
    let terminal = try person.terminal(list: ["policy", key, value], columns: 200)
    try terminal.expect("Type the system password to change the policy (\(key): \(change))")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    try terminal.end()
  }

  /// The mark of a sandbox that makes no user namespace: no new privileges and a filter of system
  /// calls.
  @Test
  func aProgramUnderAFilterOfSystemCallsIsInASandbox() throws {
    try write("[Caller box]\nsandbox = yes\naccounts = other")
    func token(_ marks: String) throws -> Someone.Outcome {
      let program = """
        import ctypes, os, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        if "privileges" in sys.argv[1] and libc.prctl(38, 1, 0, 0, 0):  # PR_SET_NO_NEW_PRIVS
            raise OSError(ctypes.get_errno(), "privileges")
        if "filter" in sys.argv[1]:  # a filter that allows each call (seccomp(2))
            code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000), 8)
            whole = struct.pack("HxxxxxxP", 1, ctypes.addressof(code))
            if libc.prctl(22, 2, ctypes.create_string_buffer(whole, 16), 0, 0):
                raise OSError(ctypes.get_errno(), "filter")
        os.execv(sys.argv[2], sys.argv[2:])
        """
      return try person.run(
        by: person.running + ["/usr/bin/python3", "-c", program, marks],
        [person.programs + "/thumblatch", "token", "me"]
      )
    }
    let isHeld = try eventually { try token("privileges filter").end == .exited(11) }
    #expect(isHeld)
    refuses(try token("privileges filter"), "the rule \"box\" does not allow this account")
    #expect(try token("privileges").succeeded().hasPrefix("at_"))
    #expect(try token("none").succeeded().hasPrefix("at_"))
  }

  @Test
  func aUserAddsRulesThatOnlyTighten() throws {
    try write("[Caller box]\nsandbox = yes\naccounts = me other")
    try inSandbox("token", "other").succeeded()
    try set("caller.mine.sandbox", "yes", "not set → yes")
    try set("caller.mine.accounts", "me", "not set → me")
    refuses(
      try inSandbox("token", "other"),
      "the rule \"box\", user's rule \"mine\" does not allow"
    )
    try inSandbox("token", "me").succeeded()
    try person.run("token", "other").succeeded()
    let rules = try person.run("rule", "list").succeeded()
    #expect(rules.contains("mine") && rules.contains("yours"), "\(rules)")
    // Neither the sandbox nor a program without the password can change that.
    refuses(try inSandbox("policy", "caller.mine.accounts", "default"), "does not allow")
    refuses(
      try person.run("policy", "caller.mine.accounts", "default", "--no-input"),
      "caller.mine.accounts: me → not set",
      code: 7
    )
    try set("caller.mine.accounts", "default", "me → not set")
    try set("caller.mine.sandbox", "default", "yes → not set")
    try inSandbox("token", "other").succeeded()
    #expect(try !person.run("rule", "list").succeeded().contains("mine"))
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("caller.mine.sandbox: not set → yes"), "\(log)")
  }

  /// A rule that applies to all programs of the user can still be removed with the password.
  @Test
  func aUserIsNotLockedOutByARuleOfTheirOwn() throws {
    try set("caller.all.presence", "never-ask", "not set → never-ask")
    try set("caller.all.sandbox", "yes", "not set → yes")
    let change = [person.programs + "/thumblatch", "policy", "caller.all.sandbox", "default"]
    let terminal = try TerminalSession(
      sandbox + change,
      environment: person.environment,
      columns: 200
    )
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    try terminal.end()
    // Nor may such a program show the prompts of others.
    try set("caller.all.sandbox", "yes", "not set → yes")
    refuses(try inSandbox("audit"), "the user's rule \"all\" does not allow this method")
  }

  @Test
  func rulesThatCannotBeReadStopEveryCallThatTheyMayConcern() throws {
    try person.run("token", "me").succeeded()
    try write("[Caller box]\nsandbox = perhaps")
    let isHeld = try eventually { try person.run("token", "me").end != .exited(0) }
    #expect(isHeld)
    let outcome = try person.run("token", "me")
    refuses(outcome, "thumblatch.conf:2: sandbox: must be yes", code: 2)
    // The administrator is informed in the journal.
    #expect(bench.log.contains("thumblatch.conf:2: sandbox: must be yes"))
    try write("")
    #expect(try eventually { try person.run("token", "me").end == .exited(0) })
  }
}
