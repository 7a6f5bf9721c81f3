import Glibc
import HelperInterface
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `import`: the login that is sent to the vault, and the remains in the other program's file.
struct ImportVerbTests {
  static let server = "https://mcp.example.com/mcp"
  static let issuer = "https://id.example.com"
  private static let redirect = "http://localhost:1457/callback"
  private static let entry =
    #""git|0a": {"serverName":"git","serverUrl":"\#(server)","accessToken":"old-at","#
    + #""refreshToken":"old-rt","expiresAt":1800000000000,"scope":"tools","clientId":"c1","#
    + #""redirectUri":"\#(redirect)","issuer":"\#(issuer)"}"#
  private static let other = #""x|0b": {"serverName":"x","serverUrl":"https://x.example"}"#
  static let file = "{\n  \"mcpOAuth\": {\n    \(entry),\n    \(other)\n  },\n  \"n\": 1.0\n}\n"
  private static let rest = "{\n  \"mcpOAuth\": {\n    \(other)\n  },\n  \"n\": 1.0\n}\n"

  static let web: [String: WebAnswer] = [
    server: WebAnswer(.answered(status: 401, length: 0, headers: [])),
    "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": WebAnswer(
      .answered(status: 200, length: 0),
      #"{"resource":"\#(server)","authorization_servers":["\#(issuer)"]}"#
    ),
  ]
  static let metadata = TestProviderReply(
    issuer: issuer,
    discovered: true,
    endpoints: ["token_endpoint": "https://id.example.com/token"],
    flows: ["browser"],
    warnings: [],
    pkce: true
  )

  func run(
    _ home: ProviderHome,
    _ words: String,
    input: [UInt8]? = nil,
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let play = try Play.run(
      ["import"] + words.split(separator: " ").map(String.init),
      input: input,
      environment: home.environment,
      prepare: { $0.answer(Self.web) },
      script: script
    )
    for token in ["old-rt", "old-at", "hunter2", "gho_1"] {
      #expect(!play.talk.contains(token) && !play.out.contains(token))
      #expect(!play.screen.contains(token))
    }
    return play
  }

  func credentials(_ text: String = file) throws -> ProviderHome {
    let home = try ProviderHome()
    try home.writeSettings(text, "claude/.credentials.json")
    return home
  }

  private static func take(_ stage: Stage, rotated: Bool = true) throws {
    _ = try stage.expect(TestProviderCall.self)
    try stage.reply(metadata)
    try reply(stage, rotated: rotated)
  }

