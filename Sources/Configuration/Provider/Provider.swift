/// A provider's settings: checked on creation and always canonical.
///
/// An account gets a full copy at sign-in. The SHA-256 of `canonicalForm` is bound into the
/// account's sealed boxes. So an edited file cannot send a token to another server.
public struct Provider: Sendable, Equatable {
  /// How a person signs in.
  public enum Kind: String, Sendable, CaseIterable {
    /// OpenID Connect: OAuth 2.0 with ID tokens.
    case oidc
    /// OAuth 2.0 without ID tokens.
    case oauth2
    /// The JSON API of e-mail and password under `/auth`.
    case passwordBackend = "password-backend"
    /// A host without login, where a stored secret counts.
    case `static`

    /// Whether a person signs in by OAuth 2.0, with or without ID tokens.
    public var isOAuth: Bool { self == .oidc || self == .oauth2 }
  }

  /// The reaction of a provider to a refresh token that is sent a second time.
  public enum RefreshReuse: String, Sendable, CaseIterable {
    /// It only answers or refuses: try again soon.
    case retry
    /// It treats this as theft and revokes everything: try again only if nothing can be lost.
    case revokes
  }

  /// The scope of a revocation of a refresh token.
  public enum RevocationEnds: String, Sendable, CaseIterable {
    /// The sign-in that the token came from.
    case login
    /// Every sign-in of this person with this client, even a later one.
    case allLogins = "all-logins"
  }

  /// The user's name for the provider; not part of the canonical form.
  public let name: ProviderName
  /// How a person signs in.
  public let kind: Kind
  /// The address of the provider.
  public let issuer: Issuer
  /// This client's identifier at the provider.
  public let clientID: String?
  /// The certificate authorities to trust instead of the system's, as PEM text.
  public let certificateAuthority: String?
  /// Public keys, one of which the server must present: `sha256//` and base64, sorted.
  public let pins: [String]
  /// The URL of a proxy; the environment is ignored.
  public let proxy: String?
  /// The users, besides root and the caller, that may run this provider or its proxy at a plain
  /// loopback address: sorted.
  public let loopbackUsers: [UInt32]
  /// The time limits of a request.
  public let limits: ExchangeLimits
  /// Hosts that may receive an access token, besides the issuer's origin: sorted.
  public let apiHosts: [String]
  /// The reaction to a second use of a refresh token.
  public let refreshReuse: RefreshReuse
  /// The scope of a revocation.
  public let revocationEnds: RevocationEnds
  /// Whether an empty or unreadable 400, 401 or 403 means a dead refresh token.
  public let emptyRefusal: Bool
  /// The value of the error field that means a dead refresh token.
  public let invalidGrantValue: String
  /// The additional settings of an OAuth provider; `nil` for a password backend.
  public let oauth: OAuthSettings?

  private let paths: [Endpoint: String]
  private let fields: [Field: String]

  /// Checks settings: the keys of a provider file, but `ca` holds certificates instead of a path.
  ///
  /// - Parameters:
  ///   - name: the user's name for the provider.
  ///   - settings: the keys and values; a client secret among them has been in ordinary memory.
  ///   - clientSecret: the client secret, if it is not among the settings.
  /// - Throws: an error that names the key, also for unknown keys.
  public init(
    name: ProviderName,
    settings: [String: String],
    clientSecret: ClientSecret? = nil
  ) throws(ConfigurationError) {
    try self.init(
      name: name,
      settings: settings,
      clientSecret: clientSecret,
      mayBeDiscovered: false
    )
  }

  /// Checks the settings that an account is bound to, including those that discovery filled in.
  public init(
    name: ProviderName,
    boundSettings settings: [String: String],
    clientSecret: ClientSecret? = nil
  ) throws(ConfigurationError) {
    try self.init(name: name, settings: settings, clientSecret: clientSecret, mayBeDiscovered: true)
  }

