// Distinguishes a recipe from a file that a person wrote or changed.
extension ToolRecipe {
  /// Represents an account, a URL or a program in a template; no recipe has this letter itself.
  private static let gap = "Z"

  /// Whether setup could have written these bytes, for any account, URL and program.
  ///
  /// JSON has no comments, so a recipe has no mark of its own: its whole text is the mark. A
  /// person's change of anything else makes the file that person's.
  static func isRecipe(_ bytes: [UInt8], of tool: Tool) -> Bool {
    switch tool {
    case .claudeCode: return isPart(bytes, of: tool)
    case .codex:
      let sections = String(validating: bytes, as: UTF8.self).map(ProfileSection.all) ?? []
      return !sections.isEmpty
        && sections.allSatisfy { isPart(Array($0.text.utf8), of: tool) }
    }
  }

  /// Whether bytes are a file of Claude Code, or a section of a profile of Codex.
  private static func isPart(_ bytes: [UInt8], of tool: Tool) -> Bool {
    let parts = parts(of: bytes)
    return templates(of: tool).contains { template in
      let expected = Self.parts(of: Array(template.utf8))
      return expected.count == parts.count && zip(parts, expected).allSatisfy(fits)
    }
  }

  /// The recipe, merged with the content that an earlier setup wrote into the same profile of
  /// Codex.
  ///
  /// The service stays if this recipe has none. So does the MCP server of each other account.
  func beside(_ bytes: [UInt8]) -> ToolRecipe {
    guard tool == .codex, Self.isRecipe(bytes, of: tool) else { return self }
    let sections = ProfileSection.all(of: String(decoding: bytes, as: UTF8.self))
    var recipe = self
    recipe.serverName = serverName(beside: sections)
    recipe.former = sections.filter { section in
      !recipe.ownSections.contains { $0.replaces(section) }
    }
    return recipe
  }

  /// Finds the first file name that no profile of another account has.
  ///
  /// Accounts may differ only in dots and hyphens. A name that the person gives is used as it is.
  ///
  /// - Parameter contents: reads the file of a recipe; `nil` if there is none.
  /// - Returns: the recipe with that name.
  func withOwnName(_ contents: (ToolRecipe) -> [UInt8]?) -> ToolRecipe {
    guard tool == .codex, isNamedAfterAccount else { return self }
    var recipe = self
    while let bytes = contents(recipe), recipe.isAnothers(bytes) { recipe.number += 1 }
    return recipe
  }

  /// Whether the profile with this recipe's file name belongs to another account.
  private func isAnothers(_ profile: [UInt8]) -> Bool {
    let accounts = ProfileSection.accounts(in: profile)
    return !accounts.contains(account) && accounts.contains(where: isFileName)
  }

  /// Whether an account's files get this recipe's file name if the person gives none.
  private func isFileName(of account: String) -> Bool {
    let name = Self.withoutDots(account)
    guard fileName != name else { return true }
    return fileName.hasPrefix(name + "-") && Int(fileName.dropFirst(name.count + 1)) ?? 0 > 1
  }

  /// The name that the account's MCP server has in the profile already, or the first one that no
  /// other account has: accounts may differ only in dots and hyphens.
  private func serverName(beside sections: [ProfileSection]) -> String? {
    let known = sections.filter { $0.serverName != nil }
    if let own = known.first(where: { $0.isFor(account) }) { return own.serverName }
    let taken = known.compactMap(\.serverName)
    let name = Self.withoutDots(account)
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) }
  }

  /// Each text that setup writes for a tool, or for a section of a profile of Codex, with gaps.
  private static func templates(of tool: Tool) -> [String] {
    let addresses: [(service: String?, server: String?)] = [(gap, nil), (nil, gap)]
    return [[gap], [gap, "--private"]].flatMap { program in
      addresses.flatMap { address in
        ToolRecipe(
          tool: tool,
          directory: "",
          account: gap,
          name: gap,
          service: address.service,
          server: address.server,
          program: program,
          variables: []
        ).files.map(\.text)
      }
    }
  }

  /// The parts of a text between its quotation marks, so that no gap reaches beyond its string.
  private static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\""), !isEscaped {
        parts.append(bytes[start..<index])
        start = index + 1
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    parts.append(bytes[start...])
    return parts
  }

  /// Whether a part matches a template, with any text in its gaps.
  private static func fits(_ part: ArraySlice<UInt8>, _ template: ArraySlice<UInt8>) -> Bool {
    let pieces = template.split(separator: UInt8(ascii: "Z"), omittingEmptySubsequences: false)
    guard pieces.count > 1 else { return part.elementsEqual(template) }
    var rest = part
    guard rest.starts(with: pieces[0]) else { return false }
    rest = rest.dropFirst(pieces[0].count)
    for piece in pieces[1..<(pieces.count - 1)] {
      guard let place = rest.firstRange(of: piece) else { return false }
      rest = rest[place.upperBound...]
    }
    let end = pieces[pieces.count - 1]
    return rest.suffix(end.count).elementsEqual(end)
  }
}
