import Glibc
import System
import TestSupport
import Testing

@testable import Commands

/// `setup TOOL` and `setup --undo`: the settings files of other tools.
struct SetupToolsTests {
  private static let service = "setup claude-code work --url https://gateway.example.org --yes"
  private static let server = "setup claude-code work --mcp https://mcp.example.org/mcp --yes"
  private static let codexServer = "setup codex work --mcp https://mcp.example.org/mcp --yes"
  private static let codexService = "setup codex work --url https://gateway.example.org/v1 --yes"

  @Test
  func aHelperIsAddedAndTheRestOfTheFileKeepsItsBytes() throws {
    let home = try ProviderHome()
    let before = "{\n    \"model\" : \"opus\",\n    \"env\": {\"A\": \"1\"},\n    \"n\": 1.50\n}\n"
    try home.writeSettings(before, "claude/settings.json")
    #expect(try home.run(Self.service).code == .done)
    #expect(
      home.settings("claude/settings.json") == """
        {
            "model" : "opus",
            "env": {"A": "1", "ANTHROPIC_BASE_URL": "https://gateway.example.org"},
            "n": 1.50,
            "apiKeyHelper": "thumblatch token work --helper --min-ttl 6m"
        }

        """
    )
    #expect(home.settings("claude/settings.json.before-thumblatch") == before)
    #expect(try home.run("setup --undo").code == .done)
    #expect(home.settings("claude/settings.json") == before)
    #expect(home.settings("claude/settings.json.before-thumblatch") == nil)
  }

  @Test
  func aServerIsAddedOrGetsItsHelper() throws {
    let home = try ProviderHome()
    #expect(try home.run(Self.server + " --name known").code == .done)
    let made = try #require(home.settings("claude/.claude.json"))
    #expect(made.contains(#""url": "https://mcp.example.org/mcp""#))
    #expect(made.contains("thumblatch headers work --helper --min-ttl 6m --within 8s"))
    // A second account's server comes beside it.
    #expect(try home.run(Self.server + " --name other").code == .done)
    #expect(try home.run("setup --undo claude-code").code == .done)
    // The file was made by setup.
    #expect(home.settings("claude/.claude.json") == nil)

    let own = #"{"mcpServers":{"known":{"type":"http","url":"https://mcp.example.org/mcp"}}}"#
    try home.writeSettings(own, "claude/.claude.json")
    #expect(try home.run(Self.server + " --name known").code == .done)
    #expect(home.settings("claude/.claude.json")?.contains("headersHelper") == true)
    #expect(try home.run("setup --undo").code == .done)
    #expect(home.settings("claude/.claude.json") == own)
  }

  @Test
  func whatThePersonChangedSinceStays() throws {
    let home = try ProviderHome()
    try home.writeSettings(#"{"apiKeyHelper": "mine"}"#, "claude/settings.json")
    #expect(try home.run(Self.service).code == .done)
    let now = try #require(home.settings("claude/settings.json"))
    try home.writeSettings(
      now.replacing("{", with: #"{"new": true, "#, maxReplacements: 1),
      "claude/settings.json"
    )
    let undo = try home.run("setup --undo")
    #expect(undo.code == .done && undo.talk.contains("before-thumblatch"))
    let text = try #require(home.settings("claude/settings.json"))
    #expect(text.contains(#""new": true"#) && text.contains(#""apiKeyHelper": "mine""#))
    #expect(!text.contains("ANTHROPIC_BASE_URL"))
    #expect(home.settings("claude/settings.json.before-thumblatch") == #"{"apiKeyHelper": "mine"}"#)
  }

  @Test
  func codexGetsTablesBetweenComments() throws {
    let home = try ProviderHome()
    let before = "model = \"o5\"\n\n[mcp_servers.mine]\nurl = \"https://mine.example.org\"\n"
    try home.writeSettings(before, "codex/config.toml")
    #expect(try home.run(Self.codexServer).code == .done)
    #expect(try home.run(Self.codexService).code == .done)
    // The same once more changes nothing.
    let text = try #require(home.settings("codex/config.toml"))
    #expect(try home.run(Self.codexServer).code == .done)
    #expect(
      home.settings("codex/config.toml")?.split(separator: "\n").count
        == text.split(separator: "\n").count
    )
    #expect(text.hasPrefix(before))
    #expect(
      text.contains(
        #"http_headers_helper = "thumblatch headers work --helper --min-ttl 6m --within 8s""#
      )
    )
    #expect(text.contains(#"args = ["token", "work", "--helper", "--min-ttl", "6m"]"#))
    #expect(try home.run("setup --undo codex").code == .done)
    #expect(home.settings("codex/config.toml") == before)
  }

  @Test
  func aTableOfThePersonIsNotReplaced() throws {
    let home = try ProviderHome()
    let before = "[ mcp_servers . \"work\" ]\nurl = \"https://mine.example.org\"\n"
    try home.writeSettings(before, "codex/config.toml")
    let play = try home.run(Self.codexServer)
    #expect(play.code == .usage && play.talk.contains("--name"))
    #expect(home.settings("codex/config.toml") == before)
  }

  @Test(arguments: [
    "[]", "{", #"{"a": }"#, #"{"env": 1}"#, "{\"a\": \"\n\"}", "{} {}", "\u{0}", "",
    String(repeating: "[", count: 100_000),
  ])
  func aFileThatIsNoObjectStaysAsItIs(_ text: String) throws {
    let home = try ProviderHome()
    try home.writeSettings(text, "claude/settings.json")
    #expect(try home.run(Self.service).code == .usage)
    #expect(home.settings("claude/settings.json") == text)
    #expect(home.settings("claude/settings.json.before-thumblatch") == nil)
  }

  @Test
  func aCommentWhoseEndIsLostTakesNothingAlong() throws {
    let home = try ProviderHome()
    try home.writeSettings("", "codex/config.toml")
    #expect(try home.run(Self.codexServer).code == .done)
    let text = try #require(home.settings("codex/config.toml"))
    let cut = text.split(separator: "\n").filter { !$0.hasPrefix("# <<<") }.joined(separator: "\n")
    try home.writeSettings(cut + "\nmine = 1\n", "codex/config.toml")
    #expect(try home.run("setup --undo").code == .notFound)
    #expect(home.settings("codex/config.toml")?.contains("mine = 1") == true)
  }

  @Test(arguments: [
    "setup emacs work --url https://a.example", "setup codex", "setup codex work",
    "setup codex work --url https://a.example --mcp https://a.example --yes",
    "setup codex work --url http://a.example --yes", "setup codex ../x --url https://a.example",
    "setup codex work --mcp https://a.example --name a\"b --yes",
    "setup claude-code work --url ftp://a.example --yes",
  ])
  func wordsThatMakeNoSenseChangeNothing(_ line: String) throws {
    let home = try ProviderHome()
    #expect(try home.run(line).code == .usage)
    #expect(try Directory(path: home.path).names().isEmpty)
  }

  @Test
  func thePersonSeesTheChangeFirst() throws {
    let home = try ProviderHome()
    let line = Self.service.replacing(" --yes", with: "")
    let no = try home.run(line) { try $0.answer("[y/N] ", "n") }
    #expect(no.code == .interrupted && no.talk.contains("apiKeyHelper"))
    #expect(home.settings("claude/settings.json") == nil)
    #expect(try home.run(line) { try $0.answer("[y/N] ", "y") }.code == .done)
    #expect(home.settings("claude/settings.json") != nil)
    let silent = try home.run(line + " --no-input")
    #expect(silent.code == .promptNeeded && silent.talk.contains("--yes"))
  }

  @Test
  func aLinkLeadsToTheFileThatIsChanged() throws {
    let home = try ProviderHome()
    try home.writeSettings("{}", "dotfiles/settings.json")
    _ = try Directory.make(path: home.path + "/claude")
    let link = home.path + "/claude/settings.json"
    #expect(unsafe symlink("../dotfiles/settings.json", link) == 0)
    #expect(try home.run(Self.service).code == .done)
    #expect(home.settings("dotfiles/settings.json")?.contains("apiKeyHelper") == true)
    #expect(home.settings("dotfiles/settings.json.before-thumblatch") == "{}")
  }
}
