import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// Root removes the account of a person who cannot pass a check, and the vault of a person who has
/// left.
@Suite(.serialized)
struct UserRemovalTests {
  /// Runs a command as root.
  private func root(_ bench: ServiceBench, _ arguments: String...) throws -> (String, ProcessEnd) {
    try output(
      of: bench.programs + "/thumblatch",
      ["user", "remove"] + arguments,
      environment: ["THUMBLATCH_SOCKET=\(bench.socket)", "PATH=/usr/bin:/bin", "HOME=/root"]
    )
  }

  @Test
  func oneAccountIsRemovedWithoutItsPersonAndTheirAuditLogSaysSo() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(withSessions: true)
    let person = try Customer(bench, backend: backend)
    try person.register("me")
    try person.register("work")
    try person.enroll()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    // There is no terminal, and a removal needs a check by the person.
    let alone = try person.run("account", "remove", "me", "--yes", "--local")
    #expect(alone.end == .exited(7), "\(alone)")
    let (said, end) = try root(bench, person.user.name, "me", "--yes")
    #expect(end == .exited(0), "\(said)")
    #expect(said.contains("Nothing was revoked") && said.contains("me at dev"), "\(said)")
    let list = try person.run("account", "list").succeeded()
    #expect(list.contains("work") && !list.contains("me "), "\(list)")
    #expect(try backend.count("sessions") == 2)
    let trail = try person.run("audit").succeeded()
    #expect(trail.contains("account-removed") && trail.contains("by root"), "\(trail)")
    #expect(try person.run("audit", "verify").end == .exited(0))
    #expect(bench.log.contains("account me of user \(person.user.user) at dev was removed by root"))
    let (missing, why) = try root(bench, person.user.name, "me", "--yes")
    #expect(why == .exited(9), "\(missing)")
  }

  @Test
  func aWholeVaultGoesWithWhatIsOpenInIt() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(withSessions: true)
    let person = try Customer(bench, backend: backend)
    let other = try Customer(bench, isSecond: true, backend: backend)
    try person.register()
    try other.register()
    try person.enroll()
    let unlock = try person.terminal("unlock")
    try unlock.expect("Touch the fingerprint reader")
    try person.touch()
    try unlock.end()
    let asked = try person.terminal("presence", "test")
    try asked.expect("Touch the fingerprint reader")
    let engine = try #require(bench.engine)
    let (said, end) = try root(bench, "\(person.user.user)", "--yes", "--json")
    #expect(end == .exited(0), "\(said)")
    #expect(said.contains(#""account":"me","provider":"dev","grant":"valid""#), "\(said)")
    #expect(said.contains(#""on_reader":null"#), "\(said)")
    // The open prompt in it no longer gets an answer.
    #expect(try asked.child.wait() != .exited(0))
    #expect(try !Directory(path: bench.state + "/users").contains("\(person.user.user)"))
    #expect(try Directory(path: bench.state + "/users").names().count == 1)
    let line = "the vault of user \(person.user.user) (\(person.user.name)), accounts me at dev,"
    #expect(bench.log.contains(line + " was removed by root"), "\(bench.log)")
    // Its user begins with an empty vault, and other users notice nothing.
    #expect(try person.run("account", "list").succeeded().contains("no accounts yet"))
    let status = try person.run("status", "--json").succeeded()
    #expect(status.contains(#""unlocked":false"#))
    #expect(try other.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(bench.engine == engine)
  }

  @Test
  func aUserWhoIsGoneIsFoundByTheNameOrTheNumberOfTheVault() throws {
    let backend = try DevBackend()
    for byName in [true, false] {
      let bench = try ServiceBench(withOwnNames: true)
      let person = try Customer(bench, backend: backend)
      try person.run("status").succeeded()
      try bench.rename(person.user.name, to: "somebody")
      #expect(try person.run("status").end == .exited(6))
      let user = byName ? person.user.name : "\(person.user.user)"
      let (said, end) = try root(bench, user, "--yes")
      #expect(end == .exited(0), "\(said)")
      #expect(try Directory(path: bench.state + "/users").names().isEmpty)
      // The uid's new owner is served now.
      #expect(try person.run("status").end == .exited(0))
      let (nobody, code) = try root(bench, "nobody-at-all", "--yes")
      #expect(code == .exited(9) && nobody.contains("nobody-at-all has no vault here"), "\(nobody)")
    }
  }

  /// The command checks its own uid only as a courtesy.
  ///
  /// The engine decides by the uid that the kernel reports.
  @Test
  func onlyRootRemovesAnything() throws {
    let bench = try ServiceBench()
    let person = try Customer(bench)
    let other = try Customer(bench, isSecond: true)
    try other.run("status").succeeded()
    let refused = try person.run("user", "remove", other.user.name, "--yes")
    #expect(refused.end == .exited(11), "\(refused)")
    let answer = try person.shell(
      """
      python3 -c "
      import socket, sys
      vault = socket.socket(socket.AF_UNIX)
      vault.connect('\(bench.socket)')
      vault.sendall(b'{\\"method\\":\\"io.thumblatch.Vault.RemoveUser\\",\\"parameters\\":'
                    b'{\\"user\\":\\"\(other.user.user)\\"}}\\0')
      print(vault.recv(4096).decode())
      "
      """
    )
    #expect(answer.text.contains("io.thumblatch.Vault.Refused"), "\(answer)")
    #expect(try Directory(path: bench.state + "/users").contains("\(other.user.user)"))
  }

  @Test
  func aRemovalThatWasCutShortIsFinishedByTheNextEngine() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    try person.register()
    try bench.endEngine()
    let users = bench.state + "/users"
    try shell("mv \(users)/\(person.user.user) \(users)/.removed-\(person.user.user)-4711")
    #expect(try person.run("account", "list").succeeded().contains("no accounts yet"))
    #expect(try Directory(path: users).names() == ["\(person.user.user)"])
  }

  @Test
  func aPrivateVaultIsRemovedWithItsDirectory() throws {
    let person = try Someone()
    let refused = try person.run("--private", "user", "remove", person.user.name, "--yes")
    #expect(refused.end == .exited(2) && refused.text.contains("directory"), "\(refused)")
  }
}
