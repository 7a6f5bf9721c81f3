internal import System

/// A tool of others that runs a command for its tokens, and reads the command from a settings file.
enum Tool: String, CaseIterable {
  case claudeCode = "claude-code"
  case codex

  /// The name that its makers give it.
  var title: String {
    switch self {
    case .claudeCode: "Claude Code"
    case .codex: "Codex"
    }
  }

  /// The settings file for a target, by the tool's own rules.
  func settings(
    for target: ToolRecipe.Target,
    _ environment: @escaping (String) -> String?
  ) throws(CommandError) -> SettingsFile {
    switch (self, target) {
    case (.claudeCode, .service):
      try settings(in: "CLAUDE_CONFIG_DIR", or: ".claude", "settings.json", environment)
    case (.claudeCode, .server):
      try settings(in: "CLAUDE_CONFIG_DIR", or: "", ".claude.json", environment)
    case (.codex, _): try settings(in: "CODEX_HOME", or: ".codex", "config.toml", environment)
    }
  }

  /// All settings files that a recipe may have changed.
  func allSettings(
    _ environment: @escaping (String) -> String?
  ) throws(CommandError) -> [SettingsFile] {
    let service = try settings(for: .service(url: ""), environment)
    let server = try settings(for: .server(name: "", url: ""), environment)
    return service.path == server.path ? [service] : [service, server]
  }

  private func settings(
    in variable: String,
    or folder: String,
    _ name: String,
    _ environment: @escaping (String) -> String?
  ) throws(CommandError) -> SettingsFile {
    if let directory = environment(variable), directory.hasPrefix("/") {
      return SettingsFile("\(directory)/\(name)")
    }
    guard let home = ToolEnvironment(environment).value("HOME") else {
      throw .usage("the home directory is not known", hint: "set HOME")
    }
    return SettingsFile(([home, folder, name].filter { !$0.isEmpty }).joined(separator: "/"))
  }
}
