import Glibc
import JSON
import System
import TestSupport
import Testing

/// The command line, as a user of this machine meets it, without presence protection.
@Suite(.serialized)
struct CommandTests {
  private func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
      Issue.record("no JSON object: \(text)")
      return [:]
    }
    return object
  }

  @Test
  func anAccountFromItsRegistrationAtATerminalToItsEnd() throws {
    let person = try Person()
    let registration = try person.terminal("register", "me", "--provider", "dev")
    try registration.expect("E-mail: ")
    try registration.enter("ada@example.org")
    try registration.expect("Name (may be empty): ")
    try registration.enter("Ada Lovelace")
    try registration.expect("Password of ada@example.org at dev: ")
    try registration.enter("backend-password")
    try registration.expect("Password again: ")
    try registration.enter("backend-password")
    let shown = try registration.end()
    #expect(!shown.contains("backend-password"))
    #expect(shown.contains("me is ada@example.org at dev"))

    let token = try person.run("token", "me").succeeded()
    #expect(token.hasPrefix("at_") && token.hasSuffix("\n"))
    #expect(try person.run("token").succeeded() == token)
    let json = try object(try person.run("token", "me", "--json").succeeded())
    #expect(try json.string("access_token") + "\n" == token)
    #expect(try json.string("token_type") == "Bearer")
    #expect(try json.string("expires_at").hasSuffix("Z"))
    #expect(try !json.boolean("shorter_than_requested"))

    let who = try object(try person.run("whoami", "--json").succeeded())
    #expect(try who.object("profile").string("name") == "Ada Lovelace")
    let list = try object(try person.run("account", "list", "--json").succeeded())
    #expect(try list.array("accounts").count == 1)
    let status = try object(try person.run("status", "--json").succeeded())
    #expect(try status.object("engine").string("form") == "private")
    #expect(
      status.members.map(\.name) == [
        "engine", "device_secret", "memory", "counter", "unlocked", "unlocked_until",
        "unlocked_accounts", "reader", "enrolled_fingers", "fingerprint_locked_out",
        "desktop_fingers",
        "finger_source", "finger_reason", "enrolled_keys", "accounts", "problem", "remedy",
      ]
    )

    // The refused token arrives on standard input, and a newer token is printed.
    let newer = try person.run("token", "me", "--rejected", input: token).succeeded()
    #expect(newer != token && newer.hasPrefix("at_"))
    #expect(try person.run("token", "me").succeeded() == newer)

    let out = try object(try person.run("logout", "me", "--json").succeeded())
    #expect(try out.boolean("revoked") && out.boolean("erased"))
    let after = try person.run("token", "me", "--json")
    #expect(after.end == .exited(4))
    #expect(try object(after.text).object("error").string("code") == "login-required")
    #expect(try person.backend.count("sessions") == 0)
  }

  @Test
  func eachKindOfFailureHasItsExitStatus() throws {
    let person = try Person()
    try person.register()
    for (arguments, expected) in [
      (["token", "nobody"], 9), (["token", "../me"], 2), (["frobnicate"], 2), (["token", "-x"], 2),
      (["token", "me", "--min-ttl", "soon"], 2), (["login", "new", "--provider", "none"], 9),
      (["login", "new"], 7), (["login", "me"], 7),
      (["register", "new", "--provider", "dev", "--no-input"], 7),
      (["fingers", "enroll", "sixth"], 9), (["fingers", "enroll"], 7),
      (["fingers", "delete", "sixth"], 9), (["fingers", "delete", "left-thumb"], 9),
      (["presence", "enable", "me"], 7), (["unlock"], 7), (["presence", "test", "--no-input"], 7),
      (["token", "me"], 0), (["--version"], 0), (["-h"], 0), (["token", "-h"], 0),
      ([], 0), (["help"], 0), (["help", "token"], 0), (["version"], 0),
    ] as [([String], Int32)] {
      let run = try person.start(arguments)
      let text = try run.text()
      #expect(try run.child.wait() == .exited(expected), "\(arguments): \(text)")
      if expected == 0 { continue }
      // The error is on a line of its own, after any earlier text.
      #expect("\n\(text)".contains("\nthumblatch: error: "), "\(text)")
      let json = try person.start(arguments + ["--json"])
      let object = try object(try json.text())
      #expect(try json.child.wait() == .exited(expected))
      #expect(
        try object.object("error").members.map(\.name) == [
          "code", "message", "hint", "reason", "status", "fields",
        ]
      )
    }
    try person.backend.fail(.init("*", .status(503)))
    try person.expireTokens()
    #expect(try person.run("token", "me").end == .exited(5))
    let login = try person.run(
      "login",
      "new",
      "--provider",
      "dev",
      "--email",
      "a@b.org",
      "--password-stdin",
      input: "wrong\n"
    )
    #expect(login.end == .exited(8))
    try person.endEngine()
    try shell("chmod 640 \(person.state)/device-secret")
    for arguments in [["status"], ["token", "me"]] {
      let run = try person.start(arguments)
      let text = try run.text()
      #expect(try run.child.wait() == .exited(6), "\(text)")
      #expect(text.contains("chmod"), "\(text)")
    }
    try shell("chmod 755 \(person.state)")
    #expect(try person.run("token", "me").end == .exited(6))
  }

  @Test
  func manyProcessesThatStartAtOnceShareOneEngineAndOneRefresh() throws {
    let person = try Person()
    try person.register()
    let old = try person.run("token", "me").succeeded()
    for count in [2, 64] {
      try person.expireTokens()
      try person.backend.clear()
      let runs = try (0..<count).map { _ in try person.start(["token", "me"]) }
      var tokens: Set<String> = []
      for run in runs {
        tokens.insert(try run.text())
        #expect(try run.child.wait() == .exited(0))
      }
      #expect(tokens.count == 1 && !tokens.contains(old))
      #expect(try person.backend.requests().map(\.path) == ["/auth/refresh"])
      // Between fork and exec an exchange helper still shows the engine's program.
      #expect(eventually { processes(in: person.programs, named: "thumblatchd").count == 1 })
    }
  }

  @Test
  func anEngineThatWasKilledIsNotNoticed() throws {
    let person = try Person()
    try person.register()
    let token = try person.run("token", "me").succeeded()
    try person.killEngine()
    #expect(try person.run("token", "me").succeeded() == token)
    try shell("rm \(person.state)/tokens/me")
    #expect(try person.run("token", "me").succeeded() == token)
    #expect(try person.run("account", "list").succeeded().contains("me@example.org"))
  }

  /// The waiting client may reach the listener of the process that is dying.
  @Test
  func aTokenThatWaitsOutlivesTheEngineThatIsKilled() throws {
    let person = try Person()
    try person.register()
    var token = try person.run("token", "me").succeeded()
    for round in 0..<12 {
      try person.backend.clear()
      try person.backend.fail(.init("/auth/refresh", hold: true))
      let (near, far) = try UnixSocket.pair()
      let run: Run
      do {
        let ours = Descriptor(owning: near)
        let theirs = Descriptor(owning: far)
        try ours.write(token)
        run = try person.start(["token", "me", "--rejected"], input: theirs.number)
      }
      try person.backend.waitForRequests("/auth/refresh")
      for process in processes(in: person.programs, named: "thumblatchd") {
        kill(process, SIGKILL)
      }
      try person.backend.release()
      let next = try run.text()
      #expect(try run.child.wait() == .exited(0), "round \(round): \(next)")
      #expect(next != token)
      token = next
    }
    #expect(try person.backend.count("sessions") == 1)
  }

  @Test
  func ctrlCAtAPasswordEndsItAndSendsNothing() throws {
    let person = try Person()
    let asked = try person.terminal("login", "me", "--provider", "dev", "--email", "a@b.org")
    try asked.expect("Password of a@b.org at dev: ")
    try asked.type("secr\u{3}")
    try asked.end(130)
    #expect(!asked.screen.contains("secr"))
    #expect(try person.backend.requests() == [])
  }

  @Test
  func aServerOfAnotherUserGetsNotOneByte() throws {
    let person = try Person()
    // The server listens as another user, at a path that the environment names.
    let server = try Run(
      "/usr/bin/python3",
      [
        "-c",
        """
        import os, socket, sys
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        os.chmod(sys.argv[1], 0o666)
        os.setgid(65534); os.setuid(65534)
        server.listen()
        print("listening", flush=True)
        server.settimeout(120)
        connection, _ = server.accept()
        print(len(connection.recv(4096)), "bytes")
        """,
        person.base + "/fake",
      ],
      environment: ["PATH=/usr/bin:/bin"]
    )
    try server.waitForOutput()
    let outcome = try person.run(
      "token",
      "me",
      variables: ["THUMBLATCH_SOCKET=\(person.base)/fake"]
    )
    #expect(outcome.end == .exited(6), "\(outcome.text)")
    #expect(outcome.text.contains("65534"))
    #expect(try server.text() == "listening\n0 bytes\n")
    _ = try server.child.wait()
  }

  @Test
  func aStateDirectoryThatOthersCouldChangeIsNotUsed() throws {
    let person = try Person()
    try person.register()
    try person.endEngine()
    for (damage, repair) in [
      ("chmod 755 $S", "chmod 700 $S"), ("chown 65534 $S", "chown \(person.user.name) $S"),
      ("mv $S $S.x; ln -s thumblatch.x $S", "rm $S; mv $S.x $S"),
      ("mv $S $S.x; touch $S", "rm $S; mv $S.x $S"),
    ] {
      try shell("S=\(person.state); \(damage)")
      for arguments in [["token", "me"], ["status"], ["logout", "me"]] {
        let run = try person.start(arguments)
        let text = try run.text()
        #expect(try run.child.wait() == .exited(6), "\(damage): \(text)")
      }
      #expect(processes(in: person.programs) == [])
      try shell("S=\(person.state); \(repair)")
    }
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test(arguments: [
    "umask 0; $T status", "umask 077; $T status", "$T status <&- >&- 2>&-", "$T status <&- 2>&-",
    "cd $H; mkdir gone; cd gone; rmdir ../gone; $T status",
    "exec 3</etc/passwd 4<&3 5<&3 9<&3; $T status", "trap '' INT HUP PIPE CHLD TERM; $T status",
    "X=$(head -c 100000 /dev/zero | tr '\\0' x); export X; $T status",
    "ulimit -c unlimited; $T status", "ulimit -l 0; $T status", "ulimit -n 64; $T status",
    "LD_BIND_NOW=1 MALLOC_PERTURB_=165 LC_ALL=xx_YY.nonsense TZ=:/etc/passwd $T status",
    "SWIFT_BACKTRACE=enable=yes,output-to=/tmp GLIBC_TUNABLES=glibc.malloc.check=3 $T status",
  ])
  func anOddEnvironmentDoesNotReachTheEngine(_ script: String) throws {
    let person = try Person()
    let full = "T=\(person.programs)/thumblatch-cli; H=\(person.home); \(script)"
    let outcome = try person.shell(full)
    #expect([.exited(0), .exited(1)].contains(outcome.end), "\(outcome)")
    // An engine runs. Its files belong only to its user, and it inherits nothing from its starter.
    // Its helper for exchanges is another one until the exec.
    var engines: [Int32] = []
    try #require(
      eventually {
        engines = processes(in: person.programs, named: "thumblatchd")
        return engines.count == 1
      },
      "\(outcome)"
    )
    let files = try IntegrationTests.shell(
      "find \(person.state) ! -perm 600 ! -perm 700 -printf '%p %m '"
    )
    #expect(files == "")
    let facts = "/proc/\(engines[0])"
    let variables = try IntegrationTests.shell("tr '\\0' '\\n' <\(facts)/environ | cut -d= -f1")
    #expect(variables == "PATH\nLANG\nSWIFT_BACKTRACE\n")
    #expect(linkTarget("\(facts)/cwd") == "/")
    for number in try Directory(path: "\(facts)/fd").names() {
      #expect(linkTarget("\(facts)/fd/\(number)") != "/etc/passwd")
    }
    let limits = try IntegrationTests.shell("grep 'core file' \(facts)/limits")
    #expect(limits.split(separator: " ").filter { $0 == "0" }.count == 2, "\(limits)")
    #expect(try person.run("status").end == .exited(0))
  }
}
