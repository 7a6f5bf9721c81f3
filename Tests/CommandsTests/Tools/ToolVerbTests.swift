import SecretMemory
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// The helpers of other tools, each with a request of its tool on standard input.
struct ToolVerbTests {
  private static let hosts = """
    [git.example.org]
    account = work
    scope = write
    audience = forge
    min-ttl = 15m

    [registry.example.org:5000]
    account = work
    username = robot
    stored-by = docker

    [http://localhost:3000]
    account = dev

    """
  static let git = "protocol=https\nhost=git.example.org\n"

  /// Runs a line with these hosts; the terminal's settings must not change.
  func run(
    _ line: String,
    _ input: String,
    script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) throws -> Play {
    let home = try ProviderHome()
    try home.writeHosts(Self.hosts)
    let play = try home.run(line, input: Array(input.utf8), script: script)
    #expect(play.screen == "")
    return play
  }

  static func reply(_ expiresAt: Int? = 1_763_717_400) -> AccessTokenReply {
    AccessTokenReply(
      account: "work",
      accessToken: "at_1",
      tokenType: "Bearer",
      expiresAt: expiresAt,
      shorterThanRequested: false
    )
  }

  /// The engine gives a token.
  @Sendable
  static func give(_ stage: Stage) throws {
    try know(stage)
    _ = try stage.expect(AccessTokenCall.self)
    try stage.reply(reply())
  }

  /// The account signs in elsewhere, and the user named the host.
  static func know(_ stage: Stage) throws {
    try stage.knowTerms(issuer: "https://login.example.org")
    try stage.knowAccount(VerbTests.account)
  }

  // MARK: - git

