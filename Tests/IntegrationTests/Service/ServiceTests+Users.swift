import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// Users without a vault, and uids that get another user.
extension ServiceTests {
  @Test
  func aUidThatWasGivenToAnotherUserOpensNothing() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    let other = try Customer(bench, isSecond: true, backend: backend)
    try person.register()
    for change in ["echo somebody >\(person.state)/owner", "rm \(person.state)/owner"] {
      try bench.endEngine()
      try shell(change)
      let refused = try person.run("token", "me")
      #expect(refused.end == .exited(6), "\(refused)")
      #expect(refused.text.contains("root decides"), "\(refused)")
      #expect(refused.text.contains("\(person.state)/owner"), "\(refused)")
      // Other users are not affected.
      #expect(try other.run("status").end == .exited(0))
    }
    // Root has decided. The running engine looks again.
    try shell("echo \(person.user.name) >\(person.state)/owner; chmod 644 \(person.state)/owner")
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test
  func aUidThatIsGivenToAnotherUserGetsNothingOfAnOpenVault() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(withSessions: true, withOwnNames: true)
    let person = try Customer(bench, backend: backend)
    let other = try Customer(bench, isSecond: true, backend: backend)
    try person.register()
    try person.enroll()
    let unlock = try person.terminal("unlock")
    try unlock.expect("Touch the fingerprint reader to unlock")
    try person.touch()
    try unlock.end()
    let asker = try person.terminal("presence", "test")
    try asker.expect("Touch the fingerprint reader")
    let engine = try #require(bench.engine)
    // A token is in the cache, so no prompt is needed for it.
    try person.run("token", "me").succeeded()
    try bench.rename(person.user.name, to: "somebody")
    for arguments in [["token", "me"], ["status"], ["account", "list"]] {
      let refused = try person.run(arguments)
      #expect(refused.end == .exited(6), "\(refused)")
      #expect(refused.text.contains("was made for \(person.user.name)"), "\(refused)")
      #expect(refused.text.contains("root decides"), "\(refused)")
    }
    // A prompt of the previous user is not answered by the new one.
    #expect(try asker.child.wait() != .exited(0))
    #expect(try other.run("status").end == .exited(0))
    try bench.rename("somebody", to: person.user.name)
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try person.run("status", "--json").succeeded().contains(#""unlocked":false"#))
    #expect(bench.engine == engine)
    let trail = try person.run("audit").succeeded()
    #expect(trail.contains("the uid has another user name"), "\(trail)")
  }

  @Test
  func aConnectionThatIsKeptEndsWhenItsUsersNameIsSeenToBeAnothers() throws {
    let bench = try ServiceBench(withOwnNames: true)
    let kept = try bench.connect()
    try kept.call(GetStatusCall())
    // The look that opened the vault does not count for a list that was written later.
    try shell("touch \(bench.base)/etc/passwd")
    try kept.call(GetStatusCall())
    try bench.rename("root", to: "somebody")
    // The connection's own look has been made.
    try kept.call(GetStatusCall())
    let late = try bench.connect()
    guard case .vaultUnsafe(let message, _)? = try late.failure(GetStatusCall()) else {
      Issue.record("it was served")
      return
    }
    #expect(message.contains("made for root") && message.contains("somebody now"), "\(message)")
    #expect(try kept.reply() == nil)
    #expect(try late.failure(GetStatusCall()) != nil)
    // Root decides that it is the same person.
    try shell("echo somebody >\(bench.state)/users/0/owner")
    try late.call(GetStatusCall())
  }