  private init(
    name: ProviderName,
    settings: [String: String],
    clientSecret: ClientSecret?,
    mayBeDiscovered: Bool
  ) throws(ConfigurationError) {
    var reader = ProviderSettings(settings)
    self.name = name
    let kind: Kind = try reader.take("kind", ProviderSettings.choice)
    self.kind = kind
    if kind == .static { try reader.demandNoLoginKeys() }
    let isOAuth = kind.isOAuth
    issuer = try reader.take("issuer") { text throws(ConfigurationError) in
      isOAuth ? try Issuer(asWritten: text) : try Issuer(text)
    }
    clientID = try reader.takeOptional("client_id", ProviderSettings.identifier)
    certificateAuthority = try reader.takeOptional("ca", CertificateText.canonical)
    pins = try reader.takeOptional("pins", ProviderSettings.pins) ?? []
    proxy = try reader.takeOptional("proxy", ProviderSettings.proxy)
    limits = try ExchangeLimits.take(from: &reader)
    apiHosts = try reader.takeOptional("api_hosts", RequestTarget.hosts) ?? []
    loopbackUsers =
      try reader.takeOptional(Self.loopbackUsersKey, ProviderSettings.users) ?? []
    refreshReuse = try reader.takeOptional("refresh_reuse", ProviderSettings.choice) ?? .retry
    revocationEnds =
      try reader.takeOptional(Self.revocationEndsKey, ProviderSettings.choice) ?? .login
    emptyRefusal = try reader.takeOptional("empty_refusal", ProviderSettings.truth) ?? false
    invalidGrantValue =
      try reader.takeOptional("invalid_grant_value", ProviderSettings.identifier)
      ?? Self.defaultInvalidGrantValue
    oauth =
      isOAuth
      ? try OAuthSettings(
        from: &reader,
        kind: kind,
        issuer: issuer,
        clientID: clientID,
        clientSecret: clientSecret,
        mayBeDiscovered: mayBeDiscovered
      ) : nil
    paths = kind != .passwordBackend ? [:] : try Self.paths(from: &reader)
    fields = try Self.fields(from: &reader, isOAuth: isOAuth)
    if onlyResource != nil, !apiHosts.isEmpty {
      let rule = "absent if resource_only = true"
      throw ConfigurationError(.badValue(text: nil, rule: rule), key: "api_hosts")
    }
    try reader.finish(for: kind)
    if !isOAuth, clientSecret != nil {
      throw ProviderSettings.misplaced(ClientSecret.key, in: kind)
    }
    try checkNames()
    try checkLengths()
  }

  /// Checks that the canonical spelling is short enough to be read again.
  ///
  /// It can be longer than the given spelling: parameters are percent-encoded, a URL without a path
  /// gets one, and the last line of a PEM text gets its end.
  private func checkLengths() throws(ConfigurationError) {
    let tooLong = settings.filter {
      $0.value.utf8.count > ProviderSettings.maximumLength(of: $0.key)
    }
    guard let key = tooLong.keys.min() else { return }
    throw ConfigurationError(.tooLarge(ProviderSettings.maximumLength(of: key)), key: key)
  }

  private static func paths(
    from reader: inout ProviderSettings
  ) throws(ConfigurationError) -> [Endpoint: String] {
    var paths: [Endpoint: String] = [:]
    for endpoint in Endpoint.allCases {
      let read = endpoint == .refresh ? ProviderSettings.pathOrNone : ProviderSettings.path
      paths[endpoint] = try reader.takeOptional(endpoint.key, read)
    }
    return paths
  }

  private static func fields(
    from reader: inout ProviderSettings,
    isOAuth: Bool
  ) throws(ConfigurationError) -> [Field: String] {
    var fields: [Field: String] = [:]
    for field in Field.allCases where !isOAuth || !field.isOfPasswords {
      fields[field] = try reader.takeOptional(field.key, ProviderSettings.fieldName)
    }
    return fields
  }

