internal import JSON

/// The settings of Claude Code: `apiKeyHelper` in settings.json, and `headersHelper` of a server in
/// .claude.json.
struct ClaudeCodeSettings {
  private static let helper = ["apiKeyHelper"]
  private static let address = ["env", "ANTHROPIC_BASE_URL"]
  private static let servers = "mcpServers"

  private var edit: JSONEdit

  /// Reads a settings file; a missing one is empty.
  init(_ bytes: [UInt8]?) throws(JSONEdit.Problem) {
    edit = if let bytes { try JSONEdit(bytes) } else { JSONEdit() }
  }

  var bytes: [UInt8] { edit.bytes }
  var isEmpty: Bool { edit.isEmpty }

  /// Whether there is a recipe already.
  var hasRecipe: Bool {
    get throws(JSONEdit.Problem) {
      var others = self
      return try others.removeRecipes(before: ClaudeCodeSettings(nil))
    }
  }

  /// Writes a recipe.
  mutating func add(_ recipe: ToolRecipe) throws(JSONEdit.Problem) {
    switch recipe.target {
    case .service(let url):
      try edit.set(Self.helper, to: Self.literal(recipe.line))
      try edit.set(Self.address, to: Self.literal(url))
    case .server(let name, let url):
      let server = [Self.servers, name]
      if try edit.literal(at: server) == nil {
        try edit.set(server + ["type"], to: Self.literal("http"))
        try edit.set(server + ["url"], to: Self.literal(url))
      }
      try edit.set(server + ["headersHelper"], to: Self.literal(recipe.line))
    }
  }

  /// The members of a recipe.
  static func lines(_ recipe: ToolRecipe) -> [String] {
    func text(_ text: String) -> String { String(decoding: literal(text), as: UTF8.self) }
    return switch recipe.target {
    case .service(let url):
      ["\"apiKeyHelper\": \(text(recipe.line))", "\"env\": {\"ANTHROPIC_BASE_URL\": \(text(url))}"]
    case .server(let name, let url):
      [
        "\"mcpServers\": {\(text(name)): {\"type\": \"http\", \"url\": \(text(url)),",
        "  \"headersHelper\": \(text(recipe.line))}}",
      ]
    }
  }

  /// The URL of a server that is there already.
  func url(ofServer name: String) throws(JSONEdit.Problem) -> String? {
    try edit.string(at: [Self.servers, name, "url"])
  }

  /// Takes all recipes back: each member is again as in `before`.
  ///
  /// - Returns: whether there was a recipe.
  mutating func removeRecipes(before: ClaudeCodeSettings) throws(JSONEdit.Problem) -> Bool {
    var found = false
    if let line = try edit.string(at: Self.helper), ToolRecipe.isOurs(line) {
      found = true
      for path in [Self.helper, Self.address] { try restore(path, from: before) }
    }
    for name in try edit.names(at: [Self.servers]) {
      let server = [Self.servers, name]
      guard let line = try edit.string(at: server + ["headersHelper"]), ToolRecipe.isOurs(line)
      else { continue }
      found = true
      let isKnown = try before.edit.literal(at: server) != nil
      try restore(isKnown ? server + ["headersHelper"] : server, from: before)
    }
    return found
  }

  private mutating func restore(
    _ path: [String],
    from before: ClaudeCodeSettings
  ) throws(JSONEdit.Problem) {
    if let literal = try before.edit.literal(at: path) {
      try edit.set(path, to: literal)
    } else {
      try edit.remove(path)
      // The object around it may have been made for it.
      let parent = Array(path.dropLast())
      if !parent.isEmpty, try edit.names(at: parent).isEmpty,
        try before.edit.literal(at: parent) == nil
      {
        try edit.remove(parent)
      }
    }
  }

  private static func literal(_ text: String) -> [UInt8] {
    (try? JSONWriter.write(.string(text))) ?? []
  }
}
