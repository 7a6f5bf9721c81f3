import TestSupport
import Testing

/// The states of a session, each reached by a real event of the engine, a backend or a reader.
@Suite(.serialized)
struct AppStateTests {
  /// The numbers of requests and connections that `body` caused at the backend.
  private func traffic(_ person: Person, _ body: () throws -> Void) throws -> (Int, Int) {
    try person.backend.clear()
    try body()
    return (try person.backend.requests().count, try person.backend.connections())
  }

  /// Adds an address to the loopback link for a moment (rtnetlink(7)).
  private func changeNetwork() throws {
    try python(
      """
      import socket, struct
      address = socket.inet_aton("127.9.9.9")
      attributes = struct.pack("HH4sHH4s", 8, 1, address, 8, 2, address)
      link = socket.if_nametoindex("lo")
      body = struct.pack("BBBBi", socket.AF_INET, 32, 0, 0, link) + attributes
      route = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
      for kind, flags in ((20, 0x605), (21, 5)):
          route.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body)
          answer = struct.unpack("IHHIIi", route.recv(4096)[:20])
          assert answer[1] == 2 and answer[5] == 0, answer
      """
    )
  }

  /// Whether the app listens for network changes: the groups of its netlink socket, as proc_net(5)
  /// shows them.
  private func isListening(_ app: AppProcess) throws -> Bool {
    let table = try shell("cat /proc/net/netlink").split(separator: "\n").map { line in
      line.split(separator: " ")
    }
    return table.contains { words in
      words.count > 3 && words[2] == "\(app.identifier)" && !words[3].allSatisfy { $0 == "0" }
    }
  }

  @Test
  func launchDecidesWithoutNetworkAndWithoutAPromptAlsoWhenTheBackendIsDown() throws {
    let person = try Person()
    let app = try AppProcess(person)
    func launches(_ state: String) throws {
      for isOnline in [true, false] {
        try person.backend.setOnline(isOnline)
        let (requests, connections) = try traffic(person) {
          let started = try AppProcess(person)
          #expect(try started.run("restore") == state)
          #expect(try started.run("state") == state)
          #expect(!started.hasPrompted)
        }
        #expect(requests == 0 && connections == 0, "\(state)")
      }
      try person.backend.setOnline(true)
    }
    try launches("unauthenticated")
    try app.run("register me@example.org backend-password")
    try launches("authenticated me@example.org")
    // The same holds if the token has expired.
    try person.expireTokens()
    try launches("authenticated me@example.org")
    try app.run("protect")
    // The check that turned protection on opened the account's window.
    try launches("authenticated me@example.org")
    try app.run("lock")
    try launches("locked")
    try app.run("unlock")
    try launches("authenticated me@example.org")
    #expect(try app.run("logout") == "true")
    try launches("unauthenticated")
  }

  @Test
  func signingInLeadsThroughAuthenticatingAndAFailureIsAnErrorUntilItIsDismissed() throws {
    let person = try Person()
    let app = try AppProcess(person)
    try app.run("record 3")
    #expect(try app.run("register me@example.org backend-password") == "me@example.org")
    #expect(
      try app.run("recorded") == "unauthenticated authenticating authenticated me@example.org"
    )
    #expect(try app.run("facts") == "true me@example.org false false")
    #expect(try app.run("me") == "me@example.org")
    #expect(try app.run("logout") == "true")
    #expect(try app.run("facts") == "false nobody false false")

