@testable import Commands

// `setup TOOL` and `setup --undo`.
extension Situation {
  private static let service = "--url https://gateway.example.org"
  private static let server = "--mcp https://mcp.example.org/mcp"
  private static let settings = #"{"apiKeyHelper": "mine"}"#
  private static let changed =
    #"{"apiKeyHelper": "thumblatch token work --helper --min-ttl 6m", "new": 1}"#

  static let toolSetups: [Situation] = [
    Situation("setup emacs work", "a tool that is not known"),
    Situation("setup codx work", "a tool that is nearly right"),
    Situation("setup codex", "no account"),
    Situation("setup codex work", "no URL"),
    Situation("setup codex work --url http://gateway.example.org", "a URL without TLS"),
    Situation(
      "setup codex work --url https://gateway.example.org/\u{E4}",
      "a URL that is not ASCII"
    ),
    Situation("setup claude-code work \(service)", "the person agrees") {
      try $0.answer("[y/N] ", "y")
    }.with(settings: ["claude/settings.json": settings]),
    Situation("setup claude-code work \(server)", "the person does not agree") {
      try $0.answer("[y/N] ", "n")
    }.with(settings: [:]),
    Situation("setup codex work \(service)", "the person agrees") {
      try $0.answer("[y/N] ", "y")
    }.with(settings: [:]),
    Situation("setup codex work \(server) --yes --json", "no question").with(settings: [:]),
    Situation("setup codex work \(server) --no-input", "no question, without --yes")
      .with(settings: [:]),
    Situation("setup codex work \(server) --yes", "another table has the name")
      .with(settings: ["codex/config.toml": "[mcp_servers.work]\n"]),
    Situation("setup codex work \(server) --yes", "a file that is not text")
      .with { $0.settings = ["codex/config.toml": [0x80]] },
    Situation("setup claude-code work \(server) --yes", "another server has the name")
      .with(settings: [
        "claude/.claude.json": #"{"mcpServers": {"work": {"url": "https://a.example"}}}"#
      ]),
    Situation("setup claude-code work \(service) --yes", "a file that is no JSON")
      .with(settings: ["claude/settings.json": "{"]),
    Situation("setup claude-code work \(service) --yes", "a member that is no object")
      .with(settings: ["claude/settings.json": #"{"env": 1}"#]),
    Situation("setup --undo", "no recipe").with(settings: [:]),
    Situation("setup --undo", "the file was changed since")
      .with(settings: [
        "claude/settings.json": changed, "claude/settings.json.before-thumblatch": settings,
      ]),
    Situation("setup --undo codex --json", "a recipe for an MCP server")
      .with(settings: [
        "codex/config.toml":
          "# >>> thumblatch mcp_servers.work\n[mcp_servers.work]\n# <<< thumblatch mcp_servers.work\n"
      ]),
  ]
}
