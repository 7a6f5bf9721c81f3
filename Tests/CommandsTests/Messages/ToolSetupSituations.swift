import VaultInterface

@testable import Commands

// `setup TOOL` and `setup --undo`.
extension Situation {
  private static let service = "--url https://gateway.example.org"
  private static let server = "--mcp https://mcp.example.org/mcp"

  private static let unknown: @Sendable (Stage) throws -> Void = { stage in
    _ = try stage.expect(RequestTermsCall.self)
    try stage.fail(.noSuchAccount(account: "work"))
  }

  private static let servers = text(for: .claudeCode)
  private static let profile = text(for: .codex)

  /// The text of a file that setup writes for an MCP server.
  private static func text(for tool: Tool) -> String {
    ToolRecipe(
      tool: tool,
      directory: "",
      account: "work",
      name: "work",
      service: nil,
      server: "https://mcp.example.org/mcp",
      program: ["thumblatch"],
      variables: []
    ).files.map(\.text).joined()
  }

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
    Situation("setup claude-code work \(service) \(server)", "the person agrees") {
      try unknown($0)
      try $0.answer("[y/N] ", "y")
    }.with(settings: [:]),
    Situation("setup claude-code work \(server)", "the person does not agree") {
      try unknown($0)
      try $0.answer("[y/N] ", "n")
    }.with(settings: [:]),
    Situation("setup codex work \(service) \(server)", "the person agrees") {
      try unknown($0)
      try $0.answer("[y/N] ", "y")
    }.with(settings: [:]),
    Situation("setup codex work \(server) --yes --json", "no question", script: unknown).with(
      settings: [:]),
    Situation(
      "setup codex work \(server) --no-input",
      "no question, without --yes",
      script: unknown
    )
    .with(settings: [:]),
    Situation(
      "setup codex work \(server) --yes",
      "the token is for another server",
      RequestTermsCall.self,
      replies: RequestTermsReply(
        account: "work",
        issuer: "https://id.example.com",
        hosts: [],
        pins: [],
        resource: "https://other.example.org/mcp"
      )
    ).with(settings: [:]),
    Situation(
      "setup codex work \(server) --yes",
      "a file that the person has changed",
      script: unknown
    )
    .with(settings: ["codex/thumblatch-work.config.toml": "mine"]),
    Situation(
      "setup codex work \(server) --yes --json",
      "a file that the person has changed",
      script: unknown
    )
    .with(settings: ["codex/thumblatch-work.config.toml": "mine"]),
    Situation(
      "setup codex work \(server) --yes",
      "a file that the person has changed, and a kept one",
      script: unknown
    ).with(settings: [
      "codex/thumblatch-work.config.toml": "mine",
      "codex/thumblatch-work.config.toml.before-thumblatch": "mine, earlier",
    ]),
    Situation("setup \(server)", "an option without its tool"),
    Situation("setup --undo codex --name work", "an option that --undo does not have"),
    Situation("setup --undo codex work", "an account that --undo does not take"),
    Situation("setup --undo", "no file").with(settings: [:]),
    Situation("setup --undo", "a file that the person has changed").with(settings: [
      "codex/thumblatch-work.config.toml": "mine"
    ]),
    Situation("setup --undo", "files for both tools").with(settings: [
      "claude/thumblatch-work.mcp.json": servers, "codex/thumblatch-work.config.toml": profile,
    ]),
    Situation("setup --undo", "a file that was kept, and a changed one").with(settings: [
      "claude/thumblatch-work.mcp.json": servers, "claude/thumblatch-home.mcp.json": "{}",
      "codex/thumblatch-work.config.toml": profile,
      "codex/thumblatch-work.config.toml.before-thumblatch": "mine",
    ]),
    Situation("setup --undo codex --json", "a file for the tool").with(settings: [
      "codex/thumblatch-work.config.toml": profile
    ]),
  ]
}
