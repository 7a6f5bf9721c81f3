internal import Configuration
internal import Glibc
internal import JSON

/// `setup TOOL` and `setup --undo`: has another tool run thumblatch for its tokens.
enum SetupTools {
  static let url = Verb.Option(
    "--url",
    "URL",
    "with TOOL: the service or gateway to which the tool sends the token"
  )
  static let mcp = Verb.Option("--mcp", "URL", "with TOOL: the MCP server that gets the token")
  static let name = Verb.Option("--name", "NAME", "with --mcp: the tool's name for the server")
  static let undo = Verb.Option("--undo", "take back what setup wrote into the settings of tools")
  static let yes = Verb.Option("--yes", "with TOOL: do not ask before the settings are changed")

  /// The tool of a word.
  static func tool(_ word: String) throws(CommandError) -> Tool {
    if let tool = Tool(rawValue: word) { return tool }
    let known = Tool.allCases.map(\.rawValue)
    throw .usage(
      "setup does not know the tool \(word)",
      hint: Nearest.match(word, in: known).map { "did you mean: \($0)" }
        ?? "it knows \(known.joined(separator: " and ")); others are in thumblatch-recipes(7)"
    )
  }

  // MARK: Writing

  /// Writes the recipe that the words name, after the person has seen it.
  static func write(_ tool: Tool, _ session: Session) throws(CommandError) {
    let recipe = try recipe(tool, session)
    let file = try tool.settings(for: recipe.target, session.environment)
    let change = try change(recipe, file)
    if !session.arguments.has(yes.name) {
      if !session.output.json {
        session.output.talk("\(tool.title) gets this in \(file.path):")
        session.output.announce(lines: change.lines.map { "  \($0)" })
      }
      try session.confirm("Write it?", for: "a confirmation", otherwise: "nothing changed")
    }
    let backup = try file.write(change.bytes, keepsBackup: change.isFirst) ? file.backup : nil
    try session.report(
      [
        "tool": .string(tool.rawValue), "account": .string(recipe.account),
        "url": .string(recipe.target.url), "file": .string(file.path),
        "backup": AccountText.optional(backup), "command": .string(recipe.line),
      ],
      "\(tool.title) sends tokens of \(recipe.account) to \(recipe.target.url) from now on"
        + (backup.map { "; the settings before: \($0)" } ?? "")
    )
    if !session.output.json, let next = next(recipe) { session.output.talk(next) }
  }

  /// What the words ask for.
  private static func recipe(_ tool: Tool, _ session: Session) throws(CommandError) -> ToolRecipe {
    let arguments = session.arguments
    guard arguments.operands.count > 1 else {
      throw .usage(
        "name the account whose tokens \(tool.title) gets",
        hint: "such as: thumblatch setup \(tool.rawValue) work --mcp https://mcp.example.org/mcp"
      )
    }
    let account = try session.accountName(arguments.operands[1])
    let target: ToolRecipe.Target
    switch (arguments.value(url.name), arguments.value(mcp.name)) {
    case (let url?, nil): target = .service(url: try checked(url, SetupTools.url.name))
    case (nil, let url?):
      let address = try checked(url, mcp.name)
      let name = try arguments.value(name.name).map { name throws(CommandError) in
        try session.accountName(name)
      }
      target = .server(name: name ?? account, url: address)
    default:
      throw .usage(
        "one of --url and --mcp says where the token may go",
        hint: "--url for the tool's own service or a gateway, --mcp for a server of MCP"
      )
    }
    return ToolRecipe(tool: tool, account: account, target: target, program: program(session))
  }

  /// A URL to which a token may be sent.
  private static func checked(_ url: String, _ option: String) throws(CommandError) -> String {
    do throws(ConfigurationError) { _ = try RequestTarget(url) } catch {
      throw .usage("\(option) \(ConfigurationError(error.problem))")
    }
    return url
  }

  /// A document with a recipe.
  private struct Change {
    let bytes: [UInt8]
    /// What the person sees of it.
    let lines: [String]
    /// Whether the document had no recipe before.
    let isFirst: Bool
  }

  private static func change(
    _ recipe: ToolRecipe,
    _ file: SettingsFile
  ) throws(CommandError) -> Change {
    switch recipe.tool {
    case .claudeCode:
      do throws(JSONEdit.Problem) {
        var settings = try ClaudeCodeSettings(try contents(file))
        if case .server(let name, let url) = recipe.target,
          let known = try settings.url(ofServer: name), known != url
        {
          throw JSONEdit.Problem.otherServer(name, known)
        }
        let isFirst = try !settings.hasRecipe
        try settings.add(recipe)
        return Change(
          bytes: settings.bytes,
          lines: ClaudeCodeSettings.lines(recipe),
          isFirst: isFirst
        )
      } catch {
        throw refused(error, file)
      }
    case .codex:
      guard var settings = CodexSettings(try file.read()) else { throw notText(file) }
      let table = CodexSettings.table(of: recipe)
      guard !settings.hasOwn(table) else {
        throw .usage(
          "\(file.path) has a table [\(table)] already",
          hint: "remove it, or give the server another --name"
        )
      }
      let isFirst = !settings.hasRecipe
      settings.add(recipe)
      return Change(
        bytes: Array(settings.text.utf8),
        lines: CodexSettings.lines(recipe),
        isFirst: isFirst
      )
    }
  }

