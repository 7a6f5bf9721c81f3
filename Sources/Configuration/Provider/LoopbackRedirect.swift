/// The redirect URI of the browser: an http URL of this machine (RFC 8252, section 7.3).
///
/// Providers compare it byte by byte except for the port, so its spelling is kept.
public struct LoopbackRedirect: Sendable, Equatable {
  /// The host: `127.0.0.1`, `[::1]` or `localhost`.
  public let host: String
  /// The port; `nil` for any free one.
  public let port: UInt16?
  /// The path: empty, or beginning with a slash.
  public let path: String

  /// The default redirect URI.
  public static let standard = LoopbackRedirect(host: "127.0.0.1", port: nil, path: "/callback")

  private init(host: String, port: UInt16?, path: String) {
    self.host = host
    self.port = port
    self.path = path
  }

  /// Takes `http://HOST[:PORT][/PATH]`.
  public init(_ text: String) throws(ConfigurationError) {
    let rule =
      "http:// and 127.0.0.1, [::1] or localhost, with an optional port from 1024 and path"
    // Zero is never a real port, so a port in the text is always kept.
    guard let address = WebAddress(text, ports: ["http": 0]),
      ["127.0.0.1", "[::1]", "localhost"].contains(address.host),
      address.port.map({ $0 >= 1024 }) ?? true
    else { throw ConfigurationError(.badValue(text: nil, rule: rule)) }
    host = address.host
    port = address.port.map { UInt16($0) }
    path = text.hasSuffix("/") ? address.path + "/" : address.path
  }

  /// The text in a provider file.
  public var text: String { "http://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }

  /// The same with a fixed port, for a provider that compares the port too.
  public var withFixedPort: LoopbackRedirect {
    LoopbackRedirect(host: host, port: port ?? 8400, path: path)
  }

  /// The URL for a listener's port.
  public func url(port: UInt16) -> String { "http://\(host):\(port)\(path)" }
}
