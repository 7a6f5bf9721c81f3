/// Where a provider is: an https URL, or http on this very machine, in one spelling.
///
/// Neither user information, nor a query, nor a fragment; lower-case host, no default port, no
/// slash at the end. After OpenID Connect Discovery 1.0, section 3 (`issuer`).
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
  private let address: WebAddress

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
  }

  /// The canonical URL, without a slash at the end.
  public var text: String { address.text }

  /// The host, as it stands in the URL; an IPv6 number in brackets.
  public var host: String { address.host }

  /// Whether it is reached without TLS, which is possible on this machine alone.
  public var isPlain: Bool { address.scheme == "http" }

  /// Whether the host is this machine by its very name or number.
  public var isLoopback: Bool { address.isLoopback }

  /// The canonical URL.
  public var description: String { text }
}