  /// Checks that names of members do not exclude each other.
  private func checkNames() throws(ConfigurationError) {
    try checkFieldsDiffer([.email, .name, .registerPassword, .registerPasswordRepeated])
    try checkFieldsDiffer([.email, .password])
    // The access token may have the refresh token's name: that means one token.
    try checkFieldsDiffer([.refreshToken, .tokenType, .expiresIn])
    try checkFieldsDiffer([.accessToken, .tokenType, .expiresIn])
    guard hasOneToken || path(of: .refresh) != ProviderSettings.noPath else {
      let rule = "a path, unless refresh_token_field and access_token_field have the same value"
      throw ConfigurationError(.badValue(text: nil, rule: rule), key: Endpoint.refresh.key)
    }
  }

  /// Checks that members of one object have different names.
  private func checkFieldsDiffer(_ group: [Field]) throws(ConfigurationError) {
    var seen: Set<String> = []
    for field in group {
      guard let name = name(of: field), !seen.insert(name).inserted else { continue }
      let rule = "a name that no other field has"
      throw ConfigurationError(.badValue(text: name, rule: rule), key: field.key)
    }
  }

  /// The only resource that may get the access token; `nil` if the issuer and `apiHosts` may.
  public var onlyResource: String? {
    oauth.flatMap { $0.resourceOnly ? $0.resources.first : nil }
  }

  static let defaultInvalidGrantValue = "invalid_grant"
  static let revocationEndsKey = "revocation_ends"
  static let loopbackUsersKey = "loopback_users"

  /// The path of a password backend's endpoint, relative to the issuer.
  public func path(of endpoint: Endpoint) -> String { paths[endpoint] ?? endpoint.defaultPath }

  /// The whole URL of a password backend's endpoint.
  public func url(of endpoint: Endpoint) -> String { issuer.text + path(of: endpoint) }

  /// The name of a member in this provider's JSON; `nil` if the provider does not use it.
  public func name(of field: Field) -> String? {
    if let name = fields[field] { return name }
    if oauth != nil { return field.defaultNameOfOAuth }
    return field == .registerPassword ? name(of: .password) : field.defaultName
  }

  /// All settings except the client secret, in the spelling of a provider file, with defaults
  /// written out.
  ///
  /// `ca` holds certificates. A default must never change. A key that is added later must be
  /// omitted here while it has its default. Otherwise existing accounts would lose their binding.
  public var settings: [String: String] {
    var settings = ["kind": kind.rawValue, "issuer": issuer.text]
    settings["ca"] = certificateAuthority
    settings["pins"] = pins.isEmpty ? nil : pins.joined(separator: ";")
    settings["proxy"] = proxy
    settings["api_hosts"] = apiHosts.isEmpty ? nil : apiHosts.joined(separator: ";")
    if !loopbackUsers.isEmpty {
      settings[Self.loopbackUsersKey] = loopbackUsers.map { "\($0)" }.joined(separator: ";")
    }
    settings.merge(limits.settings) { $1 }
    if kind != .static { addLoginSettings(to: &settings) }
    return settings
  }

  private func addLoginSettings(to settings: inout [String: String]) {
    settings["refresh_reuse"] = refreshReuse.rawValue
    settings["empty_refusal"] = emptyRefusal ? "true" : "false"
    settings["invalid_grant_value"] = invalidGrantValue
    settings["client_id"] = clientID
    if revocationEnds != .login { settings[Self.revocationEndsKey] = revocationEnds.rawValue }
    if let oauth {
      settings.merge(oauth.settings) { $1 }
    } else {
      for endpoint in Endpoint.allCases { settings[endpoint.key] = path(of: endpoint) }
    }
    for field in Field.allCases { settings[field.key] = name(of: field) }
  }

  /// The keys with different values in another provider.
  public func keys(differingFrom other: Provider) -> Set<String> {
    let (mine, others) = (settings, other.settings)
    var keys = Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }
    if oauth?.clientSecret != other.oauth?.clientSecret { keys.insert(ClientSecret.key) }
    return keys
  }

  /// Whether both have the same settings, apart from the name and the spelling.
  public func hasSameSettings(as other: Provider) -> Bool {
    settings == other.settings && oauth?.clientSecret == other.oauth?.clientSecret
  }

  /// Equal if name and settings are the same, apart from the spelling.
  public static func == (left: Provider, right: Provider) -> Bool {
    left.name == right.name && left.hasSameSettings(as: right)
  }
}
