import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// How the service and its callers check the peer at the other end of each socket.
@Suite(.serialized)
struct ServicePeerTests {
  @Test(arguments: [false, true])
  func whoHasDiedOrWhoseNumberIsAnothersIsRefused(_ withoutPeerDescriptors: Bool) throws {
    let bench = try ServiceBench(withoutPeerDescriptors: withoutPeerDescriptors)
    let person = try Customer(bench)
    let other = try ServiceBench.users.get().second
    try person.run("status").succeeded()
    let engine = try #require(bench.engine)
    let driver = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/dead-caller.py"
    for more in [[], ["\(other.user)"]] {
      let (text, end) = try output(
        of: "/usr/bin/python3",
        [driver, bench.socket, "\(person.user.user)", "\(engine)"] + more
      )
      #expect(end == .exited(0) && text == "refused\n", "\(text)")
    }
    // Living callers are served as before.
    try person.run("status").succeeded()
  }

  @Test
  func theHelpersAnswerOnlyTheEngine() throws {
    let bench = try ServiceBench()
    let person = try Customer(bench)
    for helper in ["presence", "exchange", "secret"] {
      // Root has the right to connect, but is not the engine.
      let connection = EngineConnection(
        try UnixSocket.connect(in: Directory(path: bench.directory), name: helper)
      )
      try connection.send(bytes: Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8) + [0])
      #expect(try connection.reply() == nil, "\(helper)")
      let refused = try person.shell(
        "python3 -c 'import socket; socket.socket(1, 1).connect(\"\(bench.directory)/\(helper)\")'"
      )
      #expect(refused.text.contains("PermissionError"), "\(refused)")
    }
  }

  /// The presence program's output for a check by password that the engine's user starts.
  ///
  /// The check names another user, lends this connection, and is answered with the engine user's
  /// own password.
  private func check(_ bench: ServiceBench, lending connection: String) throws -> String {
    let users = try ServiceBench.users.get()
    return try output(
      of: "/usr/bin/python3",
      [
        "-c",
        """
        import array, base64, json, os, socket, sys
        directory, engine = sys.argv[1], int(sys.argv[2])
        # A listener of root's where callers connect, at which the engine's user is a caller.
        path = directory + "/io.thumblatch.Vault"
        os.unlink(path)
        listener = socket.socket(socket.AF_UNIX)
        os.umask(0)
        listener.bind(path)
        listener.listen()
        os.setgroups([])
        os.setresgid(engine, engine, engine)
        os.setresuid(engine, engine, engine)
        caller = socket.socket(socket.AF_UNIX)
        caller.connect(path)
        accepted, _ = listener.accept()
        pair = socket.socketpair()
        lent = {"none": None, "pair": pair[0], "connecting": caller, "accepted": accepted}[sys.argv[4]]
        helper = socket.socket(socket.AF_UNIX)
        helper.connect(directory + "/presence")
        def call(method, parameters, lent):
            message = {"method": "io.thumblatch.Helper." + method, "parameters": parameters}
            rights = []
            if lent:
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [lent.fileno()]))]
            helper.sendmsg([json.dumps(message).encode() + bytes(1)], rights)
            answer = helper.recv(65536).decode()
            print(answer)
            return answer
        check = {"method": "password", "user": sys.argv[3], "timeout": 30000}
        answer = call("Check", check, lent)
        if '"ask"' in answer:
            call("Respond", {"text": base64.b64encode(sys.argv[5].encode()).decode()}, None)
        """, bench.directory, "\(users.engine.user)", users.first.name, connection,
        ServiceBench.enginePassword,
      ]
    ).text
  }

  /// A connection to a listener of another user, such as root, names that user.
  ///
  /// The service has not accepted that connection.
  @Test(arguments: ["none", "pair", "connecting"])
  func aCheckWhoseCallerDoesNotShowIsRefused(_ connection: String) throws {
    let refused = try check(try ServiceBench(), lending: connection)
    #expect(refused.contains("denied") && refused.contains("did not show"), "\(refused)")
  }

  @Test
  func aCheckIsAboutThePeerOfTheAcceptedConnection() throws {
    // The name in the message is not read.
    let checked = try check(try ServiceBench(), lending: "accepted")
    #expect(checked.contains("ask") && checked.contains("matched"), "\(checked)")
  }

  @Test
  func aServerThatIsNeitherRootsNorTheCallersOwnGetsNothing() throws {
    let bench = try ServiceBench()
    let person = try Customer(bench)
    let other = try ServiceBench.users.get().second
    let heard = bench.base + "/heard"
    try shell("install -d -m 777 \(heard)")
    let server = try Run(
      "/usr/bin/setpriv",
      [
        "--reuid=\(other.user)", "--regid=\(other.user)", "--clear-groups", "/usr/bin/python3",
        "-c",
        """
        import os, socket, sys
        listener = socket.socket(socket.AF_UNIX)
        os.umask(0)
        listener.bind(sys.argv[1] + "/socket")
        listener.listen()
        print("listens", flush=True)
        caller, _ = listener.accept()
        print("heard", caller.recv(65536), flush=True)
        """,
        heard,
      ],
      environment: ["PATH=/usr/bin:/bin"]
    )
    try server.waitForOutput()
    person.socket = heard + "/socket"
    let refused = try person.run("status")
    #expect(refused.end == .exited(6) && refused.text.contains("\(other.user)"), "\(refused)")
    #expect(try server.text() == "listens\nheard b''\n")
    _ = try server.child.wait()
  }

  @Test
  func aServiceThatDoesNotAnswerIsToBeTriedLater() throws {
    let bench = try ServiceBench()
    let person = try Customer(bench)
    // Bound, but no longer listening.
    _ = try UnixSocket.listen(in: Directory(path: bench.directory), name: "left")
    try shell("chmod 666 \(bench.directory)/left")
    person.socket = bench.directory + "/left"
    for arguments in [["status"], ["token", "me"]] {
      let outcome = try person.run(arguments)
      #expect(outcome.end == .exited(5), "\(outcome)")
    }
    // Nor is the private vault used instead.
    #expect(try Directory(path: person.home).names().isEmpty)
  }
}
