import Glibc
import JSON
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `setup TOOL` and `setup --undo`: the files that other tools are started with.
struct SetupToolsTests {
  private static let service = "--url https://gateway.example.org"
  private static let server = "--mcp https://mcp.example.org/mcp"

  @Test
  func claudeCodeGetsAFileForItsServiceAndOneForTheServer() throws {
    let home = try ProviderHome()
    let line = "setup claude-code work \(Self.service) \(Self.server) --yes --json"
    let play = try home.run(line, script: Self.unknown)
    #expect(play.code == .done)
    #expect(
      home.settings("claude/thumblatch-work.settings.json") == """
        {
          "apiKeyHelper": "thumblatch token work --helper --min-ttl 6m",
          "env": {"ANTHROPIC_BASE_URL": "https://gateway.example.org"}
        }

        """
    )
    let servers = try #require(home.settings("claude/thumblatch-work.mcp.json"))
    guard case .object(let object) = try JSONReader.read(Array(servers.utf8)) else {
      Issue.record("no object")
      return
    }
    let entry = try object.object("mcpServers").object("work")
    #expect(try entry.string("url") == "https://mcp.example.org/mcp")
    let helper = "thumblatch headers work --helper --min-ttl 6m --within 8s"
    #expect(try entry.string("headersHelper") == helper)
    let use = try VerbTests.object(play.out).string("use")
    #expect(
      use == "claude --settings \(home.path)/claude/thumblatch-work.settings.json"
        + " --mcp-config \(home.path)/claude/thumblatch-work.mcp.json"
    )
    #expect(try home.run("setup --undo").code == .done)
    #expect(try Directory(path: home.path + "/claude").names() == [])
  }

  @Test
  func codexGetsAProfile() throws {
    let home = try ProviderHome()
    let line = "setup codex work \(Self.service)/v1 \(Self.server) --name other --yes"
    let play = try home.run(line, script: Self.unknown)
    #expect(play.code == .done && play.talk.contains("codex -p thumblatch-other"))
    let text = try #require(home.settings("codex/thumblatch-other.config.toml"))
    let lines = text.split(separator: "\n")
    // A top-level key comes before the first table.
    #expect(lines.first == "model_provider = \"thumblatch-other\"")
    #expect(lines.contains(#"args = ["token", "work", "--helper", "--min-ttl", "6m"]"#))
    #expect(lines.contains(#"[mcp_servers."work"]"#))
  }

  /// Codex reads one profile, so a second setup must not end the first one.
  @Test
  func aProfileOfCodexKeepsItsOtherParts() throws {
    let home = try ProviderHome()
    let name = "codex/thumblatch-work.config.toml"
    func setUp(_ line: String) throws -> String {
      let play = try home.run("setup codex \(line) --yes", script: Self.unnamed)
      #expect(play.code == .done, "\(play.talk)")
      return home.settings(name) ?? ""
    }
    let service = try setUp("work \(Self.service)")
    // Each part may name the private vault or the service.
    let both = try setUp("work --private \(Self.server)")
    let server = try #require(both.split(separator: service).first).description
    #expect(both == service + server && server.hasPrefix("[mcp_servers.\"work\"]\n"))
    let other = try setUp("notes --name work --mcp https://notes.example.org/mcp")
    let notes = try #require(other.split(separator: both).first).description
    #expect(other == both + notes && notes.hasPrefix("[mcp_servers.\"notes\"]\n"))
    // A setting that the command names again is replaced.
    let moved = try setUp("home --name work --url https://other.example.org")
    #expect(moved.contains("https://other.example.org") && !moved.contains("gateway.example.org"))
    #expect(moved.contains("\"home by Thumblatch\"") && moved.hasSuffix(server + notes))
    let last = try setUp("work \(Self.server)/2")
    #expect(last.contains("/mcp/2\"\n") && !last.contains("mcp.example.org/mcp\"\n"))
    #expect(last.contains("https://other.example.org") && last.contains(notes))
    // All of it is setup's own.
    #expect(try home.run("setup --undo").code == .done)
    #expect(try Directory(path: home.path + "/codex").names() == [])
  }

  /// The account, whichever it is, is not known yet.
  private static let unnamed: @Sendable (Stage) throws -> Void = { stage in
    let call = try stage.expect(RequestTermsCall.self)
    try stage.fail(.noSuchAccount(account: call.account ?? ""))
  }

  @Test
  func thePersonSeesWhatStaysInAProfile() throws {
    let home = try ProviderHome()
    let first = try home.run("setup codex work \(Self.service) --yes", script: Self.unknown)
    #expect(first.code == .done)
    let play = try home.run("setup codex work \(Self.server)") { stage in
      try Self.unknown(stage)
      try stage.answer("[y/N] ", "y")
    }
    #expect(play.code == .done && play.talk.contains("base_url = \"https://gateway.example.org\""))
  }

  /// The account is not known yet.
  private static let unknown: @Sendable (Stage) throws -> Void = { stage in
    #expect(try stage.expect(RequestTermsCall.self).account == "work")
    try stage.fail(.noSuchAccount(account: "work"))
  }

  private static let resources: [(String?, ExitCode)] = [
    ("https://mcp.example.org/mcp", .done), ("https://mcp.example.org/", .done), (nil, .done),
    ("https://mcp.example.org/mcp/x", .refused), ("https://other.example/", .refused),
  ]

  /// Also the address of the tool's own service, which adds to it.
  @Test(arguments: [
    ("https://mcp.example.org/mcp", ExitCode.refused), ("https://gateway.example.org/v1", .done),
  ])
  func aServiceThatTheTokenIsNotForIsRefused(_ resource: String, _ code: ExitCode) throws {
    let home = try ProviderHome()
    let play = try home.run("setup claude-code work \(Self.service) --yes") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      let issuer = "https://id.example.org"
      try stage.reply(
        RequestTermsReply(account: "work", issuer: issuer, hosts: [], pins: [], resource: resource)
      )
    }
    #expect(play.code == code, "\(play.talk)")
    #expect((home.settings("claude/thumblatch-work.settings.json") != nil) == (code == .done))
  }

  @Test(arguments: resources)
  func aServerThatTheTokenIsNotForIsRefused(_ resource: String?, _ code: ExitCode) throws {
    let home = try ProviderHome()
    let play = try home.run("setup claude-code work \(Self.server) --yes") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      let issuer = "https://id.example.org"
      try stage.reply(
        RequestTermsReply(
          account: "work",
          issuer: issuer,
          hosts: [],
          pins: [],
          resource: resource,
          anyHost: resource == nil
        )
      )
    }
    #expect(play.code == code, "\(play.talk)")
    #expect((home.settings("claude/thumblatch-work.mcp.json") != nil) == (code == .done))
  }

  @Test
  func aServerThatASecretIsNotForIsRefused() throws {
    let home = try ProviderHome()
    let play = try home.run("setup claude-code git \(Self.server) --yes") { stage in
      try stage.knowTerms()
      try stage.knowAccount(StoredSecretTests.account())
      try stage.expectEnd()
    }
    #expect(play.code == .refused && play.talk.contains("it is for https://git.example.org"))
    #expect(home.settings("claude/thumblatch-git.mcp.json") == nil)
  }

  /// Codex keeps all but a few variables from the helper.
  @Test
  func theHelperForHeadersOfCodexFindsTheSameVault() throws {
    let home = try ProviderHome()
    let line = "setup codex work \(Self.server) --yes"
    let play = try Play.run(
      line.split(separator: " ").map(String.init),
      environment: home.environment.merging(["XDG_STATE_HOME": "/a b"]) { $1 },
      script: Self.unknown
    )
    #expect(play.code == .done)
    let profile = home.settings("codex/thumblatch-work.config.toml") ?? ""
    let helper = "env 'XDG_STATE_HOME=/a b' thumblatch headers work --helper"
    #expect(profile.contains("http_headers_helper = \"\(helper)"), "\(profile)")
  }

  /// Codex refuses a profile with a dot in its name.
  @Test
  func aProfileOfCodexHasNoDot() throws {
    let home = try ProviderHome()
    let play = try home.run("setup codex a.b \(Self.service) \(Self.server) --yes") { stage in
      try stage.knowTerms(anyHost: true)
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("tokens of a.b: codex -p thumblatch-a-b"))
    let profile = home.settings("codex/thumblatch-a-b.config.toml") ?? ""
    #expect(profile.contains(#"model_provider = "thumblatch-a-b""#), "\(profile)")
    #expect(profile.contains(#""token", "a.b","#))
    #expect(profile.contains(#"[mcp_servers."a-b"]"#))
  }

  /// Nothing is read from the settings of the tool, and nothing written there.
  @Test
  func theFilesOfThePersonStayAsTheyAre() throws {
    let home = try ProviderHome()
    let own = [
      "claude/settings.json": "{", "claude/thumblatch.json": "{}", "codex/config.toml": "\u{1}",
      "codex/my.config.toml": "a = 1\r\n", "codex/thumblatch-notes.txt": "mine",
    ]
    for (name, text) in own { try home.writeSettings(text, name) }
    for tool in ["claude-code", "codex"] {
      let play = try home.run("setup \(tool) work \(Self.service) --yes", script: Self.unknown)
      #expect(play.code == .done)
    }
    #expect(try home.run("setup --undo codex").code == .done)
    #expect(home.settings("claude/thumblatch-work.settings.json") != nil)
    #expect(try home.run("setup --undo").code == .done)
    for (name, text) in own { #expect(home.settings(name) == text) }
    #expect(try home.run("setup --undo").code == .notFound)
  }

  @Test
  func theProgramIsTheOneThatThePersonRuns() throws {
    let home = try ProviderHome()
    // A directory of the name is passed over, and a path with a blank is quoted.
    try home.writeSettings("", "a/b")
    _ = try Directory.make(path: home.path + "/a/thumblatch")
    try home.writeSettings("", "b c/thumblatch")
    #expect(unsafe chmod(home.path + "/b c/thumblatch", 0o755) == 0)
    let play = try Play.run(
      ["setup", "claude-code", "work", "--private", "--url", "https://a.example", "--yes"],
      environment: home.environment.merging(["PATH": "\(home.path)/a:\(home.path)/b c"]) { $1 }
    ) { try Self.unknown($0) }
    #expect(play.code == .done)
    let text = try #require(home.settings("claude/thumblatch-work.settings.json"))
    #expect(text.contains("\"'\(home.path)/b c/thumblatch' --private token work --helper"))
  }

  @Test(arguments: [
    "setup emacs work --url https://a.example", "setup codex", "setup codex work",
    "setup codex work --url http://a.example --yes", "setup codex ../x --url https://a.example",
    "setup codex work --mcp https://a.example --name a\"b --yes",
    "setup codex work --mcp https://a.example --name ../b --yes",
    "setup claude-code work --url ftp://a.example --yes", "setup --url https://a.example",
    "setup --mcp https://a.example", "setup --name x", "setup --yes",
    "setup --undo codex --name x", "setup --undo --mcp https://a.example",
    "setup --undo codex work",
  ])
  func wordsThatMakeNoSenseWriteNothing(_ line: String) throws {
    let home = try ProviderHome()
    #expect(try home.run(line).code == .usage)
    #expect(try Directory(path: home.path).names().isEmpty)
  }

  @Test
  func thePersonSeesTheFilesFirst() throws {
    let home = try ProviderHome()
    let line = "setup claude-code work \(Self.service)"
    let no = try home.run(line) { stage in
      try Self.unknown(stage)
      try stage.answer("[y/N] ", "n")
    }
    #expect(no.code == .interrupted && no.talk.contains("apiKeyHelper"))
    #expect(home.settings("claude/thumblatch-work.settings.json") == nil)
    let yes = try home.run(line) { stage in
      try Self.unknown(stage)
      try stage.answer("[y/N] ", "y")
    }
    #expect(yes.code == .done)
    #expect(home.settings("claude/thumblatch-work.settings.json") != nil)
    let silent = try home.run(line + " --no-input", script: Self.unknown)
    #expect(silent.code == .promptNeeded && silent.talk.contains("--yes"))
  }

  @Test
  func aDirectoryThatOthersCanChangeIsNotUsed() throws {
    let home = try ProviderHome()
    try home.writeSettings("", "codex/config.toml")
    #expect(unsafe chmod(home.path + "/codex", 0o777) == 0)
    let play = try home.run("setup codex work \(Self.service) --yes", script: Self.unknown)
    #expect(play.code == .unsafeVault)
    #expect(home.settings("codex/thumblatch-work.config.toml") == nil)
  }
}
