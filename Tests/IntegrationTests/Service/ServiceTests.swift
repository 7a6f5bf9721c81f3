import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// The service as its users meet it: one engine, and a vault for each of them.
@Suite(.serialized)
struct ServiceTests {
  @Test
  func noUserGetsAnythingOfAnothersVault() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let first = try Customer(bench, backend: backend)
    let second = try Customer(bench, isSecond: true, backend: backend)
    try first.register()
    let token = try first.run("token", "me").succeeded()
    #expect(try first.run("status").succeeded().contains("service, thumblatchd"))
    for arguments in [
      ["token", "me"], ["status", "me"], ["whoami", "me"], ["logout", "me"], ["release", "me"],
      ["account", "remove", "me"], ["presence", "disable", "me"],
    ] {
      let outcome = try second.run(arguments)
      #expect(outcome.end == .exited(9), "\(arguments): \(outcome)")
    }
    #expect(try second.run("audit", "--json").succeeded().contains(#""registration""#) == false)
    // The same name is another account.
    try second.register()
    #expect(try second.run("token", "me").succeeded() != token)
    #expect(try first.run("token", "me").succeeded() == token)
    // Only the engine can read the files, and no token is in them in plain text.
    for reader in [first, second] {
      let found = try reader.shell("find \(bench.state) -type f")
      #expect(found.end != .exited(0) && !found.text.contains("vault.db"), "\(found)")
    }
    #expect(try shell("ls \(first.state)").contains("device-secret"))
    #expect(try !Directory(path: first.state).contains("tokens"))
    #expect(try shell("cat \(first.state)/owner") == first.user.name + "\n")
  }

  @Test
  func aFingerAndTheCallersOwnPasswordOpenAProtectedAccount() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(withSessions: true)
    let person = try Customer(bench, backend: backend)
    try person.register()
    try person.enroll()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect(
      "Touch the fingerprint reader to turn on presence protection for account 'me'"
    )
    try person.touch()
    try enable.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    #expect(try person.run("token", "me").end == .exited(7))
    let touched = try person.terminal("token", "me")
    try touched.expect("Touch the fingerprint reader to use account 'me'")
    try person.touch()
    try touched.expect("at_")
    try touched.end()
    try person.expireTokens()
    let typed = try person.terminal("token", "me")
    try typed.expect("Touch the fingerprint reader to use account 'me'")
    try typed.enter()
    try typed.expect("System password for")
    // The right password of another user of the machine, who is not being checked.
    try typed.enter(ServiceBench.secondPassword)
    try typed.expect("Wrong password. Try again.")
    try typed.expect("System password for")
    try typed.enter(ServiceBench.firstPassword)
    try typed.expect("at_")
    try typed.end()
  }

  @Test
  func theEngineThatWasKilledDuringARefreshHasASuccessorThatFinishesIt() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    try person.register()
    let old = try person.run("token", "me").succeeded()
    try backend.clear()
    try backend.fail(.init("/auth/refresh", hold: true))
    try person.expireTokens()
    let caller = try person.start(["token", "me"])
    try backend.waitForRequests("/auth/refresh")
    try bench.endEngine(by: SIGKILL)
    let second = try person.start(["token", "me"])
    try backend.release()
    let token = try second.text()
    #expect(try second.child.wait() == .exited(0))
    #expect(token.hasPrefix("at_") && token != old)
    // A caller from before the kill has already asked the successor, or is told to ask again.
    let first = try caller.text()
    let end = try caller.child.wait()
    #expect(end == .exited(0) && first == token || end == .exited(5), "\(first)")
    #expect(try backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
    #expect(try backend.count("sessions") == 1)
  }

  @Test
  func aStopWaitsForWhatIsUnderWayAndTakesNothingNew() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    try person.register()
    try person.expireTokens()
    try backend.fail(.init("/auth/refresh", hold: true))
    let caller = try person.start(["token", "me"])
    try backend.waitForRequests("/auth/refresh")
    let idle = try bench.connect()
    _ = try idle.call(GetStatusCall())
    let engine = try #require(bench.engine)
    kill(engine, SIGTERM)
    // An idle connection is closed, which shows that the stop has begun.
    #expect(try idle.reply() == nil)
    #expect(bench.engine == engine)
    try backend.release()
    #expect(try caller.text().hasPrefix("at_"))
    #expect(try caller.child.wait() == .exited(0))
    try waitForEnd(engine)
    #expect(try backend.count("sessions") == 1)
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test
  func anAppIsServedAsTheCommandsAre() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    let app = try AppProcess(person, [backend.url, person.systemPassword])
    #expect(try app.run("restore") == "unauthenticated")
    #expect(try app.run("register me@example.org backend-password") == "me@example.org")
    #expect(try app.run("protect") == "")
    #expect(app.hasPrompted)
    let token = try app.run("token")
    #expect(try person.run("token", "me").succeeded() == token + "\n")
    #expect(try app.run("logout") == "true")
    #expect(try backend.count("sessions") == 0)
  }

  @Test
  func anIdleEngineEndsAndTheNextCallIsAnswered() throws {
    let bench = try ServiceBench(idle: 1)
    let person = try Customer(bench)
    try person.run("status").succeeded()
    let engine = try #require(bench.engine)
    try waitForEnd(engine)
    #expect(bench.log == "")
    try person.run("status").succeeded()
  }

  @Test
  func aSecondEngineIsRefused() throws {
    let bench = try ServiceBench()
    _ = try bench.connect().call(GetStatusCall())
    let users = try ServiceBench.users.get()
    let listener = try UnixSocket.listen(in: Directory(path: bench.base), name: "second")
    let child = try ChildProcess(
      path: "/bin/sh",
      arguments: [
        "-c",
        """
        export LISTEN_PID=$$ LISTEN_FDS=1 STATE_DIRECTORY=\(bench.state)
        exec setpriv --reuid=\(users.engine.user) --clear-groups \
          \(bench.programs)/thumblatchd --service
        """,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, -1, listener.number]
    )
    #expect(try child.wait() == .exited(1))
    _ = try bench.connect().call(GetStatusCall())
  }

  @Test(arguments: [
    ("LISTEN_PID=1 LISTEN_FDS=1", true, "no socket was handed over"),
    ("LISTEN_PID=$$", true, "no socket was handed over"),
    ("LISTEN_FDS=1", true, "no socket was handed over"),
    ("LISTEN_PID=$$ LISTEN_FDS=2", true, "exactly one socket"),
    ("LISTEN_PID=$$ LISTEN_FDS=1", false, "not a listening Unix stream socket"),
    ("LISTEN_PID=$$ LISTEN_FDS=1 STATE_DIRECTORY=", true, "STATE_DIRECTORY"),
    ("LISTEN_PID=$$ LISTEN_FDS=1 STATE_DIRECTORY=state", true, "STATE_DIRECTORY"),
    ("LISTEN_PID=$$ LISTEN_FDS=1 STATE_DIRECTORY=/tmp:/var", true, "STATE_DIRECTORY"),
    ("LISTEN_PID=$$ LISTEN_FDS=1 STATE_DIRECTORY=/tmp", true, "mode 0700"),
  ])
  func anEngineWithoutItsSocketOrDirectoryDoesNotStart(
    _ variables: String,
    _ hasListener: Bool,
    _ why: String
  ) throws {
    let scratch = try ScratchDirectory()
    try Programs.install(in: scratch.path + "/bin")
    let listener = try UnixSocket.listen(in: scratch.open(), name: "socket")
    let (near, far) = try UnixSocket.pair()
    let output = Descriptor(owning: near)
    let child: ChildProcess
    do {
      let theirs = Descriptor(owning: far)
      child = try ChildProcess(
        path: "/bin/sh",
        arguments: [
          "-c",
          """
          export STATE_DIRECTORY=\(scratch.path) \(variables)
          exec \(scratch.path)/bin/thumblatchd --service
          """,
        ],
        environment: ["PATH=/usr/bin:/bin"],
        descriptors: [-1, theirs.number, theirs.number, hasListener ? listener.number : -1]
      )
    }
    let text = String(decoding: try output.readAll(limit: 4096), as: UTF8.self)
    #expect(try child.wait() == .exited(1))
    #expect(text.hasPrefix("thumblatchd: ") && text.contains(why), "\(text)")
  }
}
