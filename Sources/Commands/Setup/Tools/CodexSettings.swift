/// The settings of Codex: tables between two comments in config.toml.
struct CodexSettings {
  private static let begin = "# >>> thumblatch"
  private static let end = "# <<< thumblatch"

  private(set) var text: String

  /// Reads a settings file; a missing one is empty, and `nil` is one that is not text.
  init?(_ bytes: [UInt8]?) {
    guard let text = String(validating: bytes ?? [], as: UTF8.self) else { return nil }
    self.text = text
  }

  /// The name of the provider that a recipe for a service adds.
  static let provider = "thumblatch"

  /// The header of the table that a recipe adds.
  static func table(of recipe: ToolRecipe) -> String {
    switch recipe.target {
    case .service: "model_providers.\(provider)"
    case .server(let name, _): "mcp_servers.\(key(name))"
    }
  }

  /// Whether a table of the user's own has the name.
  func hasOwn(_ table: String) -> Bool {
    var others = self
    _ = others.removeRecipes()
    let name = table.filter { $0 != "\"" }
    for line in others.text.split(separator: "\n") {
      let header = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
      if header.hasPrefix("[\(name)]") || header.hasPrefix("[\(name).") { return true }
    }
    return false
  }

  /// Whether there is a recipe already.
  var hasRecipe: Bool {
    var others = self
    return others.removeRecipes()
  }

  /// Writes a recipe in place of an earlier one for the same table.
  mutating func add(_ recipe: ToolRecipe) {
    let table = Self.table(of: recipe)
    _ = remove { $0 == "\(Self.begin) \(table)" }
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    if !text.isEmpty { text += "\n" }
    text +=
      (["\(Self.begin) \(table)"] + Self.lines(recipe) + ["\(Self.end) \(table)"])
      .joined(separator: "\n") + "\n"
  }

  /// Takes all recipes back.
  ///
  /// - Returns: whether there was one.
  mutating func removeRecipes() -> Bool { remove { _ in true } }

  /// The lines of a recipe.
  static func lines(_ recipe: ToolRecipe) -> [String] {
    let table = table(of: recipe)
    switch recipe.target {
    case .service(let url):
      return [
        "[\(table)]",
        "name = \(string("\(recipe.account) by Thumblatch"))",
        "base_url = \(string(url))",
        "wire_api = \"responses\"",
        "[\(table).auth]",
        "command = \(string(recipe.command[0]))",
        "args = [\(recipe.command.dropFirst().map(string).joined(separator: ", "))]",
        // A person needs more time than the usual five seconds.
        "timeout_ms = 120000",
        "refresh_interval_ms = 300000",
      ]
    case .server(_, let url):
      return [
        "[\(table)]",
        "url = \(string(url))",
        "http_headers_helper = \(string(recipe.line))",
      ]
    }
  }

  private mutating func remove(_ isMeant: (Substring) -> Bool) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    var index = 0
    var found = false
    while index < lines.count {
      guard isMeant(lines[index]), let last = Self.end(ofRecipeAt: index, lines) else {
        kept.append(lines[index])
        index += 1
        continue
      }
      found = true
      // The empty line before it came with it.
      if kept.last?.isEmpty == true { kept.removeLast() }
      index = last + 1
    }
    text = kept.joined(separator: "\n")
    return found
  }

  /// The last line of the recipe that begins at a line; `nil` if there is none, or its end was lost.
  private static func end(ofRecipeAt index: Int, _ lines: [Substring]) -> Int? {
    guard lines[index].hasPrefix(begin) else { return nil }
    let last = lines[(index + 1)...].firstIndex { $0.hasPrefix(begin) || $0.hasPrefix(end) }
    return last.flatMap { lines[$0].hasPrefix(end) ? $0 : nil }
  }

  /// A bare key of TOML, or a quoted one.
  private static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isBare ? name : string(name)
  }

  /// A basic string of TOML; all its characters are printable.
  private static func string(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
