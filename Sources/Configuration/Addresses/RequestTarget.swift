/// The destination of a request with an access token: scheme, host, port, and the rest of the URL.
///
/// A token may go to the issuer's own origin, and to the hosts that the provider's file lists in
/// `api_hosts`. A token for one resource may go there only. Any other host would steal it.
package struct RequestTarget: Sendable, Equatable {
  /// The most bytes of a URL.
  package static let maximumLength = 8192
  static let ports: KeyValuePairs = ["https": 443, "http": 80]

  /// `https`, or `http`, which is allowed only on this machine.
  package let scheme: String
  /// In lower case; an IPv6 address in brackets.
  package let host: String
  /// The port, filled in with the scheme's default.
  package let port: Int
  /// Path and query; begins with `/`.
  private let rest: String

  /// Parses a URL.
  ///
  /// It is strict, so that two parsers cannot read one text differently. User information,
  /// backslashes, blanks and non-ASCII characters are refused. The sent URL is assembled from the
  /// parsed parts.
  package init(_ text: String) throws(ConfigurationError) {
    let rule = "a URL such as https://api.example.com/path, without user, blank or backslash"
    let bad = ConfigurationError(.badValue(text: nil, rule: rule))
    guard text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
      let colon = text.rangeOfSchemeEnd
    else { throw bad }
    let after = text[colon.upperBound...]
    let end = after.utf8.firstIndex { "/?#".utf8.contains($0) } ?? after.endIndex
    guard let address = WebAddress(String(text[..<end]), ports: Self.ports),
      let standard = Self.standardPort(of: address.scheme)
    else { throw bad }
    try Self.demandPrivate(address)
    scheme = address.scheme
    host = address.host
    port = address.port ?? standard
    isLoopback = address.isLoopback
    // A fragment is only for the client and is never sent.
    let path = after[end...].prefix { $0 != "#" }
    // `"/" + path` would look up how to append a substring, which takes as long as all of the rest.
    rest = path.hasPrefix("/") ? String(path) : "/\(String(path))"
  }

  /// Refuses plain text that leaves this machine.
  static func demandPrivate(_ address: WebAddress) throws(ConfigurationError) {
    guard address.scheme == "https" || address.isLoopback else {
      throw ConfigurationError(.badValue(text: nil, rule: "https, or http to this machine itself"))
    }
  }

  package var text: String { origin + rest }

  private static func standardPort(of scheme: String) -> Int? {
    ports.first { $0.key == scheme }?.value
  }

  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// Whether the host is this machine by its literal name or address.
  package let isLoopback: Bool

  /// The host as written in `api_hosts`: with its port, unless that is the default.
  package var hostAndPort: String {
    port == Self.standardPort(of: scheme) ? host : "\(host):\(port)"
  }

  /// Whether a token of this issuer may go here.
  ///
  /// `resource` is the only one that the token is for; `nil` if it is not for one.
  package func mayGetToken(issuer: Issuer, hosts: [String], resource: String? = nil) -> Bool {
    if let resource {
      guard let home = try? RequestTarget(resource) else { return false }
      return isInside(home)
    }
    guard let home = try? RequestTarget(issuer.text) else { return false }
    if home.origin == origin { return true }
    // A host is listed without its scheme. Plain text reaches only this machine, but any local user
    // may listen at a free port. So it is allowed only if the issuer uses plain text too.
    guard scheme == "https" || home.scheme == scheme else { return false }
    return hosts.contains(hostAndPort) || hosts.contains("\(host):\(port)")
  }

  // MARK: - Resources

  /// Path without query.
  package var path: Substring { rest.prefix { $0 != "?" } }

  /// Whether the text is a URL that can be an account's only resource.
  package static func isResource(_ text: String) -> Bool {
    guard let target = try? RequestTarget(text) else { return false }
    return !text.contains { "?#".contains($0) } && target.isInside(target)
  }

  /// Whether this has the origin of a resource, and its path or one below it.
  ///
  /// A path that a server could read as another one is outside.
  package func isInside(_ resource: RequestTarget) -> Bool {
    let base = resource.path.hasSuffix("/") ? resource.path.dropLast() : resource.path
    return origin == resource.origin && Self.isPlain(path)
      && (path == base || path.hasPrefix(base + "/"))
  }

  /// Whether a path has no `.` or `..` part, and no encoded slash, backslash, dot or percent sign.
  private static func isPlain(_ path: Substring) -> Bool {
    let path = path.lowercased()
    guard !["%2f", "%5c", "%2e", "%25"].contains(where: path.contains) else { return false }
    // Some servers cut a part at a semicolon.
    return path.split(separator: "/").allSatisfy { part in
      ![".", ".."].contains(part.prefix { $0 != ";" })
    }
  }

  /// Parses the hosts of a provider's file, separated by semicolons; sorted, without duplicates.
  static func hosts(_ text: String) throws(ConfigurationError) -> [String] {
    let rule = "host or host:port, several separated by ';'; no scheme, path or '*'"
    var hosts: Set<String> = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let name = String(part.trimmingSpaces())
      guard !name.contains("/"), let address = WebAddress("https://" + name, ports: Self.ports)
      else { throw ConfigurationError(.badValue(text: name, rule: rule)) }
      hosts.insert(address.port.map { "\(address.host):\($0)" } ?? address.host)
    }
    guard hosts.count <= 32 else {
      throw ConfigurationError(.badValue(text: nil, rule: "at most 32 hosts"))
    }
    return hosts.sorted()
  }
}