    let refused = try app.run("login me@example.org another-password")
    #expect(refused.hasPrefix("failed wrongCredentials(status: 401), correctInput: "))
    #expect(!refused.contains("another-password"))
    #expect(try app.run("state").hasPrefix("error "))
    #expect(try app.run("dismiss") == "")
    #expect(try app.run("state") == "unauthenticated")
    let taken = try app.run("register me@example.org backend-password")
    #expect(taken.hasPrefix("failed addressTaken(status: 409), correctInput: "))
    try person.backend.fail(DevBackendFault("/auth/login", .status(503)))
    let down = try app.run("login me@example.org backend-password")
    #expect(down.hasPrefix("failed providerUnavailable(retryAfter: nil, status: Optional(503))"))
    // The next attempt clears the error.
    #expect(try app.run("login me@example.org backend-password") == "me@example.org")
    #expect(try app.run("state") == "authenticated me@example.org")
  }

  @Test
  func aPromptIsAStateAndTheLockIsThereBeforeAndAfter() throws {
    let person = try Person()
    try person.register()
    let app = try AppProcess(person)
    try app.run("restore")
    #expect(try app.run("facts") == "true me@example.org false false")
    #expect(try app.run("protect") == "")
    #expect(try app.run("facts") == "true me@example.org false true")
    #expect(try app.run("state") == "authenticated me@example.org")
    #expect(try app.run("lock") == "")
    #expect(try app.run("state") == "locked")
    try app.run("record 3")
    #expect(try !app.run("unlock reason=to_show_your_mail").hasPrefix("failed"))
    #expect(try app.run("recorded") == "locked prompt authenticated me@example.org")
    #expect(app.prompts.last == "unlock by=password for= reason=to show your mail")
    #expect(try app.run("lock") == "")
    #expect(try app.run("state") == "locked")
    #expect(try app.run("unprotect") == "")
    #expect(try app.run("state") == "authenticated me@example.org")
    #expect(try app.run("facts") == "true me@example.org false false")
  }

  @Test
  func whatTheBackendHasRevokedNeedsALoginAndKeepsTheUser() throws {
    let person = try Person()
    try person.register()
    let app = try AppProcess(person)
    let second = try AppProcess(person)
    try app.run("restore")
    try second.run("restore")
    let token = try app.run("token")
    try python(
      """
      import sys, urllib.request
      headers = {"Authorization": "Bearer " + sys.argv[2]}
      urllib.request.urlopen(urllib.request.Request(sys.argv[1], b"", headers), timeout=60)
      """,
      person.backend.url + "/auth/logout",
      token
    )
    #expect(try person.backend.count("sessions") == 0)
    // A request finds the revocation: the answer is 401, and a refresh does not help.
    let failure = try app.run("get \(person.backend.url)/auth/me")
    #expect(failure.hasPrefix("failed loginRequired, signIn: "), "\(failure)")
    #expect(!failure.contains(token))
    #expect(try app.run("state") == "login-required")
    #expect(try app.run("cached") == "none")
    #expect(try app.run("facts").hasPrefix("false me@example.org"))
    // Other sessions hear of it.
    try second.state("login-required")
    #expect(try app.run("login me@example.org backend-password") == "me@example.org")
    try second.state("authenticated")
  }

  @Test
  func whoIsOfflineStaysSignedInAndComesBack() throws {
    let person = try Person()
    try person.register()
    try person.expireTokens()
    let app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
    try person.backend.setOnline(false)
    let failure = try app.run("token")
    #expect(failure.hasPrefix("failed notAnswering, retry(after: nil): "), "\(failure)")
    #expect(try app.run("state") == "offline")
    #expect(try app.run("facts").hasPrefix("true me@example.org"))
    // The app listens to the kernel's network changes.
    #expect(try eventually { try isListening(app) })
    try person.backend.setOnline(true)
    // The network came back, and the kernel reports it, so the app does not poll.
    try changeNetwork()
    try app.state("authenticated")
    #expect(try app.run("cached").hasPrefix("at_"))
    #expect(!app.hasPrompted)
    // Otherwise the next call finds out.
    try person.backend.setOnline(false)
    let request = try app.run("get \(person.backend.url)/auth/me")
    #expect(request.hasPrefix("failed notAnswering, retry(after: nil): "), "\(request)")
    #expect(try app.run("state") == "offline")
    try person.backend.setOnline(true)
    #expect(try app.run("get \(person.backend.url)/auth/me") == "200")
    #expect(try app.run("state") == "authenticated me@example.org")
    // Signing out erases the local data in any case.
    try person.backend.setOnline(false)
    #expect(try app.run("logout") == "false")
    #expect(try app.run("state") == "unauthenticated")
  }

  @Test
  func whatIsNotInstalledIsToldWithWhatToInstall() throws {
    let person = try Person()
    try person.register()
    let alone = try AppProcess(person, in: person.base + "/alone")
    // A running engine would be enough, so end it.
    try person.endEngine()
    for command in ["restore", "token", "unlock", "login me@example.org x", "capability"] {
      let failure = try alone.run(command)
      #expect(failure.hasPrefix("failed notInstalled, showMessage: "), "\(command): \(failure)")
      #expect(failure.contains("install the Debian package of Thumblatch"))
    }
    #expect(try alone.run("state").hasPrefix("error "))
    // Only one of several programs is missing.
    let app = try AppProcess(person)
    try app.run("restore")
    try shell("rm \(person.programs)/thumblatch-exchange")
    let failure = try app.run("get \(person.backend.url)/auth/me")
    #expect(failure.hasPrefix("failed notInstalled, showMessage: "), "\(failure)")
    #expect(failure.contains("thumblatch-exchange"))
    try shell("rm \(person.programs)/thumblatch-presence")
    #expect(try app.run("capability").hasPrefix("none(reason: \"thumblatch-presence is not in "))
    for command in ["protect", "unlock policy=password", "evaluate policy=fingerprintOrPassword"] {
      let failure = try app.run(command)
      #expect(failure.hasPrefix("failed notInstalled, showMessage: "), "\(command): \(failure)")
      #expect(failure.contains("install the Debian package of Thumblatch"))
    }
    #expect(try app.run("facts") == "true me@example.org false false")
  }

  /// As in a sandbox, into which only the socket is mounted.
  @Test
  func anAppWithASocketNeedsNoProgramToTellWhatIsPossible() throws {
    let person = try Person()
    try person.register()
    // It keeps the engine running.
    let app = try AppProcess(person)
    try app.run("restore")
    let alone = try AppProcess(
      person,
      [person.backend.url, Someone.systemPassword],
      variables: ["THUMBLATCH_SOCKET=\(person.state)/engine"],
      in: person.base + "/alone"
    )
    let capability = try alone.run("capability")
    #expect(try capability == app.run("capability"))
    #expect(capability.hasPrefix("passwordOnly(reason: \"no finger is enrolled"), "\(capability)")
  }
}
