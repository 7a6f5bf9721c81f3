import Glibc
import System
import TestSupport
import Testing

/// The front's answers to tools, with a stand-in for the command-line program that prints its
/// arguments and its input.
@Suite
struct ToolFrontTests {
  private static let git = "protocol=https\nhost=git.example.org\n\n"
  private static let hosts = "[git.example.org]\naccount = work\n"
  private let fixture: FrontFixture

  init() throws {
    fixture = try FrontFixture()
    try fixture.writeToken(lifetime: 3600, isForAnyHost: true)
    try fixture.shell(
      """
      mkdir -m 755 \(fixture.root)/thumblatch
      for tool in git docker cargo bazel; do
        ln -s thumblatch \(fixture.root)/bin/$tool-credential-thumblatch
      done
      ln -s thumblatch \(fixture.root)/bin/terraform-credentials-thumblatch
      printf '%s\\n' '#!/bin/sh' 'printf "cli %s\\n" "$*"' 'exec cat' >\(fixture.cli)
      """
    )
    try write("thumblatch/hosts.conf", Self.hosts)
  }

  private func write(_ name: String, _ text: String) throws {
    let parts = "\(fixture.root)/\(name)".split(separator: "/").map(String.init)
    let directory = try Directory(path: "/" + parts.dropLast().joined(separator: "/"))
    try directory.unlink(parts[parts.count - 1])
    try directory.create(parts[parts.count - 1]).write(text)
  }

  /// Runs a helper by a shell, with a file as its input.
  private func run(
    _ words: String,
    input: String = "",
    variables: String = ""
  ) throws -> FrontFixture.Outcome {
    try write("input", input)
    return try fixture.run(
      "/bin/sh",
      ["-c", "cd \(fixture.root)/bin; \(variables) exec ./\(words) <../input"],
      environment: fixture.environment + ["HOME=/nonexistent", "XDG_CONFIG_HOME=\(fixture.root)"]
    )
  }

