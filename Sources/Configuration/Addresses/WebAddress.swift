/// Scheme, host, port and path of a URL that holds nothing else (RFC 3986, section 3).
///
/// User information, queries and fragments are refused. User information may hold a password. All
/// three can show a person one location and lead to another.
struct WebAddress: Sendable, Hashable {
  static let maximumLength = 1024

  let scheme: String
  let host: String
  let port: Int?
  let path: String

  /// Parses a URL in any spelling; `nil` if it is malformed.
  ///
  /// `ports` holds the default port of each scheme.
  init?(_ text: String, ports: KeyValuePairs<String, Int>) {
    guard text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let separator = Self.schemeEnd(text)
    else { return nil }
    scheme = text[..<separator.lowerBound].lowercased()
    let named = scheme
    guard let standardPort = ports.first(where: { $0.key == named })?.value else { return nil }
    let rest = text[separator.upperBound...]
    // Bytes, because the text is ASCII, and a search for graphemes is slow.
    let pathStart = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    guard let (host, port) = Self.authority(rest[..<pathStart]) else { return nil }
    self.host = host
    self.port = port == standardPort ? nil : port
    var path = String(rest[pathStart...])
    if path.hasSuffix("/") { path.removeLast() }
    guard path.isEmpty || (Self.isPath(path) && !path.hasSuffix("/")) else { return nil }
    self.path = path
  }

  /// The canonical spelling, without a slash at the end.
  var text: String {
    var text = "\(scheme)://\(host)"
    if let port { text += ":\(port)" }
    return text + path
  }

  /// Whether the host is this machine by its literal name or address, independent of DNS.
  ///
  /// Names under `localhost` do not count: some resolvers send them to a server.
  var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && Self.isIPv4(host))
  }

  private static let marks = Set("-._~!$&'()*+,;=:@".utf8)

  /// An absolute path of ordinary characters, without empty, `.` or `..` parts.
  ///
  /// One slash at the end is allowed, because some frameworks require it.
  static func isPath(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path.utf8.count <= 256 else { return false }
    guard path.utf8.allSatisfy({ $0 == 0x2F || isAlphanumeric($0) || marks.contains($0) }) else {
      return false
    }
    var parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    return parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }

  private static func schemeEnd(_ text: String) -> Range<String.Index>? {
    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
    return text.rangeOfSchemeEnd.flatMap { $0.lowerBound == colon ? $0 : nil }
  }

  private static func authority(_ text: Substring) -> (String, Int?)? {
    let host: String
    let after: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let number = text[text.index(after: text.startIndex)..<end].lowercased()
      guard isIPv6(number) else { return nil }
      host = "[\(number)]"
      after = text[text.index(after: end)...]
    } else {
      let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
      host = text[..<end].lowercased()
      guard isHostName(host) else { return nil }
      after = text[end...]
    }
    if after.isEmpty { return (host, nil) }
    let digits = after.dropFirst()
    guard after.hasPrefix(":"), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy(isDigit), let port = Int(digits), (1...65_535).contains(port)
    else { return nil }
    return (host, port)
  }

  /// Checks for a DNS name or a full IPv4 address.
  ///
  /// `127.1` and `0x7f000001` are neither, although resolvers accept them as an address.
  private static func isHostName(_ host: String) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    let hyphen = UInt8(ascii: "-")
    // The bytes of the label so far, its first one, and its last one.
    var count = 0
    var initial = hyphen
    var last = hyphen
    for byte in host.utf8 {
      if byte == UInt8(ascii: ".") {
        guard last != hyphen else { return false }
        count = 0
        last = hyphen
        continue
      }
      guard isAlphanumeric(byte) || (byte == hyphen && count > 0), count < 63 else { return false }
      if count == 0 { initial = byte }
      count += 1
      last = byte
    }
    guard last != hyphen else { return false }
    return isDigit(initial) ? isIPv4(host) : true
  }

  private static func isIPv4(_ host: some StringProtocol) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit)
          && (part.count == 1 || !part.hasPrefix("0")) && (Int(part) ?? 256) < 256
      }
  }

  private static func isIPv6(_ text: String) -> Bool {
    var halves: [Substring] = [text[...]]
    let pieces = text.utf8.count
    guard (2...45).contains(pieces) else { return false }
    if let gap = doubleColon(text) {
      halves = [text[..<gap], text[text.index(gap, offsetBy: 2)...]]
    }
    var groups = 0
    for (index, half) in halves.enumerated() where !half.isEmpty {
      let parts = half.split(separator: ":", omittingEmptySubsequences: false)
      for (position, part) in parts.enumerated() {
        let isLast = index == halves.count - 1 && position == parts.count - 1
        if isLast, part.contains("."), isIPv4(part) {
          groups += 2
        } else {
          guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexadecimal) else {
            return false
          }
          groups += 1
        }
      }
    }
    return halves.count == 1 ? groups == 8 : groups < 8
  }

  private static func doubleColon(_ text: String) -> String.Index? {
    var previous: String.Index?
    for index in text.indices where text[index] == ":" {
      if let previous, text.index(after: previous) == index { return previous }
      previous = index
    }
    return nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension String {
  /// The first `://`; `nil` if there is none.
  ///
  /// Searching for a text with the standard library takes longer than all other work for a cached
  /// token.
  package var rangeOfSchemeEnd: Range<Index>? {
    let mark = "://".utf8
    var rest = utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[colon...]
      if rest.starts(with: mark) { return colon..<rest.index(colon, offsetBy: mark.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