  @Test
  func gitGetsTheTokenThatTheFileNames() throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      try Self.know(stage)
      let call = try stage.expect(AccessTokenCall.self)
      #expect(call.account == "work" && call.scope == "write" && call.audience == "forge")
      #expect(call.minimumLifetime == 900 && call.reason == "git at git.example.org")
      #expect(call.rejected == nil)
      try stage.reply(Self.reply())
    }
    #expect(play.code == .done && play.talk == "")
    #expect(play.out == "username=oauth2\npassword=at_1\npassword_expiry_utc=1763717400\n")
  }

  @Test(arguments: [
    "protocol=https\nhost=evil.net\n", "protocol=http\nhost=git.example.org\n",
    "protocol=https\nhost=git.example.org:8443\n", "protocol=https\nhost=localhost:3000\n",
    "protocol=https\nhost=git.example.org@evil.net\n",
    "protocol=https\nhost=git.example.org#@evil.net\n",
    "protocol=https\nhost=git.example.org/x\n", "protocol=cert\nhost=git.example.org\n",
    "protocol=https\nhost=git.example.org\r\n", "protocol=cert\nhost=\npath=k\n",
  ])
  func aHostThatTheUserDidNotNameGetsNothing(_ request: String) throws {
    for operation in ["get", "erase"] {
      let play = try run("git-credential \(operation)", request + "password=at_1\n\n")
      #expect(play.code == .done && play.out == "" && play.talk == "")
    }
  }

  @Test
  func aServerOfThisMachineMayBePlain() throws {
    let play = try run("git-credential get", "protocol=http\nhost=localhost:3000\n\n") { stage in
      try Self.know(stage)
      #expect(try stage.expect(AccessTokenCall.self).account == "dev")
      try stage.reply(Self.reply(nil))
    }
    #expect(play.out == "username=oauth2\npassword=at_1\n")
  }

  @Test
  func gitIsToldToAskNoPersonWhereThereIsNoToken() throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      try Self.know(stage)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "work", message: ""))
      try stage.knowAccount(VerbTests.account)
    }
    #expect(play.code == .loginRequired && play.out == "quit=1\n")
    #expect(play.talk.contains("login required for work"))
  }

  @Test
  func aRefusedTokenIsDroppedWithoutAPrompt() throws {
    let erase = Self.git + "username=oauth2\npassword=at_1\noauth_refresh_token=rt\n\n"
    let play = try run("git-credential erase", erase) { stage in
      let call = try stage.expect(AccessTokenCall.self)
      #expect(call.account == "work" && call.rejected == "at_1" && call.scope == "write")
      #expect(stage.saysItAsks == false && call.prompt == nil)
      try stage.needPresence(prompt: "")
      try stage.knowAccount(VerbTests.account)
    }
    #expect(play.code == .done && play.out == "" && play.talk == "")
  }

  @Test(arguments: ["store", "frobnicate"])
  func whatGitStoresIsLeftToOtherHelpers(_ operation: String) throws {
    let play = try run("git-credential \(operation)", Self.git + "username=u\npassword=hunter2\n") {
      if operation == "store" { try $0.knowAccount(VerbTests.account) }
    }
    #expect(play.code == .done && play.out == "" && play.talk == "")
  }

  /// No byte of a request is printed, because a password may be in it.
  @Test(arguments: [
    "password=hunter2\n", "protocol=https\nhost=a\npassword=hunter2\u{0}\n", "hunter2\n",
    "protocol=https\nhost=a\npassword=" + String(repeating: "hunter2", count: 10_000) + "\n",
  ])
  func aRequestThatIsNotOneIsAnErrorWithoutItsText(_ request: String) throws {
    for operation in ["get", "store", "erase"] {
      let play = try run("git-credential \(operation)", request)
      #expect(play.code == .usage && play.out == "")
      #expect(!play.talk.contains("hunter2"))
    }
  }

  // MARK: - docker

  @Test
  func dockerGetsTheTokenWithItsUserName() throws {
    let play = try run("docker-credential get", "registry.example.org:5000\n", script: Self.give)
    #expect(play.code == .done)
    #expect(
      play.out
        == #"{"ServerURL":"registry.example.org:5000","Username":"robot","Secret":"at_1"}"# + "\n"
    )
    let plain = try run("docker-credential get", "localhost:3000", script: Self.give)
    #expect(plain.out.contains(#""Username":"oauth2accesstoken""#))
  }

  @Test(arguments: [
    ("get", "evil.net", "credentials not found in native keychain\n"),
    ("get", "", "no credentials server URL\n"), ("get", "http://registry.example.org:5000", nil),
    ("get", "\u{0}", nil), ("frobnicate", "", nil), ("store", "{", nil),
    ("erase", "https://registry.example.org:5000/v2/", nil),
  ])
  func whatDockerCannotGetIsSaidOnStandardOutput(
    _ action: String,
    _ input: String,
    _ text: String?
  ) throws {
    let play = try run("docker-credential \(action)", input) {
      if input.hasSuffix("/v2/") { try $0.knowAccount(VerbTests.account) }
    }
    #expect(play.code.rawValue == 1 && play.talk == "")
    #expect(play.out.hasSuffix("\n") && play.out.split(separator: "\n").count == 1)
    #expect(!play.out.contains("hunter2"))
    if let text { #expect(play.out == text) }
  }

  @Test
  func aFailureOfTheVaultIsSaidToDocker() throws {
    let play = try run("docker-credential get", "registry.example.org:5000") { stage in
      try Self.know(stage)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "work", message: ""))
      try stage.knowAccount(VerbTests.account)
    }
    #expect(
      play.code.rawValue == 1 && play.out.contains("login required for work; thumblatch login")
    )
  }

  @Test(arguments: [
    ("store", #"{"ServerURL":"registry.example.org:5000","Username":"u","Secret":"s"}"#, ""),
    ("erase", "evil.net", ""),
    // podman logout --all erases every listed host, so the list has no host that git or a person
    // has stored.
    ("list", "unused", #"{"registry.example.org:5000":"robot"}"# + "\n"),
  ])
  func dockerStoresListsAndErases(_ action: String, _ input: String, _ out: String) throws {
    let play = try run("docker-credential \(action)", input) {
      if action == "store" { try $0.knowAccount(VerbTests.account) }
    }
    #expect(play.code == .done && play.out == out && play.talk == "")
  }

  // MARK: - The others

  @Test
  func bazelGetsHeaders() throws {
    let play = try run(
      "bazel-credential get",
      #"{"uri":"https://git.example.org/simple/"}"#,
      script: Self.give
    )
    #expect(play.out.hasPrefix(#"{"headers":{"Authorization":["Bearer at_1"]},"expires":"#))
    #expect(try run("bazel-credential get", #"{"uri":"https://evil.net/"}"#).code == .notFound)
    for word in ["get", "put"] { #expect(try run("bazel-credential \(word)", "{}").code == .usage) }
  }

  @Test
  func terraformGetsATokenAndStoresNone() throws {
    let get = try run("terraform-credential get git.example.org", "", script: Self.give).out
    #expect(get == "{\"token\":\"at_1\"}\n")
    #expect(try run("terraform-credential get evil.net", "").out == "{}\n")
    for line in ["store git.example.org", "forget git.example.org", "frob evil.net"] {
      let play = try run("terraform-credential \(line)", #"{"token":"hunter2"}"#) { stage in
        if !line.hasPrefix("frob") { try stage.knowAccount(VerbTests.account) }
      }
      #expect(play.code == .usage && play.out == "" && !play.talk.contains("hunter2"))
    }
    #expect(try run("terraform-credential forget evil.net", "").code == .done)
  }

  @Test
  func aPromptIsShownAtTheDesktopOrAdviceIsGiven() throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      try Self.know(stage)
      // Before the search for a desktop, the token is requested without a prompt.
      for _ in 0..<2 {
        _ = try stage.expect(AccessTokenCall.self)
        #expect(stage.saysItAsks == false)
        try stage.needPresence()
      }
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded && play.out == "quit=1\n")
    #expect(play.talk.contains("thumblatch unlock work"))
  }

  @Test
  func eachInstalledNameStandsForItsVerb() {
    for (name, words) in [
      ("git-credential-thumblatch", ["git-credential"]), ("/", []), ("", []), ("tl", []),
      ("/usr/bin/docker-credential-thumblatch", ["docker-credential"]),
      ("./cargo-credential-thumblatch", ["cargo-credential"]),
      ("bazel-credential-thumblatch", ["bazel-credential"]), ("thumblatch", []),
      ("/x/terraform-credentials-thumblatch", ["terraform-credential"]),
      ("git-credential-thumblatch/", ["git-credential"]), ("/usr/bin/thumblatch", []),
    ] { #expect(ToolVerbs.words(calledAs: name) == words) }
  }

  @Test
  func aSlowToolIsWaitedForAndALongRequestIsCut() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let play = try run("cargo-credential", long + "\n" + long)
    #expect(play.code == .done && play.out.contains("longer than 1 MiB"))
    #expect(try run("bazel-credential get", long).talk.contains("longer than 1 MiB"))
  }
}
