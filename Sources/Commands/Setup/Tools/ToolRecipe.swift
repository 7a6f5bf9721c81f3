internal import Configuration

/// What a tool must have in its settings to get an account's tokens.
struct ToolRecipe {
  /// Where the tool sends the token.
  enum Target {
    /// The tool's own service, or a gateway in front of it.
    case service(url: String)
    /// A server of MCP, by the name that the tool shows.
    case server(name: String, url: String)

    var url: String {
      switch self {
      case .service(let url), .server(_, let url): url
      }
    }
  }

  let tool: Tool
  let account: String
  let target: Target
  /// The words that begin each command of this program.
  let program: [String]

  /// A tool keeps a token for five minutes, and sends it once more when they are over.
  private static let lifetime = ["--min-ttl", "6m"]
  /// Both tools end a helper for headers after ten seconds.
  private static let limit = ["--within", "8s"]

  /// The command that the tool runs.
  var command: [String] {
    switch target {
    case .service: program + ["token", account, "--helper"] + Self.lifetime
    case .server: program + ["headers", account, "--helper"] + Self.lifetime + Self.limit
    }
  }

  /// The command as a line of sh(1).
  var line: String { command.map(Self.word).joined(separator: " ") }

  /// Whether a command in a tool's settings is one that a recipe wrote.
  static func isOurs(_ command: String) -> Bool {
    let words = command.split(separator: " ")
    return words.contains("--helper") && (words.contains("token") || words.contains("headers"))
      && words.first.map { $0 == "thumblatch" || $0.hasSuffix("/thumblatch") } == true
  }

  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain ? text : ShellText.sh.quoted(text)
  }
}
