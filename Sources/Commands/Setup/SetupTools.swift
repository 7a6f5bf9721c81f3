internal import Configuration
internal import JSON
internal import System

/// `setup TOOL` and `setup --undo`: has another tool run thumblatch for its tokens.
enum SetupTools {
  static let url = Verb.Option(
    "--url",
    "URL",
    "with TOOL: the service or gateway to which the tool sends the token"
  )
  static let mcp = Verb.Option("--mcp", "URL", "with TOOL: the MCP server that gets the token")
  static let name = Verb.Option(
    "--name",
    "NAME",
    "with TOOL: the name of the files, and of the MCP server in Claude Code, instead of ACCOUNT"
  )
  static let undo = Verb.Option("--undo", "remove the files that setup wrote for tools")
  static let yes = Verb.Option("--yes", "with TOOL: write the files without asking")

  /// The tool that a word names.
  static func tool(_ word: String) throws(CommandError) -> Tool {
    if let tool = Tool(rawValue: word) { return tool }
    let known = Tool.allCases.map(\.rawValue)
    throw .usage(
      "unknown tool: \(word)",
      hint: Nearest.match(word, in: known).map { "did you mean: \($0)" }
        ?? "setup supports \(known.joined(separator: " and ")); for others, see thumblatch-recipes(7)"
    )
  }

  /// Refuses options of `setup TOOL` that would have no effect.
  static func demandTool(_ tool: Tool?, _ session: Session) throws(CommandError) {
    let isUndo = session.arguments.has(undo.name)
    guard isUndo || tool == nil else { return }
    for option in [url, mcp, name] + (isUndo ? [] : [yes])
    where session.arguments.has(option.name) {
      throw .usage(
        isUndo ? "\(option.name) cannot be combined with --undo" : "\(option.name) needs a tool",
        hint: isUndo
          ? undoHint : "such as: thumblatch setup codex work --mcp https://mcp.example.org/mcp"
      )
    }
    if isUndo, session.arguments.operands.count > 1 {
      throw .usage("ACCOUNT cannot be combined with --undo", hint: undoHint)
    }
  }

  private static let undoHint = "thumblatch setup --undo TOOL removes the files of one tool"

  // MARK: Writing

  /// Writes the recipe that the words name, after the person has seen it.
  static func write(_ tool: Tool, _ session: Session) throws(CommandError) {
    let asked = try recipe(tool, session)
    if !session.arguments.has(yes.name) {
      if !session.output.json {
        for file in besideFormer(asked).files {
          session.output.talk("\(file.path) gets this:")
          session.output.announce(lines: file.text.split(separator: "\n").map { "  \($0)" })
        }
      }
      try session.confirm("Write it?", for: "a confirmation", otherwise: "nothing was written")
    }
    let folder = try UserDirectory(asked.directory)
    try folder.lock(for: besideFormer(asked).files.map(\.name))
    // Another setup may have written after the question.
    let recipe = besideFormer(asked)
    let files = recipe.files
    let kept = try keepOthers(files, of: tool, folder, session)
    for file in files { try folder.write(Array(file.text.utf8), file.name) }
    try session.report(
      [
        "tool": .string(tool.rawValue), "account": .string(recipe.account),
        "files": .array(files.map { .string($0.path) }),
        "kept": .array(kept.map { .string($0) }), "use": .string(recipe.use),
      ],
      "To start \(tool.title) with tokens of \(recipe.account): \(recipe.use)"
    )
  }

  /// The recipe under its account's file name, merged with what an earlier setup wrote there.
  private static func besideFormer(_ asked: ToolRecipe) -> ToolRecipe {
    func former(_ recipe: ToolRecipe) -> [UInt8]? {
      recipe.files.lazy.compactMap { Tool.contents(of: $0.name, in: recipe.directory) }.first
    }
    let recipe = asked.withOwnName(former)
    return former(recipe).map(recipe.beside) ?? recipe
  }

  /// Keeps each file in the place of a recipe that is not a recipe itself.
  ///
  /// All are kept before the first one is replaced.
  ///
  /// - Returns: the paths of the kept files.
  private static func keepOthers(
    _ files: [ToolRecipe.File],
    of tool: Tool,
    _ folder: borrowing UserDirectory,
    _ session: Session
  ) throws(CommandError) -> [String] {
    var kept: [String] = []
    var others: [ToolRecipe.File] = []
    for file in files where try isOthers(file.name, of: tool, folder) { others.append(file) }
    for file in others { try folder.demandFree(Tool.kept(file.name), for: file.name) }
    for file in others {
      try folder.keep(file.name, as: Tool.kept(file.name))
      kept.append(Tool.kept(file.path))
      session.output.talk("the former \(file.path) is kept as \(Tool.kept(file.path))")
    }
    return kept
  }

