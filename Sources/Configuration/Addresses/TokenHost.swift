/// A host that a user named to get an account's token: scheme, host and port, compared exactly.
///
/// No pattern stands for several hosts, because a token that reaches a host is that host's to use.
package struct TokenHost: Sendable, Hashable, CustomStringConvertible {
  /// `host`, `host:port`, or with the scheme if that is not `https`.
  package let text: String

  private static let rule =
    "a host such as example.org or example.org:8443 (http://localhost:8000 for plain http)"

  /// Reads a host as `hosts.conf` names it.
  ///
  /// A name without a scheme is for `https` only. An unencrypted port of this machine needs its
  /// scheme, because any local user may listen there while the user's own program does not run.
  package init(_ name: String) throws(ConfigurationError) {
    let url = name.rangeOfSchemeEnd != nil ? name : "https://" + name
    // Not as a `RequestTarget`, which would parse it again: a file may have 256 hosts.
    guard let address = WebAddress(url, ports: RequestTarget.ports), address.path.isEmpty else {
      let quoted = name.contains("@") ? nil : name
      throw ConfigurationError(.badValue(text: quoted, rule: Self.rule))
    }
    try RequestTarget.demandPrivate(address)
    text = address.scheme == "https" ? String(address.text.dropFirst(8)) : address.text
  }

  /// The host of a URL that a tool wants to reach.
  ///
  /// It is strict as `RequestTarget` is: two parsers must not find two hosts in one URL.
  package init(ofURL url: String) throws(ConfigurationError) {
    let target = try RequestTarget(url)
    text = target.scheme == "https" ? target.hostAndPort : target.origin
  }

  package var description: String { text }
}
