internal import System

/// A tool of others that runs a command for its tokens, and can be given a settings file.
enum Tool: String, CaseIterable {
  case claudeCode = "claude-code"
  case codex

  /// The beginning of the names of the files that setup writes.
  private static let prefix = "thumblatch-"

  /// The name that its makers give it.
  var title: String {
    switch self {
    case .claudeCode: "Claude Code"
    case .codex: "Codex"
    }
  }

  /// The name of its program.
  var command: String {
    switch self {
    case .claudeCode: "claude"
    case .codex: "codex"
    }
  }

  /// The directory of its settings, by the tool's own rules.
  func directory(_ environment: @escaping (String) -> String?) throws(CommandError) -> String {
    let (variable, folder) =
      switch self {
      case .claudeCode: ("CLAUDE_CONFIG_DIR", ".claude")
      case .codex: ("CODEX_HOME", ".codex")
      }
    if let directory = environment(variable), directory.hasPrefix("/") { return directory }
    guard let home = ToolEnvironment(environment).value("HOME") else {
      throw .usage("the home directory is not known", hint: "set HOME")
    }
    return "\(home)/\(folder)"
  }

  /// The files that setup wrote into a directory.
  ///
  /// The tool never changes them, and it reads them only if its command line names them.
  func files(in directory: String) -> [String] {
    guard let directory = try? Directory(path: directory), let names = try? directory.names() else {
      return []
    }
    return names.filter { name in
      name.hasPrefix(Self.prefix) && endings.contains { name.hasSuffix($0) }
    }.sorted()
  }

  /// The name of the file of a recipe.
  func file(_ name: String, _ ending: String) -> String { Self.prefix + name + ending }

  private var endings: [String] {
    switch self {
    case .claudeCode: [".settings.json", ".mcp.json"]
    case .codex: [".config.toml"]
    }
  }
}
