import Glibc
import System
import TestSupport
import Testing

/// The programs in sandboxes that map only their user, so that root's files have another owner
/// there.
@Suite(.serialized)
struct SandboxTests {
  @Test
  func anAccountOfThePrivateVaultIsUsedInASandbox() throws {
    let person = try Person()
    try person.register()
    let token = try person.run("token", "me").succeeded()
    #expect(try person.inBubblewrap("token", "me").succeeded() == token)
    #expect(try person.inBubblewrap("token", "--private").succeeded() == token)
    // The JSON form has no ages. Ages change during a slow run.
    let list = try person.inBubblewrap("account", "list", "--json", "--private").succeeded()
    #expect(list.contains("\"me\""), "\(list)")
    // An engine starts in the sandbox.
    try person.endEngine()
    #expect(try person.inBubblewrap("account", "list", "--json").succeeded() == list)
    // So does an exchange helper. It cannot see that root serves the port of the provider.
    try person.expireTokens()
    let refused = try person.inBubblewrap("token", "me")
    #expect(refused.end == .exited(5), "\(refused)")
    #expect(refused.text.contains("the user whose program listens"), "\(refused)")
    let newer = try person.run("token", "me").succeeded()
    #expect(newer.hasPrefix("at_") && newer != token)
  }

  /// The words that run a command as a person, or by other words, with the programs installed in
  /// `/usr`.
  private func installed(_ person: Someone, by words: [String]? = nil) -> [String] {
    let mounts = """
      mount -t tmpfs -o mode=755 none /usr/libexec; mkdir \(Someone.installed)
      mount --bind \(person.programs) \(Someone.installed); exec "$0" "$@"
      """
    // The end of the command ends an engine that it starts.
    let unshare = [
      "/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
    ]
    return unshare + ["/bin/sh", "-ec", mounts] + (words ?? person.running)
  }

  @Test
  func unshareMakesSuchASandbox() throws {
    let person = try Person()
    try person.register()
    let token = try person.run("token", "me").succeeded()
    let map = "--map-user=\(person.user.user)"
    let words = installed(person) + ["/usr/bin/unshare", "--user", map]
    let program = Someone.installed + "/thumblatch"
    #expect(try person.run(by: words, [program, "token", "me"]).succeeded() == token)
    let list = try person.run(by: words, [program, "account", "list"]).succeeded()
    #expect(list.contains("me"), "\(list)")
  }

  /// The accounts belong to the number that the user has elsewhere.
  @Test
  func withoutTheUsersOwnNumberThePrivateVaultIsNotUsed() throws {
    let person = try Person()
    try person.register()
    let program = Someone.installed + "/thumblatch"
    let words = installed(person, by: person.namespace(""))
    let refused = try person.run(by: words, [program, "account", "list"])
    #expect(refused.end == .exited(6), "\(refused)")
    #expect(refused.text.contains("map your own user in the sandbox"), "\(refused)")
  }

  @Test
  func theRecipeOfThePageWorks() throws {
    let person = try Person()
    try person.register("work")
    let recipe = try ToolRecipe("USE IT IN A SANDBOX", host: "", programs: Someone.installed)
    let script = "set -eu; cd; PATH=\(Someone.installed):$PATH; \(recipe.script)"
    let token = try person.run(by: installed(person), ["/bin/sh", "-c", script]).succeeded()
    #expect(try person.run("token", "work").succeeded() == token)
  }

  /// The owner of the running program's directory has chosen that program, too.
  @Test
  func programsBesideTheRunningOneAreUsed() throws {
    let person = try Person()
    let options = ["--tmpfs", "/srv", "--ro-bind", person.programs, "/srv/thumblatch/bin"]
    let words = person.bubblewrap(options + ["--tmpfs", "/usr/libexec"])
    try person.run(by: words, ["/srv/thumblatch/bin/thumblatch", "--version"]).succeeded()
  }

  @Test
  func gitGetsTheTokenInASandbox() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me").succeeded()
    let script = """
      export PATH=\(Someone.installed):$PATH GIT_CONFIG_NOSYSTEM=1 GIT_SSL_CAINFO=\(server.authority)
      git -c credential.helper=thumblatch ls-remote https://\(server.host)/git/app.git
      """
    try person.run(by: person.bubblewrap(), ["/bin/sh", "-ec", script]).succeeded()
    #expect(try server.log().contains { $0.hasPrefix("200 Basic oauth2 /git/app.git/info/refs") })
  }

  @Test
  func theServiceIsUsedInASandbox() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    try person.register()
    let token = try person.run("token", "me").succeeded()
    let service = [
      "--tmpfs", "/run", "--ro-bind", bench.directory, "/run/thumblatch",
      "--unsetenv", "THUMBLATCH_SOCKET",
    ]
    let list = try person.inBubblewrap("account", "list", options: service).succeeded()
    #expect(list.contains("me"), "\(list)")
    // The front asks the service itself: there is no command-line program.
    let alone = service + ["--ro-bind", "/bin/false", Someone.installed + "/thumblatch-cli"]
    #expect(try person.inBubblewrap("token", "me", options: alone).succeeded() == token)
  }
}
