internal import System

/// A tool of others that runs a command for its tokens, and can be given a settings file.
enum Tool: String, CaseIterable {
  case claudeCode = "claude-code"
  case codex

  /// The beginning of the names of the files that setup writes.
  private static let prefix = "thumblatch-"
  /// The end of the name of a person's file that setup keeps; editors use `~` and `.bak`.
  private static let keptEnding = ".before-thumblatch"

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
    if let directory = environment(variable), directory.hasPrefix("/") {
      return Directory.followed(directory) ?? directory
    }
    guard let home = ToolEnvironment(environment).value("HOME") else {
      throw .usage("the home directory is not known", hint: "set HOME")
    }
    // The directory may be a symbolic link.
    return Directory.followed("\(home)/\(folder)") ?? "\(home)/\(folder)"
  }

  /// The files with a name that setup uses.
  ///
  /// The tool never changes them, and it reads them only if its command line names them.
  func files(in directory: String) -> [String] { Self.names(in: directory).filter(isFile).sorted() }

  /// The files that setup uses or keeps a person's file for, even if only the kept file is there.
  func filesOrKept(in directory: String) -> [String] {
    let names = Self.names(in: directory).map { name in
      name.hasSuffix(Self.keptEnding) ? String(name.dropLast(Self.keptEnding.count)) : name
    }
    return Set(names.filter(isFile)).sorted()
  }

  /// The name under which setup keeps a person's file.
  static func kept(_ name: String) -> String { name + keptEnding }

  /// The bytes of a file, of 1 MiB at most; `nil` if it cannot be read.
  static func contents(of name: String, in directory: String) -> [UInt8]? {
    try? Directory(path: directory).openForReading(name).readAll(limit: 1 << 20)
  }

  private static func names(in directory: String) -> [String] {
    (try? Directory(path: directory).names()) ?? []
  }

  private func isFile(_ name: String) -> Bool {
    name.hasPrefix(Self.prefix) && endings.contains { name.hasSuffix($0) }
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