  /// Whether there is a file of this name that setup did not write as it is.
  private static func isOthers(
    _ name: String,
    of tool: Tool,
    _ folder: borrowing UserDirectory
  ) throws(CommandError) -> Bool {
    guard try folder.stamp(name) != nil else { return false }
    return !(folder.bytes(name).map { ToolRecipe.isRecipe($0, of: tool) } ?? false)
  }

  /// The request in the words of the command.
  private static func recipe(_ tool: Tool, _ session: Session) throws(CommandError) -> ToolRecipe {
    let arguments = session.arguments
    guard arguments.operands.count > 1 else {
      throw .usage(
        "name the account whose tokens \(tool.title) gets",
        hint: "such as: thumblatch setup \(tool.rawValue) work --mcp https://mcp.example.org/mcp"
      )
    }
    let account = try session.accountName(arguments.operands[1])
    let service = try address(url, session)
    let server = try address(mcp, session)
    guard service != nil || server != nil else {
      throw .usage(
        "--url or --mcp must say where the token may go",
        hint: "--url for the tool's own service or a gateway, --mcp for an MCP server"
      )
    }
    let name = try arguments.value(name.name).map(session.accountName) ?? account
    try ResourceBinding.demand(
      service: service,
      server: server,
      mayGetTokenOf: account,
      session
    )
    return ToolRecipe(
      tool: tool,
      directory: try tool.directory(session.environment),
      account: account,
      name: name,
      service: service,
      server: server,
      program: program(session),
      variables: variables(session),
      isNamedAfterAccount: !arguments.has(Self.name.name)
    )
  }

  /// The variables that name the person's vault, as words of env(1).
  private static func variables(_ session: Session) -> [String] {
    ["THUMBLATCH_SOCKET", "THUMBLATCH_STATE_DIR", "XDG_STATE_HOME"].compactMap { name in
      session.environment(name).flatMap { $0.isEmpty ? nil : "\(name)=\($0)" }
    }
  }

  /// A URL to which a token may be sent.
  private static func address(
    _ option: Verb.Option,
    _ session: Session
  ) throws(CommandError) -> String? {
    guard let url = session.arguments.value(option.name) else { return nil }
    do throws(ConfigurationError) { _ = try RequestTarget(url) } catch {
      throw .usage("\(option.name) \(ConfigurationError(error.problem))")
    }
    return url
  }

  /// The beginning of the command: this program where the person finds it.
  private static func program(_ session: Session) -> [String] {
    let name = "thumblatch"
    // The tool starts the command in another working directory.
    let folders = (session.environment("PATH") ?? "").split(separator: ":").filter {
      $0.hasPrefix("/")
    }
    let search = ExecutableSearch(path: Array(folders.joined(separator: ":").utf8))
    let found = folders.isEmpty ? nil : try? search.find(Array(name.utf8))
    return [found.map { String(decoding: $0, as: UTF8.self) } ?? name]
      + (session.arguments.has("--private") ? ["--private"] : [])
  }

  // MARK: Undoing

  /// The result of `--undo` for the files, by their paths.
  private struct Undone {
    var removed: [String] = []
    var restored: [String] = []
    /// The files that setup did not write as they are.
    var left: [String] = []
  }

  /// Removes the recipes of one tool, or of all, and puts the files back that were kept.
  ///
  /// A file that a person wrote or changed stays.
  static func undo(_ tools: [Tool], _ session: Session) throws(CommandError) {
    var undone = Undone()
    for tool in tools { try undo(tool, in: tool.directory(session.environment), &undone) }
    guard !undone.removed.isEmpty || !undone.restored.isEmpty else {
      throw CommandError(
        .notFound,
        undone.left.isEmpty
          ? "no tool has files that thumblatch setup wrote"
          : "nothing was removed: you wrote or changed \(undone.left.joined(separator: ", "))"
      )
    }
    try session.report(
      [
        "removed": .array(undone.removed.map { .string($0) }),
        "restored": .array(undone.restored.map { .string($0) }),
        "left": .array(undone.left.map { .string($0) }),
      ],
      [
        ("removed", undone.removed), ("put back", undone.restored),
        ("left, because you wrote or changed it", undone.left),
      ].filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
        .joined(separator: "; ")
    )
  }

  private static func undo(
    _ tool: Tool,
    in directory: String,
    _ undone: inout Undone
  ) throws(CommandError) {
    let names = tool.filesOrKept(in: directory)
    guard !names.isEmpty else { return }
    let folder = try UserDirectory(directory)
    try folder.lock(for: names)
    for name in names {
      let path = "\(directory)/\(name)"
      let kept = Tool.kept(name)
      let hasKept = try folder.stamp(kept) != nil
      if try isOthers(name, of: tool, folder), try !folder.isSame(name, kept) {
        undone.left += hasKept ? [path, Tool.kept(path)] : [path]
      } else if hasKept {
        try folder.putBack(name, from: kept)
        undone.restored.append(path)
      } else {
        try folder.remove(name)
        undone.removed.append(path)
      }
    }
  }
}
