import Glibc
import System
import TestSupport
import Testing

/// The helpers of other tools with the real engine, with failures or many calls at once.
@Suite(.serialized)
struct ToolHelperTests {
  private static let request = "protocol=https\nhost=git.example.org\n\n"

  /// A person with the account `me` for a host.
  private func person() throws -> Person {
    let person = try Person()
    try person.register()
    try person.run("host", "add", "git.example.org", "me").succeeded()
    return person
  }

  @Test
  func manyToolsAtOnceCauseOneRefresh() throws {
    let person = try person()
    try person.expireTokens()
    try person.backend.clear()
    let text = try person.shell(
      """
      export PATH=\(person.programs):$PATH
      for number in 1 2 3 4 5 6 7 8 9 10; do
        printf '\(Self.request.replacing("\n", with: "\\n"))' | git-credential-thumblatch get &
        printf git.example.org | docker-credential-thumblatch get &
        echo '{"uri":"https://git.example.org/"}' | bazel-credential-thumblatch get &
        terraform-credentials-thumblatch get git.example.org &
      done
      wait
      """
    ).succeeded()
    let tokens = Set(text.matches(of: /at_[A-Za-z0-9_-]+/).map { String($0.output) })
    #expect(text.matches(of: /at_/).count == 40 && tokens.count == 1, "\(text.count)")
    #expect(try person.backend.requests().map(\.path) == ["/auth/refresh"])
  }

  /// Otherwise another login under the old name would serve the host.
  @Test
  func aHostFollowsItsAccount() throws {
    let person = try person()
    let renamed = try person.run("account", "rename", "me", "work").succeeded()
    #expect(renamed.contains("git.example.org gets tokens of work from now on"))
    try person.register("other")
    try person.run("account", "rename", "other", "me").succeeded()
    let token = try person.run("token", "work").succeeded()
    let given = try person.run("git-credential", "get", input: Self.request).succeeded()
    #expect(given.contains("password=\(token)"), "\(given)")
    let removed = try person.run("account", "remove", "work", "--yes").succeeded()
    #expect(removed.contains("git.example.org no longer gets a token"))
    #expect(try person.run("git-credential", "get", input: Self.request).succeeded() == "")
    #expect(try person.run("host", "list").succeeded().contains("no hosts yet"))
  }

  /// The desktop is looked for with libsystemd, which takes longer than the calls.
  @Test
  func forAValidTokenTheDesktopIsNotLookedFor() throws {
    let person = try person()
    // The front answers such calls. Also the program that answers the others looks for none.
    let commands = [
      "printf '\(Self.request.replacing("\n", with: "\\n"))' | thumblatch-cli git-credential get",
      "printf git.example.org | thumblatch-cli docker-credential get",
      "thumblatch-cli kube-credential me",
    ]
    for command in commands {
      // ld.so(8): the names of the files that are loaded.
      let text = try person.shell(
        "export PATH=\(person.programs):$PATH LD_DEBUG=files; (\(command)) 2>&1"
      ).succeeded()
      #expect(text.contains("at_") && text.contains("libc.so"), "\(text.count)")
      #expect(!text.contains("libsystemd"), "\(command)")
    }
  }

  @Test
  func aHelperThatIsKilledInTheMiddleLosesNothing() throws {
    let person = try person()
    try person.expireTokens()
    try person.backend.clear()
    try person.backend.fail(.init("/auth/refresh", hold: true))
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    try ours.write(Self.request)
    ours.shutDown()
    let run = try person.start(["git-credential", "get"], input: theirs.number)
    try person.backend.waitForRequests("/auth/refresh")
    let helpers = processes(in: person.programs, named: "thumblatch-cli")
    #expect(helpers.count == 1)
    for helper in helpers { kill(helper, SIGKILL) }
    #expect(try run.text() == "")
    try person.backend.release()
    let get = try person.run("git-credential", "get", input: Self.request)
    #expect(try get.succeeded().contains("password=at_"))
  }

