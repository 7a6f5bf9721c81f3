/// The address of a provider: an https URL, or http on this machine.
///
/// It has no user information, query or fragment: OpenID Connect Discovery 1.0, section 3.
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
  private let address: WebAddress
  private let written: String?

  /// Checks a URL and normalizes it.
  public init(_ text: String) throws(ConfigurationError) {
    var rule: String {
      "an https:// URL with only host, port and path (http:// only on localhost)"
        + (text.utf8.allSatisfy { $0 < 0x80 }
          ? "" : "; write an international host name in its ASCII form, xn--...")
    }
    guard let address = WebAddress(text, ports: ["https": 443, "http": 80]) else {
      // A URL with an @ may hold a password, so do not quote it.
      let quoted = text.contains("@") ? nil : text
      throw ConfigurationError(.badValue(text: quoted, rule: rule), key: "issuer")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw ConfigurationError(.badValue(text: text, rule: rule), key: "issuer")
    }
    self.address = address
    written = nil
  }

  /// Checks a URL and keeps its spelling.
  ///
  /// The issuer of an OAuth provider is compared byte by byte with metadata, redirects and ID
  /// tokens (RFC 8414, section 3.3), and some end with a slash.
  init(asWritten text: String) throws(ConfigurationError) {
    address = try Issuer(text).address
    written = text
  }

  /// The URL.
  ///
  /// For a password backend it is canonical, without a slash at the end. For an OAuth provider it
  /// is unchanged.
  public var text: String { written ?? address.text }

  /// The canonical URL without a slash at the end; a path can be appended.
  public var base: String { address.text }

  /// Scheme, host and port.
  public var origin: String {
    "\(address.scheme)://\(address.host)" + (address.port.map { ":\($0)" } ?? "")
  }

  /// The path, without a slash at the end.
  public var path: String { address.path }

  /// The host as it stands in the URL; an IPv6 address in brackets.
  public var host: String { address.host }

  /// Whether it is reached without TLS, which is possible only on this machine.
  public var isPlain: Bool { address.scheme == "http" }

  /// Whether the host is this machine by its literal name or address.
  public var isLoopback: Bool { address.isLoopback }

  /// The URL.
  public var description: String { text }
}
