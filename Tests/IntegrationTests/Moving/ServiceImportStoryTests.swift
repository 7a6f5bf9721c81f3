import Glibc
import System
import TestSupport
import Testing

/// A person moves the own vault into the service.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServiceImportStoryTests {
  private func move(_ person: Customer) throws -> String {
    let terminal = try person.terminal("service", "import")
    try terminal.expect("move all accounts into the service of this machine")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    return try terminal.end()
  }

  private func register(_ person: Customer, _ account: String, _ options: String...) throws {
    let address = "\(account)\(options.count)@example.org"
    let words = [
      "register", account, "--provider", "dev", "--email", address, "--password-stdin",
    ]
    try person.run(words + options, input: "backend-password\n").succeeded()
  }

  @Test
  func theAccountsWorkInTheServiceAndAreGoneFromTheOwnVault() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try register(person, "me", "--private")
    try register(person, "work", "--private")
    let old = try person.run("token", "me", "--private").succeeded()
    let own = person.home + "/.local/state/thumblatch"
    try shell("cp -a \(own) \(person.home)/copy")

    let shown = try move(person)
    #expect(shown.contains("moved 2 accounts into the service"))
    #expect(!shown.contains("was not refreshed"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try person.run("audit").succeeded().contains("account-moved"))
    #expect(try person.run("audit", "--private").succeeded().contains("account-moved"))
    #expect(try person.run("token", "me", "--private").end == .exited(9))
    #expect(try person.run("audit", "verify", "--private").succeeded().contains("intact"))

    // A copy of the own vault has a token that the provider has replaced.
    let copied = try person.run(
      "token",
      "me",
      "--private",
      "--rejected",
      variables: ["THUMBLATCH_STATE_DIR=\(person.home)/copy"],
      input: old
    )
    #expect(copied.end == .exited(4), "\(copied.text)")
  }

  @Test
  func aNameThatTheServiceHasIsRefusedWithoutACheck() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try register(person, "me", "--private")
    try register(person, "me")
    let refused = try person.run("service", "import", "--json")
    #expect(refused.end == .exited(11))
    #expect(refused.text.contains("the service has these accounts already: me"))
    #expect(try person.run("token", "me", "--private").succeeded().hasPrefix("at_"))
  }

  /// A server of the person, at a socket that root or the person has made.
  private func listen(_ person: Customer, at socket: String, madeByRoot: Bool) throws -> Run {
    let listener = try Run(
      "/usr/bin/python3",
      [
        "-c",
        """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX)
        if sys.argv[3] == "false": os.seteuid(int(sys.argv[2]))
        s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o666)
        os.seteuid(int(sys.argv[2])); s.listen(); print("ready", flush=True)
        while True: c = s.accept()[0]; print(c.recv(1000), flush=True); c.close()
        """, socket, "\(person.user.user)", "\(madeByRoot)",
      ],
      environment: person.environment
    )
    try listener.waitForOutput()
    return listener
  }

  @Test
  func theEngineSendsNothingToASocketThatAProgramOfThePersonServes() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try register(person, "me", "--private")
    let folder = bench.base + "/false"
    try shell("install -d -m 755 \(folder)")
    for (directory, madeByRoot, reason) in [
      (person.home, false, "others than root can change it"),
      (folder, true, "runs as user \(person.user.user)"),
    ] {
      person.socket = directory + "/io.thumblatch.Vault"
      let listener = try listen(person, at: person.socket, madeByRoot: madeByRoot)
      let refused = try person.run("service", "import", "--no-input")
      #expect(refused.end == .exited(11) && refused.text.contains(reason), "\(refused.text)")
      kill(listener.child.identifier, SIGKILL)
      // The peer of a connection is known only after it is made.
      #expect(try !listener.text().contains("io.thumblatch"))
    }
    #expect(try person.run("token", "me", "--private").succeeded().hasPrefix("at_"))
  }

  @Test
  func aPrivateVaultTakesNoAccountsOver() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try register(person, "me", "--private")
    let refused = try person.shell(
      #"""
      python3 -c '
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      s.sendall(b"{\"method\":\"io.thumblatch.Vault.DropTransfer\",\"parameters\":"
                b"{\"transfer\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}}\0")
      print(s.recv(1000))
      ' "$HOME/.local/state/thumblatch/engine"
      """#
    )
    #expect(refused.text.contains("only the service can receive accounts"), "\(refused.text)")
  }
}