  /// A helper, its arguments, and its request.
  @Test(arguments: [
    (["docker-credential", "get"], "git.example.org"),
    (
      ["cargo-credential", "--cargo-plugin"],
      #"{"v":1,"kind":"get","registry":{"index-url":"sparse+https://git.example.org"}}"# + "\n"
    ),
    (["token", "me", "--helper"], ""),
  ])
  func anyHelperThatIsKilledInTheMiddleLosesNothing(_ words: [String], _ request: String) throws {
    let person = try person()
    try person.expireTokens()
    try person.backend.clear()
    try person.backend.fail(.init("/auth/refresh", hold: true))
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    try ours.write(request)
    ours.shutDown()
    let run = try person.start(words, input: theirs.number)
    try person.backend.waitForRequests("/auth/refresh")
    let helpers = processes(in: person.programs, named: "thumblatch-cli")
    for helper in helpers + [run.child.identifier] { kill(helper, SIGKILL) }
    #expect(try !run.text().contains("at_"))
    #expect(try run.child.wait() != .exited(0))
    try person.backend.release()
    #expect(try person.run(words, input: request).succeeded().contains("at_"))
    // The engine has kept the answer to the first request.
    #expect(try person.backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
  }

  /// Makes the account `me` one whose next token needs a touch.
  private func protect(_ person: Person) throws {
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
  }

  @Test(arguments: ["token me --helper", "headers me --helper", "kube-credential me"])
  func withoutADesktopNothingIsAskedAtTheTerminal(_ words: String) throws {
    let person = try person()
    try protect(person)
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [
        "/bin/sh", "-c",
        "\(person.programs)/thumblatch \(words) </dev/null >~/answer 2>~/said; echo ended: $?",
      ],
      environment: person.environment,
      columns: 80
    )
    try terminal.expect("ended: 7")
    let shown = try terminal.end()
    #expect(!shown.contains("Touch") && !shown.contains("assword"), "\(shown)")
    #expect(!person.readerIsOpen)
    #expect(try person.shell("cat ~/answer").text == "")
    let said = try person.shell("cat ~/said").text
    #expect(said.contains("thumblatch: error: ") && said.contains("unlock me"), "\(said)")
  }

  /// Some tools run their helper without any variable.
  @Test
  func withoutVariablesAHelperFindsTheVaultOfItsUser() throws {
    let person = try person()
    let token = try person.run("token", "me").succeeded()
    // The user database names a home directory that does not exist.
    let script = """
      home=$(getent passwd \(person.user.name) | cut -d: -f6)
      mount -t tmpfs -o mode=755 none $(dirname $home)
      mkdir $home; mount --bind \(person.home) $home
      exec /usr/bin/setpriv \(person.become.joined(separator: " ")) /usr/bin/env -i "$@"
      """
    let words = ["/usr/bin/unshare", "--mount", "/bin/sh", "-ec", script, "sh"]
    for isRunning in [true, false] {
      if !isRunning { try person.endEngine() }
      let helper = [person.programs + "/thumblatch", "token", "me", "--helper"]
      let given = try person.run(by: words, helper)
      #expect(try given.succeeded() == token)
    }
    let helper = person.programs + "/terraform-credentials-thumblatch"
    let given = try person.run(by: words, [helper, "get", "git.example.org"])
    #expect(try given.succeeded().contains(token.dropLast()))
  }

  @Test
  func aPromptIsShownAtTheDesktopWhileTheTerminalIsTheTools() throws {
    let person = try person()
    try protect(person)
    let desk = try Desk(of: person)
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [
        "/bin/sh", "-c",
        """
        printf 'protocol=https\\nhost=git.example.org\\n' |
          \(person.programs)/git-credential-thumblatch get >~/answer; echo ended: $?
        """,
      ],
      environment: person.environment + desk.variables,
      columns: 80
    )
    try desk.sees("git at git.example.org")
    try person.touch()
    try terminal.expect("ended: 0")
    let shown = try terminal.end()
    #expect(!shown.contains("Touch") && !shown.contains("at_"), "\(shown)")
    #expect(try person.shell("cat ~/answer").text.contains("password=at_"))
  }
}
