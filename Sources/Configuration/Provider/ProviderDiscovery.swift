// Completes a provider with its metadata, and undoes that.
extension Provider {
  /// The URL of an endpoint; `nil` if it is unknown, and for password backends.
  public func endpoint(_ endpoint: OAuthEndpoint) -> String? { oauth?.endpoints[endpoint] }

  /// This provider completed with its metadata, if no key of the file says otherwise.
  ///
  /// - Parameters:
  ///   - endpoints: the URLs that the metadata names.
  ///   - responseIssuerRequired: whether the metadata promises the parameter `iss` in redirects
  ///     (RFC 9207).
  ///   - offeredScopes: the scopes that the metadata offers; `nil` if it does not say.
  /// - Throws: an error that names the key of a URL that a file could not have.
  /// - Returns: the provider, with a list of the keys that were filled in. A password backend, or a
  ///   provider without discovery, is returned unchanged.
  public func completed(
    with endpoints: [OAuthEndpoint: String],
    responseIssuerRequired: Bool,
    offeredScopes: Set<String>? = nil
  ) throws(ConfigurationError) -> Provider {
    let written = asWritten
    guard let oauth = written.oauth, oauth.discovery == .auto else { return written }
    var settings = written.settings
    var discovered: [String] = []
    for (endpoint, url) in endpoints
    where oauth.endpoints[endpoint] == nil && written.uses(endpoint, url) {
      settings[endpoint.key] = url
      discovered.append(endpoint.key)
    }
    if responseIssuerRequired, !oauth.responseIssuerRequired {
      settings[OAuthSettings.responseIssuerKey] = "required"
      discovered.append(OAuthSettings.responseIssuerKey)
    }
    // An unneeded request for this scope leads to an error page at providers that do not know it.
    if let offeredScopes, oauth.scopes == OAuthSettings.defaultScopes(kind),
      oauth.scopes.contains(OAuthSettings.offlineScope),
      !offeredScopes.contains(OAuthSettings.offlineScope)
    {
      settings[OAuthSettings.scopeKey] = OAuthSettings.scopesWithoutOffline.joined(separator: " ")
      discovered.append(OAuthSettings.scopeKey)
    }
    if !discovered.isEmpty {
      settings[OAuthSettings.discoveredKey] = discovered.sorted().joined(separator: ";")
    }
    return try Provider(name: name, boundSettings: settings, clientSecret: oauth.clientSecret)
  }

  /// Whether an endpoint of the metadata is of use to this provider.
  private func uses(_ endpoint: OAuthEndpoint, _ url: String) -> Bool {
    switch endpoint {
    case .jwks: return kind == .oidc
    case .introspection:
      // Only a client that authenticates itself may ask there (RFC 7662, section 2.1). No sign-in
      // needs the endpoint, so a URL that a file could not have is ignored.
      return oauth?.clientAuthentication != OAuthSettings.ClientAuthentication.none
        && (try? OAuthRules.endpoint(url, issuer: issuer)) != nil
    default: return true
    }
  }

  /// This provider without the keys that discovery filled in.
  ///
  /// It equals the provider of the file unless the file was edited since.
  public var asWritten: Provider {
    guard let oauth, !oauth.discovered.isEmpty else { return self }
    var settings = settings
    for key in oauth.discovered { settings[key] = nil }
    settings[OAuthSettings.discoveredKey] = nil
    // With discovery on, no check requires the removed keys.
    return (try? Provider(name: name, settings: settings, clientSecret: oauth.clientSecret)) ?? self
  }
}
