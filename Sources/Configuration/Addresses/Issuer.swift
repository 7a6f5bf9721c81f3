/// Where a provider is: an https URL, or http on this very machine.
///
/// Neither user information, nor a query, nor a fragment: OpenID Connect Discovery 1.0, section 3.
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
  private let address: WebAddress
  private let written: String?

  /// Checks a URL and brings it into its one spelling.
  public init(_ text: String) throws(ConfigurationError) {
    let rule = "an https:// URL of host, port and path alone (http:// only on localhost)"
    guard let address = WebAddress(text, ports: ["https": 443, "http": 80]) else {
      // A URL with an @ may hold a password: it is not quoted.
      let quoted = text.contains("@") ? nil : text
      throw ConfigurationError(.badValue(text: quoted, rule: rule), key: "issuer")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw ConfigurationError(.badValue(text: text, rule: rule), key: "issuer")
    }
    self.address = address
    written = nil
  }

  /// Checks a URL and keeps it as it is written.
  ///
  /// An issuer of OAuth is compared letter by letter with what metadata, redirects and ID tokens
  /// say (RFC 8414, section 3.3), and some end with a slash.
  init(asWritten text: String) throws(ConfigurationError) {
    address = try Issuer(text).address
    written = text
  }

  /// The URL: canonical, without a slash at the end, at a password backend; as written at a
  /// provider of OAuth.
  public var text: String { written ?? address.text }

  /// The canonical URL without a slash at the end, to which a path can be added.
  public var base: String { address.text }

  /// Scheme, host and port.
  public var origin: String {
    "\(address.scheme)://\(address.host)" + (address.port.map { ":\($0)" } ?? "")
  }

  /// The path, without a slash at the end.
  public var path: String { address.path }

  /// The host, as it stands in the URL; an IPv6 number in brackets.
  public var host: String { address.host }

  /// Whether it is reached without TLS, which is possible on this machine alone.
  public var isPlain: Bool { address.scheme == "http" }

  /// Whether the host is this machine by its very name or number.
  public var isLoopback: Bool { address.isLoopback }

  /// The URL.
  public var description: String { text }
}
