internal import JSON

/// The files that a tool must read to get an account's tokens: files of their own beside the tool's
/// settings.
///
/// The settings themselves are not changed, because the tool rewrites them. A settings file on the
/// command line also holds in a project whose own settings name another server for the token.
struct ToolRecipe {
  /// A file of a recipe.
  struct File {
    let path: String
    let text: String
    /// The words of the tool's command line that name the file.
    let words: [String]

    var name: String { String(path.split(separator: "/").last ?? "") }
  }

  let tool: Tool
  /// The directory of the tool's settings.
  let directory: String
  let account: String
  /// The name of the files, and of the MCP server in Claude Code.
  let name: String
  /// The tool's own service, or a gateway in front of it.
  let service: String?
  /// The MCP server that gets the token.
  let server: String?
  /// The words that begin each command of this program.
  let program: [String]
  /// The variables that name the vault, which Codex keeps from a helper for headers.
  let variables: [String]
  /// The sections of earlier setups that stay in the profile of Codex.
  var former: [ProfileSection] = []
  /// The name of the MCP server in Codex; `nil` for the account's.
  var serverName: String?
  /// Whether the files are named after the account, because the person gave no name.
  var isNamedAfterAccount = false
  /// The number at the end of a Codex profile's name; 1 for none.
  var number = 1

  /// A tool caches a token for five minutes, and may use it once after that.
  private static let lifetime = ["--min-ttl", "6m"]
  /// Both tools end a helper for headers after ten seconds.
  private static let limit = ["--within", "8s"]

  private var token: [String] { program + ["token", account, "--helper"] + Self.lifetime }
  private var headers: [String] {
    program + ["headers", account, "--helper"] + Self.lifetime + Self.limit
  }

  private var environment: [String] { variables.isEmpty ? [] : ["env"] + variables }

  /// The files.
  var files: [File] {
    switch tool {
    case .claudeCode: [settings, servers].compactMap(\.self)
    case .codex: [profile]
    }
  }

  /// The command that starts the tool with the files.
  var use: String { ShellText.line([tool.command] + files.flatMap(\.words)) }

  /// A file with an ending of the tool's.
  private func file(_ ending: String, _ text: String, words: (_ path: String) -> [String]) -> File {
    let path = "\(directory)/\(tool.file(fileName, ending))"
    return File(path: path, text: text, words: words(path))
  }

  /// The name of the files.
  var fileName: String {
    switch tool {
    case .claudeCode: name
    case .codex: Self.withoutDots(name) + (number > 1 ? "-\(number)" : "")
    }
  }

  /// Codex accepts no profile or MCP server with a dot in its name.
  static func withoutDots(_ name: String) -> String {
    String(name.map { $0 == "." ? "-" : $0 })
  }

  /// A string of JSON, which is a basic string of TOML too.
  private static func string(_ text: String) -> String {
    String(decoding: (try? JSONWriter.write(.string(text))) ?? [], as: UTF8.self)
  }

  // MARK: Claude Code

  private var settings: File? {
    service.map { url in
      file(
        ".settings.json",
        """
        {
          "apiKeyHelper": \(Self.string(ShellText.line(token))),
          "env": {"ANTHROPIC_BASE_URL": \(Self.string(url))}
        }

        """,
        words: { ["--settings", $0] }
      )
    }
  }

  private var servers: File? {
    server.map { url in
      file(
        ".mcp.json",
        """
        {
          "mcpServers": {
            \(Self.string(name)): {
              "type": "http",
              "url": \(Self.string(url)),
              "headersHelper": \(Self.string(ShellText.line(headers)))
            }
          }
        }

        """,
        words: { ["--mcp-config", $0] }
      )
    }
  }

  // MARK: Codex

  private var profile: File {
    // A key of the whole file comes before its tables.
    let sections = former + ownSections
    let ordered = sections.filter { !$0.isServer } + sections.filter(\.isServer)
    return file(
      ".config.toml",
      ordered.map(\.text).joined(),
      words: { _ in ["-p", profileName] }
    )
  }

  /// The sections of a profile that this recipe has itself.
  var ownSections: [ProfileSection] {
    [service.map(serviceLines), server.map(serverLines)].compactMap(\.self).map { lines in
      ProfileSection(text: lines.joined(separator: "\n") + "\n")
    }
  }

  private func serviceLines(_ service: String) -> [String] {
    [
      "model_provider = \(Self.string(profileName))",
      "[model_providers.\(Self.string(profileName))]",
      "name = \(Self.string("\(account) by Thumblatch"))",
      "base_url = \(Self.string(service))",
      "wire_api = \"responses\"",
      "[model_providers.\(Self.string(profileName)).auth]",
      "command = \(Self.string(token[0]))",
      "args = [\(token.dropFirst().map(Self.string).joined(separator: ", "))]",
      // A person needs more time than the usual five seconds.
      "timeout_ms = 120000",
      "refresh_interval_ms = 300000",
    ]
  }

  /// Codex reads one profile, so the servers of several accounts are in one file.
  private func serverLines(_ server: String) -> [String] {
    [
      "\(ProfileSection.server)\(Self.string(serverName ?? Self.withoutDots(account)))]",
      "url = \(Self.string(server))",
      "http_headers_helper = \(Self.string(ShellText.line(environment + headers)))",
    ]
  }

  private var profileName: String { tool.file(fileName, "") }
}