  /// What is left for the person to do.
  private static func next(_ recipe: ToolRecipe) -> String? {
    switch (recipe.tool, recipe.target) {
    case (.codex, .service): "to use it: codex -c model_provider=\(CodexSettings.provider)"
    default: nil
    }
  }

  /// The beginning of the command: this program where the person finds it.
  private static func program(_ session: Session) -> [String] {
    let name = "thumblatch"
    let folders = session.environment("PATH")?.split(separator: ":") ?? []
    let paths = folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
    let found = paths.first { path in unsafe access(path, X_OK) == 0 }
    return [found ?? name] + (session.arguments.has("--private") ? ["--private"] : [])
  }

  // MARK: Undoing

  /// Takes the recipes of one tool, or of all, back.
  static func undo(_ tools: [Tool], _ session: Session) throws(CommandError) {
    var restored: [String] = []
    var backups: [String] = []
    for tool in tools {
      for file in try tool.allSettings(session.environment) {
        guard let bytes = try file.read(), let rest = try rest(tool, bytes, file) else { continue }
        let hadFile = try file.readBackup() != nil
        let isEmpty = rest.isEmpty && !hadFile
        if try file.restore(isEmpty ? nil : rest.bytes) { backups.append(file.backup) }
        restored.append(file.path)
      }
    }
    guard !restored.isEmpty else {
      throw CommandError(.notFound, "no tool has settings that thumblatch setup wrote")
    }
    try session.report(
      [
        "restored": .array(restored.map { .string($0) }),
        "backups": .array(backups.map { .string($0) }),
      ],
      "taken back: \(restored.joined(separator: ", "))"
        + (backups.isEmpty
          ? "" : "; changed since setup, so these stay: \(backups.joined(separator: ", "))")
    )
  }

  /// Whether a settings file has a recipe.
  static func hasRecipe(_ tool: Tool, _ file: SettingsFile) -> Bool {
    guard let bytes = try? file.read() else { return false }
    return switch tool {
    case .claudeCode: (try? ClaudeCodeSettings(bytes).hasRecipe) ?? false
    case .codex: CodexSettings(bytes)?.hasRecipe ?? false
    }
  }

  /// A document without recipes; `nil` if it has none.
  private static func rest(
    _ tool: Tool,
    _ bytes: [UInt8],
    _ file: SettingsFile
  ) throws(CommandError) -> (bytes: [UInt8], isEmpty: Bool)? {
    switch tool {
    case .claudeCode:
      do throws(JSONEdit.Problem) {
        var settings = try ClaudeCodeSettings(bytes)
        let before = try ClaudeCodeSettings(try backup(file))
        guard try settings.removeRecipes(before: before) else { return nil }
        return (settings.bytes, settings.isEmpty)
      } catch {
        throw refused(error, file)
      }
    case .codex:
      guard var settings = CodexSettings(bytes) else { throw notText(file) }
      guard settings.removeRecipes() else { return nil }
      return (Array(settings.text.utf8), settings.text.allSatisfy(\.isWhitespace))
    }
  }

  // MARK: Errors

  private static func contents(_ file: SettingsFile) throws(JSONEdit.Problem) -> [UInt8]? {
    do throws(CommandError) { return try file.read() } catch { throw .unreadable(error) }
  }

  private static func backup(_ file: SettingsFile) throws(JSONEdit.Problem) -> [UInt8]? {
    do throws(CommandError) { return try file.readBackup() } catch { throw .unreadable(error) }
  }

  private static func refused(_ problem: JSONEdit.Problem, _ file: SettingsFile) -> CommandError {
    switch problem {
    case .notJSON: .usage("\(file.path) is not a JSON object", hint: "correct the file")
    case .notObject(let name):
      .usage("the member around \"\(name)\" in \(file.path) is not an object")
    case .otherServer(let name, let url):
      .usage(
        "\(file.path) has another server \(name) already, at \(url)",
        hint: "give the server another --name"
      )
    case .unreadable(let error): error
    }
  }

  private static func notText(_ file: SettingsFile) -> CommandError {
    .usage("\(file.path) is not UTF-8 text", hint: "correct the file")
  }
}
