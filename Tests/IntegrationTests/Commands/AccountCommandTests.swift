import Glibc
import JSON
import System
import TestSupport
import Testing

/// Account names, the default account and the removal of accounts, as a user meets them.
@Suite(.serialized)
struct AccountCommandTests {
  /// The state directory has parents that cannot be made: the error of the first one is shown.
  @Test
  func aHomeThatCannotBeWrittenIsNamed() throws {
    let person = try Someone()
    try shell("chmod 500 \(person.home)")
    for arguments in [["account", "list"], ["token", "me"]] {
      let outcome = try person.run(arguments)
      #expect(outcome.end == .exited(6))
      #expect(
        outcome.text.contains("mkdir \(person.home)/.local: Permission denied"),
        "\(outcome.text)"
      )
    }
  }

  /// The access token is valid, so the state of the account does not say that it is locked.
  @Test
  func aLoginOverALockedAccountSaysThatTheEarlierTokenStays() throws {
    let person = try Person()
    try person.register("work")
    let enabling = try person.terminal("presence", "enable", "work")
    try enabling.expect("System password for")
    try enabling.enter(Person.systemPassword)
    _ = try enabling.end()
    try person.run("lock").succeeded()
    try person.run("token", "work").succeeded()
    let login = ["login", "work", "--email", "work@example.org", "--password-stdin"]
    let outcome = try person.run(login, input: "backend-password\n")
    #expect(outcome.end == .exited(12))
    #expect(outcome.text.contains("NOT revoked and stays valid"), "\(outcome.text)")
    #expect(try person.backend.count("sessions") == 2)
  }

  @Test
  func namesAndTheDefaultAreWhatTheFrontGoesBy() throws {
    let person = try Person()
    try person.register("work")
    try person.register("home")
    let work = try person.run("token", "work").succeeded()
    let home = try person.run("token", "home").succeeded()
    #expect(try person.run("token").end == .exited(2))
    try person.run("account", "default", "home").succeeded()
    #expect(try person.run("token").succeeded() == home)
    try person.run("account", "rename", "home", "private").succeeded()
    // The front reads it from plain storage, without an engine.
    try person.endEngine()
    #expect(try person.run("token").succeeded() == home)
    #expect(try person.run("token", "private").succeeded() == home)
    #expect(processes(in: person.programs, named: "thumblatchd").isEmpty)
    #expect(try person.run("token", "home").end == .exited(9))
    #expect(try person.run("account", "rename", "private", "work").end == .exited(2))
    #expect(try person.run("account", "default", "home").end == .exited(9))
    let list = try person.run("account", "list").succeeded()
    #expect(list.contains("private *"))

    // At a terminal the command asks. Without a terminal it refuses.
    #expect(try person.run("account", "remove", "private").end == .exited(7))
    let kept = try person.terminal("account", "remove", "private")
    try kept.expect("[y/N]")
    try kept.enter("n")
    _ = try kept.end(130)
    #expect(try person.run("token").succeeded() == home)
    let removal = try person.terminal("account", "remove", "private")
    try removal.expect("[y/N]")
    try removal.enter("y")
    _ = try removal.end()
    #expect(try person.backend.count("sessions") == 1)
    #expect(try person.run("token").succeeded() == work)
    #expect(try person.run("token", "private").end == .exited(9))
    #expect(try shell("ls \(person.state)/slots | wc -l") == "1\n")
    #expect(try person.run("audit").succeeded().contains("account-removed"))
    try person.run("account", "remove", "work", "--yes", "--local").succeeded()
    #expect(
      try shell("ls -A \(person.state)/slots \(person.state)/tokens | grep -c '^[a-z0-9@]' || true")
        .hasPrefix("0") == true
    )
  }

  @Test
  func oneCheckEndsEveryLoginForALostMachine() throws {
    let person = try Person()
    try person.register("work")
    try person.register("home")
    let protection = try person.terminal("presence", "enable", "work")
    try protection.expect("assword")
    try protection.enter(Person.systemPassword)
    _ = try protection.end()
    try person.run("lock").succeeded()

    // One account is protected and locked. Without the check no account is signed out.
    #expect(try person.run("logout", "--all", "--yes").end == .exited(7))
    let refused = try person.terminal("logout", "--all")
    try refused.expect("all 2 accounts (home, work)")
    try refused.enter("n")
    _ = try refused.end(130)
    #expect(try person.backend.count("sessions") == 2)

    let logout = try person.terminal("logout", "--all")
    try logout.expect("[y/N]")
    try logout.enter("y")
    try logout.expect("System password for")
    try logout.enter(Person.systemPassword)
    let said = try logout.end()
    for account in ["home", "work"] { #expect(said.contains("Signed out of \(account) here")) }
    #expect(try person.backend.count("sessions") == 0)
    for account in ["home", "work"] {
      #expect(try person.run("token", account).end == .exited(4))
    }
    try person.run("logout", "--all", "--yes").succeeded()
  }

  @Test
  func aMaskThatTakesTheOwnersRightsHarmsNothing() throws {
    let person = try Person()
    try person.shell("rm -rf \(person.state) \(person.home)/.config").end.isSuccess()
    let made = try person.shell(
      """
      umask 0777
      cd \(person.programs)
      ./thumblatch provider add dev --kind password-backend --issuer \(person.backend.url) || exit 1
      echo backend-password | ./thumblatch register me --provider dev --email a@example.org \
        --password-stdin || exit 1
      """
    )
    #expect(made.end == .exited(0), "\(made.text)")
    #expect(try person.run("token").succeeded().hasPrefix("at_"))
    let open = try shell("cd \(person.state); find . -type f ! -perm 600 -o -type d ! -perm 700")
    #expect(open == "")
  }

  @Test
  func aRequestOfAProtectedAccountOpensAPrompt() throws {
    let person = try Person()
    try person.register()
    let protection = try person.terminal("presence", "enable", "me")
    try protection.expect("assword")
    try protection.enter(Person.systemPassword)
    _ = try protection.end()
    try person.run("lock").succeeded()
    let url = person.backend.url + "/auth/me"
    // The stored token needs no check. The refresh after a 401 does.
    try person.run("request", url).succeeded()
    try person.backend.advanceClock()
    #expect(try person.run("request", url).end == .exited(7))
    let request = try person.terminal("request", url)
    try request.expect("assword")
    try request.enter(Person.systemPassword)
    #expect(try request.end().contains("me@example.org"))
    // `whoami` needs a check as well.
    try person.backend.advanceClock()
    #expect(try person.run("whoami").end == .exited(7))
  }

  @Test
  func doctorNamesAnEngineThatIsOfAnotherVersion() throws {
    let person = try Person()
    try person.shell("mkdir -p -m 700 \(person.state)").end.isSuccess()
    // A fake engine that answers with another version.
    let engine = try person.shell(
      """
      setsid /usr/bin/python3 -c '
      import json, os, socket, sys, threading
      s = socket.socket(socket.AF_UNIX); os.chdir(sys.argv[1]); s.bind("engine"); s.listen()
      if os.fork(): os._exit(0)
      for n in (0, 1, 2): os.close(n)
      peer, _ = s.accept()
      while True:
        call = peer.recv(65536)
        if not call: break
        reply = {"parameters": {"form": "private", "version": "0.0.1", "process": 42,
          "device_secret": "file", "memory": "secret", "unlocked": False, "unlocked_accounts": [],
          "enrolled_fingers": [], "fingerprint_locked_out": False}}
        if b"GetStatus" not in call:
          reply = {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": "Examine"}}
        peer.send(json.dumps(reply).encode() + bytes(1))
      ' \(person.state)
      """
    )
    #expect(engine.end == .exited(0), "\(engine.text)")
    let outcome = try person.run("doctor")
    #expect(outcome.end == .exited(6))
    #expect(outcome.text.contains("version 0.0.1") && outcome.text.contains("kill 42"))
    #expect(outcome.text.contains("does not understand"))
  }
}

extension ProcessEnd {
  fileprivate func isSuccess() throws {
    try #require(self == .exited(0))
  }
}
