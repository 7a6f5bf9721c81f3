internal import Configuration

/// The tokens in gh's `hosts.yml`, in the form in which gh writes it.
///
/// That is a mapping of hosts. Each has `user`, `oauth_token` and `users`, with a token for each
/// user. A line of any other form is left as it is. Only a token that is a plain word can be moved:
/// a reader of YAML could find another text in it.
enum GitHubHosts {
  private static let unknownForm = "its format is not known"

  private struct Line {
    let range: Range<Int>
    let indent: Int
    let key: String
    let value: String
  }

  /// One entry for each token of a host, with all lines that have it.
  static func entries(in bytes: [UInt8]) -> [ForeignEntry] {
    var entries: [ForeignEntry] = []
    var rest = lines(of: bytes)[...]
    while let host = rest.popFirst() {
      let body = rest.prefix { $0.indent > 0 }
      rest = rest.dropFirst(body.count)
      guard host.indent == 0, host.value.isEmpty, let address = try? TokenHost(host.key) else {
        continue
      }
      entries += self.entries(of: address, Array(body))
    }
    return entries
  }

  private static func entries(of host: TokenHost, _ lines: [Line]) -> [ForeignEntry] {
    let first = lines.first?.indent ?? 0
    let active = lines.first { $0.indent == first && $0.key == "user" }?.value
    var tokens: [(text: String, user: String?, lines: [Range<Int>])] = []
    for (index, line) in lines.enumerated() {
      guard line.key == "oauth_token", !["", "null", "~"].contains(line.value) else { continue }
      let isOfHost = line.indent == first
      // The nearest line above with less indentation names the user.
      let user = isOfHost ? active : lines[..<index].last { $0.indent < line.indent }?.key
      let same = tokens.firstIndex {
        $0.text == line.value && ($0.user == user || $0.user == nil || user == nil)
      }
      if let same {
        tokens[same].user = tokens[same].user ?? user
        tokens[same].lines.append(line.range)
      } else {
        tokens.append((line.value, user, [line.range]))
      }
    }
    return tokens.map { token in
      let user = token.user.flatMap { isWord($0) ? $0 : nil }
      let isKnown = isWord(token.text) && user == token.user
      return ForeignEntry(
        name: user.map { "\($0)@\(host)" } ?? host.text,
        content: isKnown
          ? .secret(ForeignSecret(host: host, username: user, text: token.text))
          : .unmovable(unknownForm),
        removal: .bytes(token.lines)
      )
    }
  }

  /// Whether YAML reads a text as a plain word.
  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber)
          || "_.-".contains(character)
      }
  }

  private static func lines(of bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
      defer { start = end }
      let content = bytes[start..<end].prefix { $0 != UInt8(ascii: "\n") }
      let indent = content.prefix { $0 == UInt8(ascii: " ") }.count
      let text = content.dropFirst(indent)
      guard let first = text.first, first != UInt8(ascii: "#"),
        let colon = text.lastIndex(of: UInt8(ascii: ":"))
      else { continue }
      // The key of a host with a port has a colon, and no value has one behind a space.
      let split = separator(in: text) ?? colon
      lines.append(
        Line(
          range: start..<end,
          indent: indent,
          key: plain(text[..<split]),
          value: plain(text[(split + 1)...])
        )
      )
    }
    return lines
  }

  /// The first colon with a space behind it.
  private static func separator(in text: ArraySlice<UInt8>) -> Int? {
    text.indices.first { index in
      text[index] == UInt8(ascii: ":") && index + 1 < text.endIndex
        && text[index + 1] == UInt8(ascii: " ")
    }
  }

  /// The text of a scalar without its quotes.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    while let last = bytes.last, blanks.contains(last) { bytes = bytes.dropLast() }
    bytes = bytes.drop { blanks.contains($0) }
    if bytes.count > 1, let quote = bytes.first, bytes.last == quote,
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    {
      bytes = bytes.dropFirst().dropLast()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
