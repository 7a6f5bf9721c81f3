internal import Configuration

/// The texts about the redirect URI that a person registers at a provider.
enum RedirectText {
  /// The URI to register; `nil` if the provider has no browser login.
  static func registered(_ provider: Provider) -> String? {
    guard let oauth = provider.oauth,
      provider.endpoint(.authorization) != nil || oauth.discovery == .auto
    else { return nil }
    return oauth.redirect.text
  }

  /// The lines after a provider was added; `isNamed` says whether other lines name the URI.
  static func toRegister(_ provider: Provider, isNamed: Bool) -> [String] {
    guard let uri = registered(provider), let redirect = provider.oauth?.redirect else { return [] }
    let register = "at the provider: register the redirect URI \(uri)"
    guard redirect.port == nil else { return isNamed ? [] : [register] }
    let fixed = redirect.withFixedPort.text
    return [
      isNamed
        ? "a login adds a free port to the redirect URI, as RFC 8252 allows"
        : "\(register) (a login adds a free port to it, as RFC 8252 allows)",
      "if the provider compares ports: register \(fixed), and add the provider with --redirect-uri \(fixed)",
    ]
  }

  /// The hint if no browser came back from the provider's page.
  ///
  /// - Parameters:
  ///   - settings: the settings of the provider.
  ///   - name: the name of the provider.
  /// - Returns: the hint; `nil` for a provider without a redirect.
  static func afterNoAnswer(_ settings: [String: String], of name: String) -> String? {
    let text = settings["redirect_uri"] ?? LoopbackRedirect.standard.text
    guard let redirect = try? LoopbackRedirect(text) else { return nil }
    // A login with --mcp registered the client, and servers forget such clients.
    if settings["resource_only"] == "true", let resource = settings["resource"] {
      return "if the page showed an error, the provider may not know the client or the redirect URI"
        + " \(redirect.text) any more; if you registered the client, register that URI; for a new"
        + " client: thumblatch provider remove \(name), then thumblatch login \(name) --mcp \(resource)"
    }
    let fixed = redirect.withFixedPort.text
    let port =
      redirect.port == nil
      ? "; if it compares ports, register \(fixed) and set it (redirect_uri = \(fixed) in the"
        + " provider's file, or provider add --redirect-uri)" : ""
    return "if the page showed an error, register the redirect URI \(redirect.text) there\(port);"
      + " to look for the cause: thumblatch provider test \(name)"
  }
}
