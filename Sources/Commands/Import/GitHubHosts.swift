internal import Configuration

/// The tokens in gh's `hosts.yml`, in the form in which gh writes it.
///
/// That is a mapping of hosts. Each has `user`, `oauth_token` and `users`, with a token for each user. A
/// line of any other form is left as it is.
enum GitHubHosts {
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
    var user: String?
    var tokens: [(text: String, user: String?, lines: [Range<Int>])] = []
    for (index, line) in lines.enumerated() {
      guard line.key == "oauth_token", !line.value.isEmpty else { continue }
      let isOfHost = line.indent == first
      // The nearest line above with less indentation names the user.
      user = isOfHost ? active : lines[..<index].last { $0.indent < line.indent }?.key
      if let known = tokens.firstIndex(where: { $0.text == line.value }) {
        tokens[known].lines.append(line.range)
      } else {
        tokens.append((line.value, user, [line.range]))
      }
    }
    return tokens.map { token in
      ForeignEntry(
        name: token.user.map { "\($0)@\(host)" } ?? host.text,
        content: .secret(ForeignSecret(host: host, username: token.user, text: token.text)),
        removal: .bytes(token.lines)
      )
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
        let colon = text.lastIndex(of: UInt8(ascii: ":")) ?? nil
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