  /// Imports the login, and checks the sent call.
  private static func reply(_ stage: Stage, rotated: Bool = true) throws {
    let call = try stage.expect(ImportLoginCall.self)
    #expect(call.account == "git" && call.provider.name == "git")
    let settings = call.provider.settings
    #expect(settings["client_id"] == "c1" && settings["issuer"] == issuer)
    #expect(settings["resource"] == server && settings["resource_only"] == "true")
    #expect(settings["scope"] == "tools" && settings["client_authentication"] == "none")
    #expect(settings["redirect_uri"] == redirect && settings["revocation_ends"] == "all-logins")
    let token = unsafe call.refreshToken.bytes.withUnsafeBytes {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    #expect(token == "old-rt")
    var account = VerbTests.account
    account.name = "git"
    try stage.reply(ImportLoginReply(account: account, rotated: rotated))
  }

  @Test
  func aLoginIsShownMovedAndRemoved() throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git") { stage in
      _ = try stage.expect(TestProviderCall.self)
      try stage.reply(Self.metadata)
      try stage.answer("Move it into the vault, as the account git? [y/N] ", "y")
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.account == "git")
      var account = VerbTests.account
      account.name = "git"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(play.screen.contains("issuer: \(Self.issuer)") && play.screen.contains("client: c1"))
    #expect(home.settings("claude/.credentials.json") == Self.rest)
    #expect(try home.text("git").contains("client_id = c1\n"))
    #expect(play.talk.contains("thumblatch setup claude-code git --mcp \(Self.server)"))
  }

  @Test
  func theProviderIsThatOfTheLogin() throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git --yes --json") { try Self.take($0) }
    #expect(play.code == .done, "\(play.talk)")
    #expect(play.out.contains(#""removed":true"#) && play.out.contains(#""rotated":true"#))
  }

  @Test
  func aNoLeavesEverything() throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git") { stage in
      _ = try stage.expect(TestProviderCall.self)
      try stage.reply(Self.metadata)
      try stage.answer("Move it into the vault, as the account git? [y/N] ", "n")
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(home.settings("claude/.credentials.json") == Self.file)
    #expect((try? home.text("git")) == nil)
  }

  @Test(arguments: [
    (VaultError.providerRefused(status: 400, message: "no"), ExitCode.serverError),
    (.refused(message: "git is signed in"), .refused),
  ])
  func aRefusalLeavesEverything(_ error: VaultError, _ code: ExitCode) throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git --yes") { stage in
      _ = try stage.expect(TestProviderCall.self)
      try stage.reply(Self.metadata)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(error)
    }
    #expect(play.code == code)
    #expect(home.settings("claude/.credentials.json") == Self.file)
    #expect((try? home.text("git")) == nil)
  }

  @Test
  func aCopyIsLeftWithAWarning() throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git --yes --keep") { try Self.take($0) }
    #expect(play.code == .done && play.talk.contains("still has a copy"))
    #expect(home.settings("claude/.credentials.json") == Self.file)
  }

  /// The program refreshed its token while the question was open, so the token that was read is
  /// used up.
  @Test
  func aLoginThatItsProgramHasChangedIsNotUsed() throws {
    let home = try credentials()
    let changed = Self.file.replacing("old-rt", with: "newer")
    let folder = home.path + "/claude"
    let play = try run(home, "--from claude --entry git --yes") { stage in
      // The file has been read by now.
      _ = try stage.expect(TestProviderCall.self)
      let directory = try Directory(path: folder)
      try directory.unlink(".credentials.json")
      try directory.create(".credentials.json").write(changed)
      try stage.reply(Self.metadata)
      try stage.expectEnd()
    }
    #expect(play.code == .busy && play.talk.contains("has changed git in"))
    #expect(home.settings("claude/.credentials.json") == changed)
    #expect((try? home.text("git")) == nil)
  }

  /// The program wrote a newer login after the vault had got the one that was shown.
  @Test
  func aLoginThatItsProgramHasMadeSinceStays() throws {
    let home = try credentials()
    let changed = Self.file.replacing("old-rt", with: "newer")
    let folder = home.path + "/claude"
    let play = try run(home, "--from claude --entry git --yes") { stage in
      _ = try stage.expect(TestProviderCall.self)
      try stage.reply(Self.metadata)
      _ = try stage.expect(ImportLoginCall.self)
      let directory = try Directory(path: folder)
      try directory.unlink(".credentials.json")
      try directory.create(".credentials.json").write(changed)
      try stage.reply(ImportLoginReply(account: VerbTests.account, rotated: true))
    }
    #expect(play.code == .done && play.talk.contains("has changed its login"))
    #expect(home.settings("claude/.credentials.json") == changed)
  }

  @Test
  func severalLoginsAreListed() throws {
    let home = try credentials()
    let play = try run(home, "--from claude --yes") { stage in
      try stage.answer("Number or name: ", "git")
      try Self.take(stage)
    }
    #expect(play.code == .done && play.screen.contains("it has no refresh token"))
    #expect(try run(credentials(), "--from claude --no-input") { _ in }.code == .promptNeeded)
  }

  @Test(arguments: [
    "--from claude --entry x", "--from oidc-agent", "--from other", "",
    "NAME --from gh --file FILE",
  ])
  func whatCannotBeMovedIsSaid(_ words: String) throws {
    let home = try credentials()
    try home.writeSettings("github.com:\n    oauth_token: gho_1\n", "gh/hosts.yml")
    let line = words.replacing("FILE", with: home.path + "/gh/hosts.yml")
      .replacing("NAME", with: "git")
    #expect(try run(home, line) { _ in }.code == .usage)
    #expect(home.settings("claude/.credentials.json") == Self.file)
  }

  @Test
  func noLoginIsFound() throws {
    let home = try ProviderHome()
    let play = try run(home, "--from codex") { _ in }
    #expect(play.code == .notFound && play.talk.contains("/codex/auth.json or "))
    #expect(try run(credentials(), "--from claude --entry none") { _ in }.code == .notFound)
  }

  /// Another user's file, or a link to one, could bring that user's login into the vault.
  ///
  /// The case of another owner needs root.
  @Test(arguments: ["link", "writable", "other", "folder", "large", "nul", "json"])
  func aFileThatOthersCanWriteIsRefused(_ what: String) throws {
    let home = try credentials()
    let path = home.path + "/claude/.credentials.json"
    switch what {
    case "link":
      try #require(unsafe rename(path, home.path + "/claude/real") == 0)
      try #require(unsafe symlink(home.path + "/claude/real", path) == 0)
    case "writable": try #require(unsafe chmod(path, 0o666) == 0)
    case "other": try #require(unsafe chown(path, 12345, 12345) == 0)
    case "folder": try #require(unsafe chmod(home.path + "/claude", 0o777) == 0)
    case "large":
      try home.writeSettings(String(repeating: " ", count: 1 << 20), "claude/.credentials.json")
    case "nul": try home.writeSettings("{\"a\":\"\u{0}\"}", "claude/.credentials.json")
    default: try home.writeSettings("{", "claude/.credentials.json")
    }
    let before = home.settings("claude/.credentials.json")
    let play = try run(home, "--from claude --entry git --yes") { _ in }
    #expect([.usage, .unsafeVault].contains(play.code), "\(play.code) \(play.talk)")
    #expect(home.settings("claude/.credentials.json") == before)
  }

  @Test
  func geminisOwnLoginTakesItsFileAlong() throws {
    let home = try ProviderHome()
    let login = #"{"access_token":"old-at","refresh_token":"old-rt"}"#
    try home.writeSettings(login, "g/oauth_creds.json")
    let path = home.path + "/g/oauth_creds.json"
    let play = try run(
      home,
      "--from gemini --file \(path) --yes --client-secret-stdin",
      input: Array("hunter2\n".utf8)
    ) { stage in
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.account == "gemini" && call.provider.settings["kind"] == "oidc")
      #expect(call.provider.clientSecret != nil)
      try stage.reply(ImportLoginReply(account: VerbTests.account, rotated: false))
    }
    #expect(play.code == .done && play.talk.contains("does not rotate refresh tokens"))
    #expect(home.settings("g/oauth_creds.json") == nil)
  }

  @Test
  func aPasswordOfGitBecomesAStaticAccount() throws {
    let home = try ProviderHome()
    let lines = "https://ann:hunter2@git.example.org\nhttps://bob:x@a.org\n"
    try home.writeSettings(lines, "git/credentials")
    let path = home.path + "/git/credentials"
    let words = "--from git-credential-store --file \(path) --entry ann@git.example.org --yes"
    let play = try run(home, words) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "git.example.org-ann"))
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "git.example.org-ann"))
      let call = try stage.expect(StoreSecretCall.self)
      #expect(call.account == "git.example.org-ann" && call.username == "ann")
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("git/credentials") == "https://bob:x@a.org\n")
  }
}