  /// The list of users is a pipe at first, so that a lookup blocks.
  ///
  /// After the end of the pipe, the look reads the list (nsswitch.conf(5)).
  @Test
  func aUserDatabaseThatHangsDelaysOnlyUnknownUsers() throws {
    let bench = try ServiceBench(withOwnNames: true)
    try shell("echo passwd: files files >\(bench.base)/etc/nsswitch.conf")
    let kept = try bench.connect()
    try kept.call(GetAccountCall())
    // Then a look of the connection's own has been made.
    try shell("touch \(bench.base)/etc/passwd")
    try kept.call(GetAccountCall())
    try shell(
      """
      cd \(bench.base); cp -p etc/passwd list
      mkfifo names; chmod 644 names; ln names pipe; mv -f pipe etc/passwd
      """
    )
    // Connections are accepted in order: all callers have come when the last one is answered.
    let newcomers = """
      import socket, sys
      def connect(method):
          s = socket.socket(socket.AF_UNIX)
          s.connect(sys.argv[1])
          s.sendall(b'{"method":"%s"}\\0' % method)
          return s
      def is_open(s):
          try:
              return s.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) != b""
          except ConnectionResetError:
              return False
          except BlockingIOError:
              return True
      callers = [connect(b"io.thumblatch.Vault.GetAccount") for _ in range(80)]
      assert b"parameters" in connect(b"org.varlink.service.GetInfo").recv(65536)
      print(sum(map(is_open, callers)), flush=True)
      print(b'"error"' not in callers[-1].recv(65536))
      """
    let user = try ServiceBench.users.get().second.user
    let run = try Run(
      "/usr/bin/setpriv",
      ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", newcomers]
        + [bench.socket],
      environment: ["PATH=/usr/bin:/bin"]
    )
    try run.waitForOutput()
    try kept.call(GetAccountCall())
    try shell("cd \(bench.base); mv -f list etc/passwd; : 1<>names")
    let said = try run.text().split(separator: "\n")
    // The strangers' share is 64 at most. A person's is twice as large.
    #expect((1...64).contains(Int(said.first ?? "") ?? 0), "\(said)")
    // Now the user is a person, and the call that waited is answered.
    #expect(said.last == "True", "\(said)")
    #expect(try run.child.wait() == .exited(0))
  }

  @Test(arguments: [
    (UInt32(61184), "dynamic"), (65519, "dynamic"), (65534, "not known here"),
    (48_123, "has no name"),
  ])
  func systemUsersHaveNoVault(_ user: UInt32, _ why: String) throws {
    let bench = try ServiceBench()
    let program = bench.programs + "/thumblatch"
    let (text, end) = try output(
      of: "/usr/bin/setpriv",
      ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program, "token", "me"],
      environment: ["PATH=/usr/bin:/bin", "THUMBLATCH_SOCKET=\(bench.socket)", "HOME=/nonexistent"]
    )
    #expect(end == .exited(11) && text.contains(why), "\(text)")
    // The connection is closed as well: the second call has no answer.
    let two = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      s.sendall(b'{"method":"io.thumblatch.Vault.GetStatus"}\\0' * 2)
      answer = b""
      while part := s.recv(65536):
          answer += part
      print(answer.count(b"\\0"))
      """
    let (count, _) = try output(
      of: "/usr/bin/setpriv",
      [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "python3", "-c", two, bench.socket,
      ],
      environment: ["PATH=/usr/bin:/bin"]
    )
    #expect(count == "1\n")
    #expect(try Directory(path: bench.state + "/users").names().isEmpty)
  }

  /// The engine waits for the end of an open window, and does not ask without a pause for its own
  /// end.
  @Test
  func anIdleEngineThatStaysForAWindowUsesNoProcessor() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(idle: 1, withSessions: true)
    let person = try Customer(bench, backend: backend)
    try person.register()
    try person.enroll()
    let unlock = try person.terminal("unlock")
    try unlock.expect("Touch the fingerprint reader to unlock")
    try person.touch()
    try unlock.end()
    let engine = try #require(bench.engine)
    let used = try processorTicks(of: engine)
    #expect(try !ProcessHandle(identifier: engine).waitForEnd(milliseconds: 5000))
    #expect(try processorTicks(of: engine) - used < 60)
  }
}
