internal import Configuration

/// A section of a Codex profile: the settings of its service, or of one MCP server.
struct ProfileSection {
  /// The lines, with their ends.
  let text: String

  /// The beginning of the line that names an MCP server.
  static let server = "[mcp_servers."

  /// Whether it is for an MCP server.
  var isServer: Bool { text.utf8.starts(with: Self.server.utf8) }

  /// The sections of a profile.
  static func all(of text: String) -> [ProfileSection] {
    guard text.utf8.last == UInt8(ascii: "\n") else { return [] }
    var sections: [[Substring]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if sections.isEmpty || line.utf8.starts(with: server.utf8) { sections.append([]) }
      sections[sections.count - 1].append(line)
    }
    // The last line's end begins no line.
    sections[sections.count - 1].removeLast()
    return sections.map { lines in ProfileSection(text: lines.map { $0 + "\n" }.joined()) }
  }

  /// Whether this section replaces the other one.
  func replaces(_ other: ProfileSection) -> Bool {
    guard isServer, other.isServer else { return isServer == other.isServer }
    return header.elementsEqual(other.header)
  }

  /// The name of its MCP server in Codex; `nil` if it is for none.
  var serverName: String? {
    let (start, end) = (Self.server + "\"", "\"]")
    guard let line = String(header), line.hasPrefix(start), line.hasSuffix(end) else { return nil }
    return String(line.dropFirst(start.count).dropLast(end.count))
  }

  /// Whether its helper gets the tokens of an account.
  func isFor(_ account: String) -> Bool { Self.accounts(in: Array(text.utf8)).contains(account) }

  /// The accounts whose tokens the helpers in a profile get, also if a person has changed it.
  static func accounts(in profile: [UInt8]) -> [String] {
    [(" headers ", " --helper "), ("\"token\", \"", "\", \"--helper\"")].flatMap { start, end in
      profile.ranges(of: Array(start.utf8)).compactMap { place in
        let rest = profile[place.upperBound...]
        return rest.firstRange(of: Array(end.utf8)).flatMap { last in
          try? AccountName(String(decoding: rest[..<last.lowerBound], as: UTF8.self)).text
        }
      }
    }
  }

  private var header: Substring.UTF8View {
    text.utf8.prefix { $0 != UInt8(ascii: "\n") }
  }
}
