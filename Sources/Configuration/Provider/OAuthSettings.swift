/// The additional settings of the provider kinds `oidc` and `oauth2`.
public struct OAuthSettings: Sendable, Equatable {
  /// How this client authenticates to the token endpoint (RFC 6749, section 2.3).
  public enum ClientAuthentication: String, Sendable, CaseIterable {
    /// Only the client id: a public client.
    case none
    /// Id and secret in the body of the request.
    case post
    /// Id and secret in the header `Authorization: Basic`.
    case basic

    /// Its name in metadata and registrations (RFC 7591, section 2).
    package var registeredName: String {
      switch self {
      case .none: "none"
      case .post: "client_secret_post"
      case .basic: "client_secret_basic"
      }
    }
  }

  /// Whether to look up missing endpoints at the provider.
  public enum Discovery: String, Sendable, CaseIterable {
    /// Look them up in the provider's metadata.
    case auto
    /// Do not look them up: an endpoint without a key does not exist.
    case off
  }

  /// An algorithm that an ID token may be signed with (RFC 7518, section 3.1, and RFC 8037).
  public enum IDTokenAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The spelling of all algorithms in the form that accounts are bound to: the first four names.
    ///
    /// An account that signed in when these four were all has exactly this text, and it means all.
    static let spellingOfAll = "RS256;PS256;ES256;EdDSA"
  }

  /// The scopes that a refresh may request.
  public enum RefreshScope: String, Sendable, CaseIterable {
    /// Any scopes granted at sign-in: the refresh token keeps them all (RFC 6749, section 6).
    case any
    /// All of them at once: after a request for fewer, the provider never grants more again.
    case whole
  }

  /// This client's identifier at the provider.
  public let clientID: String
  /// The secret that some providers issue together with the id of an installed program.
  public let clientSecret: ClientSecret?
  /// How this client authenticates.
  public let clientAuthentication: ClientAuthentication
  /// The scopes of a sign-in: sorted, without duplicates.
  public let scopes: [String]
  /// The audience of access tokens, for providers with the parameter `audience`.
  public let audience: String?
  /// The resources of access tokens (RFC 8707): sorted, without duplicates.
  public let resources: [String]
  /// Whether to look up endpoints.
  public let discovery: Discovery
  /// The URL of the metadata, if it is not at a well-known location under the issuer.
  public let discoveryURL: String?
  /// The redirect URI of the browser.
  public let redirect: LoopbackRedirect
  /// The additional parameters of the authorization request, sorted by name.
  public let authorizationParameters: [AuthorizationParameter]
  /// Whether e-mail and password may be exchanged for tokens (RFC 6749, section 4.3).
  public let passwordGrant: Bool
  /// The accepted algorithms of ID tokens; empty for `oauth2`, which has no ID tokens.
  public let idTokenAlgorithms: [IDTokenAlgorithm]
  /// Whether the redirect must name its issuer (RFC 9207).
  public let responseIssuerRequired: Bool
  /// Whether a refresh ends all previous access tokens, even those with other scopes.
  public let refreshEndsAccessTokens: Bool
  /// The scopes that a refresh may request; `nil` if the file does not say.
  public let refreshScope: RefreshScope?
  /// Whether the access token goes to the only resource, and to no other address.
  public let resourceOnly: Bool
  /// The keys that discovery filled in: sorted; empty in a person's file.
  public let discovered: [String]

  let endpoints: [OAuthEndpoint: String]

  /// The scope that requests a refresh token (OpenID Connect Core 1.0, section 11), at providers
  /// that know it.
  public static let offlineScope = "offline_access"
  /// The default scopes if the provider says that it does not know `offlineScope`.
  static let scopesWithoutOffline = ["openid"]

  static func defaultScopes(_ kind: Provider.Kind) -> [String] {
    kind == .oidc ? [offlineScope] + scopesWithoutOffline : []
  }

  /// Whether discovery has left out `offlineScope`.
  public var asksLessThanDefault: Bool { discovered.contains(Self.scopeKey) }

  static let scopeKey = "scope"
  static let responseIssuerKey = "response_iss"
  static let discoveredKey = "discovered"
  static let refreshEndsKey = "refresh_ends_access_tokens"
  static let refreshScopeKey = "refresh_scope"
  static let resourceOnlyKey = "resource_only"

  init(
    from reader: inout ProviderSettings,
    kind: Provider.Kind,
    issuer: Issuer,
    clientID: String?,
    clientSecret: ClientSecret?,
    mayBeDiscovered: Bool
  ) throws(ConfigurationError) {
    guard let clientID else { throw ConfigurationError(.missingKey, key: "client_id") }
    self.clientID = clientID
    let written = try reader.takeOptional(ClientSecret.key) { text throws(ConfigurationError) in
      try ClientSecret(text: text)
    }
    guard written == nil || clientSecret == nil else {
      throw ConfigurationError(.repeatedKey, key: ClientSecret.key)
    }
    let clientSecret = written ?? clientSecret
    self.clientSecret = clientSecret
    clientAuthentication =
      try reader.takeOptional("client_authentication", ProviderSettings.choice)
      ?? (clientSecret == nil ? .none : .basic)
    scopes =
      try reader.takeOptional(Self.scopeKey, OAuthRules.scopes) ?? Self.defaultScopes(kind)
    audience = try reader.takeOptional("audience", ProviderSettings.identifier)
    resources = try reader.takeOptional("resource", OAuthRules.resources) ?? []
    discovery = try reader.takeOptional("discovery", ProviderSettings.choice) ?? .auto
    let endpoint = { (text: String) throws(ConfigurationError) in
      try OAuthRules.endpoint(text, issuer: issuer)
    }
    discoveryURL = try reader.takeOptional("discovery_url", endpoint)
    redirect =
      try reader.takeOptional("redirect_uri", LoopbackRedirect.init) ?? LoopbackRedirect.standard
    authorizationParameters =
      try reader.takeOptional("authorization_parameters", AuthorizationParameter.list) ?? []
    passwordGrant = try reader.takeOptional("password_grant", ProviderSettings.truth) ?? false
    responseIssuerRequired =
      try reader.takeOptional(Self.responseIssuerKey, OAuthRules.required) ?? false
    refreshEndsAccessTokens =
      try reader.takeOptional(Self.refreshEndsKey, ProviderSettings.truth) ?? false
    refreshScope = try reader.takeOptional(Self.refreshScopeKey, ProviderSettings.choice)
    resourceOnly = try reader.takeOptional(Self.resourceOnlyKey, ProviderSettings.truth) ?? false
    var endpoints: [OAuthEndpoint: String] = [:]
    for one in OAuthEndpoint.allCases where kind == .oidc || one != .jwks {
      endpoints[one] = try reader.takeOptional(one.key, endpoint)
    }
    self.endpoints = endpoints
    idTokenAlgorithms =
      kind == .oidc
      ? try reader.takeOptional("id_token_algorithms", OAuthRules.algorithms)
        ?? IDTokenAlgorithm.allCases : []
    discovered =
      mayBeDiscovered
      ? try reader.takeOptional(Self.discoveredKey, OAuthRules.discovered) ?? [] : []
    try check(kind: kind)
  }

  private func check(kind: Provider.Kind) throws(ConfigurationError) {
    if clientAuthentication == .none, clientSecret != nil {
      throw bad("client_authentication", "post or basic where there is a client_secret")
    }
    if clientAuthentication != .none, clientSecret == nil {
      throw bad("client_authentication", "none where there is no client_secret")
    }
    if kind == .oidc, !scopes.contains("openid") {
      throw bad("scope", "one that holds openid; kind = oauth2 does without it")
    }
    if resourceOnly, resources.count != 1 || !resources.allSatisfy(RequestTarget.isResource) {
      throw bad("resource", "one URL without a query if resource_only = true")
    }
    for key in discovered {
      let isThere =
        switch key {
        case Self.responseIssuerKey: responseIssuerRequired
        case Self.scopeKey: scopes == Self.scopesWithoutOffline
        default: endpoints.contains { $0.key.key == key }
        }
      guard isThere, discovery == .auto else { throw ConfigurationError(.damaged) }
    }
    guard discovery == .off else { return }
    if discoveryURL != nil { throw bad("discovery_url", "left out where discovery = off") }
    if endpoints[.token] == nil {
      throw bad(OAuthEndpoint.token.key, "given where discovery = off")
    }
    if kind == .oidc, endpoints[.jwks] == nil {
      throw bad(OAuthEndpoint.jwks.key, "given where discovery = off")
    }
    if endpoints[.authorization] == nil, endpoints[.deviceAuthorization] == nil, !passwordGrant {
      throw bad(OAuthEndpoint.authorization.key, "given where discovery = off")
    }
  }

  private func bad(_ key: String, _ rule: String) -> ConfigurationError {
    ConfigurationError(.badValue(text: nil, rule: rule), key: key)
  }

  private static func spelled(_ algorithms: [IDTokenAlgorithm]) -> [String] {
    algorithms == IDTokenAlgorithm.allCases
      ? [IDTokenAlgorithm.spellingOfAll] : algorithms.map(\.rawValue)
  }

  /// The settings in the spelling of a provider file, with defaults written out.
  ///
  /// The client id is omitted, because every kind has it. The client secret is omitted, because it
  /// must not become text.
  var settings: [String: String] {
    var settings = [
      "client_authentication": clientAuthentication.rawValue,
      "discovery": discovery.rawValue,
      "redirect_uri": redirect.text,
      "password_grant": passwordGrant ? "true" : "false",
      Self.responseIssuerKey: responseIssuerRequired ? "required" : "optional",
    ]
    settings["audience"] = audience
    settings["discovery_url"] = discoveryURL
    // These are written only if they are not the default.
    if refreshEndsAccessTokens { settings[Self.refreshEndsKey] = "true" }
    if let refreshScope { settings[Self.refreshScopeKey] = refreshScope.rawValue }
    if resourceOnly { settings[Self.resourceOnlyKey] = "true" }
    let lists = [
      (Self.scopeKey, scopes, " "), ("resource", resources, ";"),
      ("id_token_algorithms", Self.spelled(idTokenAlgorithms), ";"),
      ("authorization_parameters", authorizationParameters.map(\.text), "&"),
      (Self.discoveredKey, discovered, ";"),
    ]
    for (key, values, separator) in lists where !values.isEmpty {
      settings[key] = values.joined(separator: separator)
    }
    for (endpoint, url) in endpoints { settings[endpoint.key] = url }
    return settings
  }
}
