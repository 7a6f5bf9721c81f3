import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `setup TOOL` and `setup --undo`: what happens to a file that a person wrote or changed.
struct KeptToolFileTests {
  private static let name = "codex/thumblatch-work.config.toml"
  private static let kept = name + ".before-thumblatch"
  private static let first = "setup codex work --mcp https://a.example --yes"
  private static let second = "setup codex work --mcp https://b.example --yes"

  /// The account is not known yet.
  private static let unknown: @Sendable (Stage) throws -> Void = { stage in
    _ = try stage.expect(RequestTermsCall.self)
    try stage.fail(.noSuchAccount(account: "work"))
  }

  private static func setUp(_ home: ProviderHome, _ line: String) throws {
    let play = try home.run(line, script: unknown)
    #expect(play.code == .done, "\(play.talk)")
  }

  @Test
  func aFileThatThePersonHasChangedIsKeptAndPutBack() throws {
    let home = try ProviderHome()
    try Self.setUp(home, Self.first)
    let written = try #require(home.settings(Self.name))
    // The same text again is nothing to keep.
    try Self.setUp(home, Self.first)
    #expect(home.settings(Self.kept) == nil)
    try home.writeSettings(written + "# mine\n", Self.name)
    #expect(unsafe chmod("\(home.path)/\(Self.name)", 0o640) == 0)
    for turn in 1...2 {
      let play = try home.run(Self.first, script: Self.unknown)
      #expect(play.code == .done)
      #expect(play.talk.contains("is kept as \(home.path)/\(Self.kept)") == (turn == 1))
      #expect(home.settings(Self.name) == written)
      #expect(home.settings(Self.kept) == written + "# mine\n")
    }
    let undo = try home.run("setup --undo codex")
    #expect(undo.code == .done && undo.talk.contains("put back: \(home.path)/\(Self.name)"))
    #expect(home.settings(Self.name) == written + "# mine\n")
    let mode = try Directory(path: home.path).openForReading(Self.name).status().mode
    #expect(mode & 0o777 == 0o640)
    #expect(try Directory(path: home.path + "/codex").names() == ["thumblatch-work.config.toml"])
  }

  @Test
  func aSecondSetupLeavesTheKeptFile() throws {
    let home = try ProviderHome()
    try home.writeSettings("mine", Self.name)
    try Self.setUp(home, Self.first)
    try Self.setUp(home, Self.second)
    #expect(home.settings(Self.name)?.contains("b.example") == true)
    #expect(home.settings(Self.kept) == "mine")
    #expect(try home.run("setup --undo").code == .done)
    #expect(home.settings(Self.name) == "mine" && home.settings(Self.kept) == nil)
    // A further one does not remove the entries that the first one restored.
    let undo = try home.run("setup --undo")
    #expect(undo.code == .notFound && undo.talk.contains("\(home.path)/\(Self.name)"))
    #expect(home.settings(Self.name) == "mine")
  }

  @Test(arguments: [
    "codex work --mcp https://b.example", "codex work --url https://b.example",
    "codex work --private --url https://b.example --mcp https://b.example",
    "claude-code work --mcp https://b.example",
    "claude-code work --private --url https://b.example",
  ])
  func aFormerRecipeIsNotKept(_ words: String) throws {
    let home = try ProviderHome()
    try Self.setUp(home, "setup \(words) --yes")
    try Self.setUp(home, "setup \(words.replacing("b.example", with: "a.example")) --yes")
    #expect(try home.run("setup --undo").code == .done)
    for folder in ["claude", "codex"] {
      let names = (try? Directory(path: "\(home.path)/\(folder)").names()) ?? []
      #expect(names == [])
    }
  }

  @Test
  func aFileThatCannotBeKeptIsNotReplaced() throws {
    let home = try ProviderHome()
    try home.writeSettings("former", Self.kept)
    try home.writeSettings("mine", Self.name)
    let play = try home.run(Self.first, script: Self.unknown)
    #expect(play.code == .usage && play.talk.contains("\(home.path)/\(Self.kept)"))
    #expect(home.settings(Self.name) == "mine" && home.settings(Self.kept) == "former")
    let undo = try home.run("setup --undo")
    #expect(undo.code == .notFound && undo.talk.contains("\(home.path)/\(Self.kept)"))
    #expect(home.settings(Self.name) == "mine" && home.settings(Self.kept) == "former")
  }

  /// A setup that ended right after it kept the file can be repeated, and undone.
  @Test(arguments: [true, false])
  func aFileThatIsKeptAlreadyIsNoObstacle(_ isRepeated: Bool) throws {
    let home = try ProviderHome()
    try home.writeSettings("mine", Self.name)
    try home.writeSettings("mine", Self.kept)
    if isRepeated { try Self.setUp(home, Self.first) }
    #expect(try home.run("setup --undo").code == .done)
    #expect(home.settings(Self.name) == "mine" && home.settings(Self.kept) == nil)
  }

