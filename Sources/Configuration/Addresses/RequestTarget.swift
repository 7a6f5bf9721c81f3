/// Where a request with an access token leads: scheme, host, port, and the rest of the URL.
///
/// A token goes to the issuer's own origin, and to the hosts that the provider's file names in
/// `api_hosts`. To any other it would be given away.
public struct RequestTarget: Sendable, Equatable {
  /// The most bytes of a URL.
  public static let maximumLength = 8192
  static let ports = ["https": 443, "http": 80]

  /// `https`, or `http`, which goes to this machine alone.
  public let scheme: String
  /// In small letters; an IPv6 number in brackets.
  public let host: String
  /// The port, the scheme's own written out.
  public let port: Int
  /// Path and query, beginning with `/`.
  private let rest: String

  /// Takes a URL apart.
  ///
  /// It is strict where two readers of one text could differ: user information, backslashes, blanks
  /// and anything beyond ASCII are refused, and what is sent is put together anew from the parts.
  public init(_ text: String) throws(ConfigurationError) {
    let rule = "a URL such as https://api.example.com/path, without user, blank or backslash"
    let bad = ConfigurationError(.badValue(text: nil, rule: rule))
    guard text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
      let colon = text.firstRange(of: "://")
    else { throw bad }
    let after = text[colon.upperBound...]
    let end = after.firstIndex { "/?#".contains($0) } ?? after.endIndex
    guard let address = WebAddress(String(text[..<end]), ports: Self.ports),
      let standard = Self.ports[address.scheme]
    else { throw bad }
    guard address.scheme == "https" || address.isLoopback else {
      throw ConfigurationError(
        .badValue(text: nil, rule: "https; http reaches this machine's own addresses alone")
      )
    }
    scheme = address.scheme
    host = address.host
    port = address.port ?? standard
    isLoopback = address.isLoopback
    // A fragment is for the reader of an answer; it is never sent.
    let path = after[end...].prefix { $0 != "#" }
    rest = path.hasPrefix("/") ? String(path) : "/" + path
  }

  /// The URL that is sent.
  public var text: String { origin + rest }

  /// Scheme, host and port.
  public var origin: String { "\(scheme)://\(hostAndPort)" }

  /// Whether the host is this machine by its very name or number.
  public let isLoopback: Bool

  /// The host as `api_hosts` names it: with its port, unless that is the one of https.
  public var hostAndPort: String {
    port == Self.ports[scheme] ? host : "\(host):\(port)"
  }

  /// Whether a token of this issuer may go here.
  public func mayGetToken(issuer: Issuer, hosts: [String]) -> Bool {
    guard let home = try? RequestTarget(issuer.text) else { return false }
    if home.origin == origin { return true }
    // A host is named without its scheme. Plain text reaches this machine alone, but there any user
    // may listen at a port that is free: it counts only beside an issuer that speaks it as well.
    guard scheme == "https" || home.scheme == scheme else { return false }
    return hosts.contains(hostAndPort) || hosts.contains("\(host):\(port)")
  }

  /// Hosts as a provider's file names them, separated by semicolons: sorted, each one once.
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