  @Test(arguments: [
    ("git-credential-thumblatch get", git, "password=the-token\npassword_expiry_utc=1790000000\n"),
    ("thumblatch git-credential get", git, "username=oauth2\npassword=the-token\n"),
    ("docker-credential-thumblatch get", "git.example.org", #""Secret":"the-token"}"#),
    (
      "bazel-credential-thumblatch get", #"{"uri":"grpcs://git.example.org/x"}"#,
      #"{"headers":{"Authorization":["Bearer the-token"]},"expires":"2026-09-21T"#
    ),
    ("terraform-credentials-thumblatch get git.example.org", "", #"{"token":"the-token"}"#),
    ("thumblatch terraform-credential get git.example.org", "", #"{"token":"the-token"}"#),
    (
      "cargo-credential-thumblatch --cargo-plugin",
      #"{"v":1,"kind":"get","registry":{"index-url":"sparse+https://git.example.org/i/"}}"#,
      "{\"v\":[1]}\n{\"Ok\":{\"kind\":\"get\",\"token\":\"Bearer the-token\",\"cache\":\"expires\""
    ),
  ])
  func aValidTokenComesFromTheFile(_ words: String, _ input: String, _ part: String) throws {
    let outcome = try run(words, input: input)
    #expect(outcome.end == .exited(0) && outcome.errors == "", "\(outcome)")
    #expect(outcome.output.contains(part) && !outcome.output.contains("cli"), "\(outcome)")
  }

  /// A request that the front does not answer reaches the command-line program unchanged.
  @Test(arguments: [
    "protocol=https\nhost=other.example.org\n", "protocol=http\nhost=git.example.org\n",
    "protocol=https\nhost=git.example.org.\n", "protocol=https\nhost=git.example.org:444\n",
    "protocol=https\nhost=git.example.org/x\n", "protocol=https\nhost=a@git.example.org\n",
    "protocol=https\n", "host=git.example.org\n", "", "\n", "protocol", "{}",
    "protocol=https\nhost=git.example.org\u{0}\n", "protocol=https\nhost=git.example.org\u{E9}\n",
    "p\u{0}r\u{0}o\u{0}t\u{0}o\u{0}c\u{0}o\u{0}l\u{0}=\u{0}",
    "protocol=https\nhost=" + String(repeating: "g", count: 70_000) + "\n",
    "protocol=https\nhost=git.example.org\n" + String(repeating: "x", count: 1_000_000) + "\n",
  ])
  func aRequestThatIsNotAnsweredArrivesWhole(_ request: String) throws {
    let outcome = try run("git-credential-thumblatch get", input: request)
    let isSame = outcome == answered("cli get\n" + request)
    #expect(isSame, "\(outcome.output.prefix(200)) \(outcome.errors)")
  }

  @Test
  func anEmptyLineEndsARequestOfGit() throws {
    try fixture.shell("mkfifo \(fixture.root)/open")
    let outcome = try fixture.run(
      "/bin/sh",
      [
        "-c",
        """
        cd \(fixture.root)/bin; exec 3<>../open
        printf '\(Self.git.replacing("\n", with: "\\n"))' >&3
        exec /usr/bin/timeout 120 ./git-credential-thumblatch get <../open
        """,
      ],
      environment: fixture.environment + ["HOME=/nonexistent", "XDG_CONFIG_HOME=\(fixture.root)"]
    )
    #expect(outcome.end == .exited(0) && outcome.output.contains("password=the-token"))
  }

  @Test
  func aTokenOfAWebLoginAtDockerHubIsLeftToTheCommandProgram() throws {
    try write("thumblatch/hosts.conf", "[index.docker.io]\naccount = work\n")
    let hub = "https://index.docker.io/v1/"
    #expect(try run("docker-credential-thumblatch get", input: hub).output.contains("the-token"))
    for name in ["access-token", "refresh-token"] {
      let outcome = try run("docker-credential-thumblatch get", input: hub + name)
      #expect(outcome == answered("cli get\n" + hub + name))
    }
  }

  @Test
  func ofARequestThatIsTooLongEnoughArrivesThatItIsRefused() throws {
    let request = String(repeating: "protocol=https\n", count: 200_000)
    let outcome = try run("git-credential-thumblatch get", input: request)
    let text = outcome.output.dropFirst("cli get\n".count)
    #expect(text.utf8.count > 1 << 20 && request.hasPrefix(text))
  }

  @Test(arguments: [
    "git-credential-thumblatch store", "git-credential-thumblatch erase",
    "git-credential-thumblatch", "git-credential-thumblatch get x",
    "git-credential-thumblatch --json get", "thumblatch --private git-credential get",
    "docker-credential-thumblatch list", "bazel-credential-thumblatch GET",
    "terraform-credentials-thumblatch get", "terraform-credentials-thumblatch get --help",
    "terraform-credentials-thumblatch get other.example.org",
    "terraform-credential get git.example.org", "thumblatch kube-credential work --scope a",
    "thumblatch kube-credential Work", "cargo-credential-thumblatch",
  ])
  func otherWordsAreLeftToTheCommandProgram(_ words: String) throws {
    try fixture.shell("ln -sf thumblatch \(fixture.root)/bin/terraform-credential")
    let outcome = try run(words, input: Self.git)
    let rest = words.split(separator: " ").dropFirst().joined(separator: " ")
    #expect(outcome == answered("cli \(rest)\n\(Self.git)"))
  }

  /// After each change, the command-line program examines the files and reports or refuses.
  @Test(arguments: [
    ("chmod 666 thumblatch/hosts.conf", ""), ("chmod 664 thumblatch/hosts.conf", ""),
    ("rm thumblatch/hosts.conf", ""), ("mkfifo f; mv f thumblatch/hosts.conf", ""),
    ("echo '[git.example.org]' >>thumblatch/hosts.conf", ""),
    ("echo 'unknown = 1' >>thumblatch/hosts.conf", ""),
    ("echo 'min-ttl = 2h' >>thumblatch/hosts.conf", ""),
    ("echo 'scope = read' >>thumblatch/hosts.conf", ""),
    ("echo 'audience = x' >>thumblatch/hosts.conf", ""),
    ("sed -i s/work/other/ thumblatch/hosts.conf", ""), ("rm state/tokens/work", ""),
    ("chmod 644 state/tokens/work", ""), ("chmod 755 state", ""),
    ("true", "HOME="), ("true", "THUMBLATCH_SOCKET=/run/other"),
    ("true", "XDG_CONFIG_HOME=/nonexistent"),
  ])
  func whatIsNotRightIsLeftToTheCommandProgram(_ change: String, _ variables: String) throws {
    try fixture.shell("cd \(fixture.root); \(change)")
    let outcome = try run("git-credential-thumblatch get", input: Self.git, variables: variables)
    #expect(outcome == answered("cli get\n" + Self.git))
  }

  @Test
  func aTokenThatIsNotForAnyHostOrOverIsNotGiven() throws {
    for (lifetime, isForAnyHost) in [(3600, false), (5, true), (-5, true)] {
      try fixture.writeToken(lifetime: Int64(lifetime), isForAnyHost: isForAnyHost)
      let outcome = try run("git-credential-thumblatch get", input: Self.git)
      #expect(outcome == answered("cli get\n" + Self.git))
    }
  }

  @Test
  func aConversationWithCargoGoesOnInTheCommandProgram() throws {
    let registry = #""registry":{"index-url":"sparse+https://git.example.org/"}"#
    let get = #"{"v":1,"kind":"get",\#(registry)}"# + "\n"
    let rest = #"{"v":1,"kind":"login",\#(registry)}"# + "\n"
    try write(
      "bin/thumblatch-cli",
      """
      #!/bin/sh
      printf 'cli %s %s\\n' "$1" "$2"
      eval "cat <&$3"
      """
    )
    try fixture.shell("chmod 755 \(fixture.cli)")
    let outcome = try run("cargo-credential-thumblatch --cargo-plugin", input: get + rest + get)
    let lines = outcome.output.split(separator: "\n", maxSplits: 2).map(String.init)
    #expect(lines.count == 3 && lines[0] == #"{"v":[1]}"# && lines[1].hasPrefix(#"{"Ok":"#))
    #expect(lines.last == "cli --cargo-plugin --continued\n" + rest + get)
  }

  @Test
  func aClosedDescriptorIsLeftToTheCommandProgram() throws {
    try write("bin/thumblatch-cli", "#!/bin/sh\necho cli >\(fixture.root)/called\n")
    try fixture.shell("chmod 755 \(fixture.cli)")
    for closed in ["<&-", ">&-"] {
      try fixture.shell(
        """
        cd \(fixture.root); rm -f called; export HOME=/ XDG_CONFIG_HOME=\(fixture.root)
        printf '\(Self.git.replacing("\n", with: "\\n"))' |
          bin/git-credential-thumblatch get \(closed) || true
        test -e called
        """
      )
    }
  }

  @Test
  func aReaderThatIsGoneIsAnError() throws {
    let outcome = try fixture.run(
      "/bin/sh",
      [
        "-c",
        "\(fixture.root)/bin/terraform-credentials-thumblatch get git.example.org >/dev/full",
      ],
      environment: fixture.environment + ["HOME=/nonexistent", "XDG_CONFIG_HOME=\(fixture.root)"]
    )
    #expect(outcome.end == .exited(1) && outcome.errors.contains("could not be written"))
  }
}