  @Test
  func aKeptFileIsPutBackAfterTheRecipeIsGone() throws {
    let home = try ProviderHome()
    try home.writeSettings("mine", Self.kept)
    let undo = try home.run("setup --undo")
    #expect(undo.code == .done && undo.talk.contains("put back: \(home.path)/\(Self.name)"))
    #expect(home.settings(Self.name) == "mine" && home.settings(Self.kept) == nil)
  }

  @Test
  func undoLeavesAFileThatThePersonHasChanged() throws {
    let home = try ProviderHome()
    try Self.setUp(home, Self.first)
    let text = try #require(home.settings(Self.name)) + "# mine\n"
    try home.writeSettings(text, Self.name)
    try Self.setUp(home, "setup claude-code work --mcp https://a.example --yes")
    let undo = try home.run("setup --undo")
    #expect(undo.code == .done && undo.talk.contains("left, because you wrote or changed it: "))
    #expect(home.settings(Self.name) == text)
    #expect(home.settings("claude/thumblatch-work.mcp.json") == nil)
  }

  /// Only the text in the gaps of a recipe may differ.
  @Test
  func aChangedTextIsNoRecipe() throws {
    let recipe = ToolRecipe(
      tool: .claudeCode,
      directory: "/x",
      account: "work",
      name: "work",
      service: "https://a.example/\"q",
      server: nil,
      program: ["/a b/thumblatch", "--private"],
      variables: []
    )
    let text = try #require(recipe.files.first).text
    #expect(ToolRecipe.isRecipe(Array(text.utf8), of: .claudeCode))
    #expect(!ToolRecipe.isRecipe(Array(text.utf8), of: .codex))
    let changes = [
      ("token work", "echo work"), ("--min-ttl 6m", "--min-ttl 9m"), ("\"}", "\", \"A\": \"b\"}"),
      ("  \"env\"", "  \"model\": \"x\",\n  \"env\""), ("}\n}", "}\n}\n"),
    ]
    for (old, new) in changes {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      #expect(!ToolRecipe.isRecipe(Array(changed.utf8), of: .claudeCode), "\(changed)")
    }
    #expect(!ToolRecipe.isRecipe([], of: .claudeCode))
  }

  @Test
  func aChangedProfileIsNoRecipe() throws {
    let recipe = ToolRecipe(
      tool: .codex,
      directory: "/x",
      account: "work",
      name: "work",
      service: "https://a.example/\"q",
      server: "https://b.example",
      program: ["/a b/thumblatch", "--private"],
      variables: ["A=b"]
    )
    let text = try #require(recipe.files.first).text
    #expect(ToolRecipe.isRecipe(Array(text.utf8), of: .codex))
    #expect(!ToolRecipe.isRecipe(Array(text.utf8), of: .claudeCode))
    let changes = [
      ("timeout_ms = 120000", "timeout_ms = 1"), ("args = [", "args = [\"-c\", "),
      ("[mcp_servers", "required = true\n[mcp_servers"), ("[mcp_servers", "\n[mcp_servers"),
      ("[mcp_servers", "[mcp_server"), ("6m --within 8s\"\n", "6m --within 8s\"\n\n"),
      ("6m --within 8s\"\n", "6m --within 8s\""), ("model_provider = ", "# \nmodel_provider = "),
    ]
    for (old, new) in changes {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      #expect(!ToolRecipe.isRecipe(Array(changed.utf8), of: .codex), "\(changed)")
    }
    #expect(!ToolRecipe.isRecipe([], of: .codex) && !ToolRecipe.isRecipe([10], of: .codex))
    // A file that a person changed is kept whole, so nothing of it is written again.
    #expect(recipe.beside(Array((text + "# mine\n").utf8)).former.isEmpty)
  }

  /// A file system without hard links.
  @Test
  func aCopyIsKeptAsALinkIs() throws {
    for code in [EPERM, EOPNOTSUPP] { #expect(SystemError("linkat", code: code).isLinkRefused) }
    #expect(!SystemError("linkat", code: EEXIST).isLinkRefused)
    let home = try ProviderHome()
    try home.writeSettings("mine", Self.name)
    let folder = try UserDirectory(home.path + "/codex")
    for _ in 1...2 { try folder.copy("thumblatch-work.config.toml", as: "kept") }
    #expect(home.settings("codex/kept") == "mine")
    try home.writeSettings("other", Self.name)
    do throws(CommandError) {
      try folder.copy("thumblatch-work.config.toml", as: "kept")
      Issue.record("the kept file was replaced")
    } catch {
      #expect(error.code == .usage)
    }
    #expect(home.settings("codex/kept") == "mine")
  }
}
