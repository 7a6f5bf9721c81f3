/// A place to sign in: checked when made, and always in its canonical form.
///
/// It is copied whole into an account at login, and the SHA-256 of `canonicalForm` is bound into
/// the account's sealed boxes: an edited file cannot send a token somewhere else.
public struct Provider: Sendable, Equatable {
  /// How one signs in.
  public enum Kind: String, Sendable, CaseIterable {
    /// OpenID Connect: OAuth 2.0 with ID tokens.
    case oidc
    /// OAuth 2.0 without ID tokens.
    case oauth2
    /// The JSON API of e-mail and password under `/auth`.
    case passwordBackend = "password-backend"
  }

  /// What a provider does when a refresh token is sent a second time.
  public enum RefreshReuse: String, Sendable, CaseIterable {
    /// It answers or refuses, and no more: try again soon.
    case retry
    /// It takes that for theft and revokes all: try again only when there is nothing to lose.
    case revokes
  }

  /// What ends with a refresh token that is revoked.
  public enum RevocationEnds: String, Sendable, CaseIterable {
    /// The login that it came from.
    case login
    /// Every login of this person by this client: also one that was made later.
    case allLogins = "all-logins"
  }

  /// The name that the user gave it; not part of the canonical form.
  public let name: ProviderName
  /// How one signs in.
  public let kind: Kind
  /// Where it is.
  public let issuer: Issuer
  /// What this client is called there.
  public let clientID: String?
  /// The certificate authorities that are trusted instead of the system's: PEM, contents.
  public let certificateAuthority: String?
  /// Public keys of which the server must show one: `sha256//` and base64, sorted.
  public let pins: [String]
  /// A proxy's URL; the environment is never asked for one.
  public let proxy: String?
  /// Users of this machine, besides root and the caller, whose programs may be this provider or its
  /// proxy at a loopback address in plain text: sorted.
  public let loopbackUsers: [UInt32]
  /// How long it is waited for.
  public let limits: ExchangeLimits
  /// Hosts that may be sent an access token, besides the issuer's origin: sorted.
  public let apiHosts: [String]
  /// What a second use of a refresh token does.
  public let refreshReuse: RefreshReuse
  /// What a revocation ends.
  public let revocationEnds: RevocationEnds
  /// Whether an empty or unreadable 400, 401 or 403 is a refusal of the refresh token.
  public let emptyRefusal: Bool
  /// The value of the error field that says that a refresh token is dead.
  public let invalidGrantValue: String
  /// What a provider of OAuth has besides; nil for a password backend.
  public let oauth: OAuthSettings?

  private let paths: [Endpoint: String]
  private let fields: [Field: String]

  /// Checks settings: the keys of a provider file, but `ca` holds certificates and not a path.
  ///
  /// - Parameters:
  ///   - name: what the user calls it.
  ///   - settings: the keys and values; a client secret among them has been in ordinary memory.
  ///   - clientSecret: the client secret, where it is none of the settings.
  /// - Throws: an error that names the key, for unknown keys too.
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

  /// Checks the settings that an account is bound to: with what discovery filled in.
  public init(
    name: ProviderName,
    boundSettings settings: [String: String],
    clientSecret: ClientSecret? = nil
  ) throws(ConfigurationError) {
    try self.init(
      name: name,
      settings: settings,
      clientSecret: clientSecret,
      mayBeDiscovered: true
    )
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
    let isOAuth = kind != .passwordBackend
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
    var paths: [Endpoint: String] = [:]
    for endpoint in Endpoint.allCases where !isOAuth {
      let read = endpoint == .refresh ? ProviderSettings.pathOrNone : ProviderSettings.path
      paths[endpoint] = try reader.takeOptional(endpoint.key, read)
    }
    self.paths = paths
    var fields: [Field: String] = [:]
    for field in Field.allCases where !isOAuth || !field.isOfPasswords {
      fields[field] = try reader.takeOptional(field.key, ProviderSettings.fieldName)
    }
    self.fields = fields
    try reader.finish(for: kind)
    if !isOAuth, clientSecret != nil {
      throw ProviderSettings.misplaced(ClientSecret.key, in: kind)
    }
    try checkFieldsDiffer([.email, .name, .registerPassword, .registerPasswordRepeated])
    try checkFieldsDiffer([.email, .password])
    // The access token may have the refresh token's name: that is the form of one token.
    try checkFieldsDiffer([.refreshToken, .tokenType, .expiresIn])
    try checkFieldsDiffer([.accessToken, .tokenType, .expiresIn])
    guard hasOneToken || path(of: .refresh) != ProviderSettings.noPath else {
      let rule = "a path, unless refresh_token_field and access_token_field have the same value"
      throw ConfigurationError(.badValue(text: nil, rule: rule), key: Endpoint.refresh.key)
    }
  }

  /// Two members of one object cannot have the same name.
  private func checkFieldsDiffer(_ group: [Field]) throws(ConfigurationError) {
    var seen: Set<String> = []
    for field in group {
      guard let name = name(of: field), !seen.insert(name).inserted else { continue }
      let rule = "the name of one field alone"
      throw ConfigurationError(.badValue(text: name, rule: rule), key: field.key)
    }
  }

  static let defaultInvalidGrantValue = "invalid_grant"
  static let revocationEndsKey = "revocation_ends"
  static let loopbackUsersKey = "loopback_users"

  /// The path of an endpoint of a password backend beneath the issuer.
  public func path(of endpoint: Endpoint) -> String { paths[endpoint] ?? endpoint.defaultPath }

  /// The whole URL of an endpoint of a password backend.
  public func url(of endpoint: Endpoint) -> String { issuer.text + path(of: endpoint) }

  /// What a member is called in this provider's JSON; nil if it is not used there.
  public func name(of field: Field) -> String? {
    if let name = fields[field] { return name }
    if oauth != nil { return field.defaultNameOfOAuth }
    return field == .registerPassword ? name(of: .password) : field.defaultName
  }

  /// All that the provider is but its client secret, defaults written out, in the spelling of a
  /// provider file.
  ///
  /// `ca` holds certificates. A default must never change, and a key that is added later must be
  /// left out here while it has its default: both would take accounts off their binding.
  public var settings: [String: String] {
    var settings = [
      "kind": kind.rawValue,
      "issuer": issuer.text,
      "refresh_reuse": refreshReuse.rawValue,
      "empty_refusal": emptyRefusal ? "true" : "false",
      "invalid_grant_value": invalidGrantValue,
    ]
    settings["client_id"] = clientID
    settings["ca"] = certificateAuthority
    settings["pins"] = pins.isEmpty ? nil : pins.joined(separator: ";")
    settings["proxy"] = proxy
    settings["api_hosts"] = apiHosts.isEmpty ? nil : apiHosts.joined(separator: ";")
    if !loopbackUsers.isEmpty {
      settings[Self.loopbackUsersKey] = loopbackUsers.map { "\($0)" }.joined(separator: ";")
    }
    if revocationEnds != .login { settings[Self.revocationEndsKey] = revocationEnds.rawValue }
    settings.merge(limits.settings) { $1 }
    if let oauth {
      settings.merge(oauth.settings) { $1 }
    } else {
      for endpoint in Endpoint.allCases { settings[endpoint.key] = path(of: endpoint) }
    }
    for field in Field.allCases { settings[field.key] = name(of: field) }
    return settings
  }

  /// The keys whose values differ from another provider's.
  public func keys(differingFrom other: Provider) -> Set<String> {
    let (mine, others) = (settings, other.settings)
    var keys = Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }
    if oauth?.clientSecret != other.oauth?.clientSecret { keys.insert(ClientSecret.key) }
    return keys
  }

  /// Whether both mean the same place, whatever they are called and however they were written.
  public func isSamePlace(as other: Provider) -> Bool {
    settings == other.settings && oauth?.clientSecret == other.oauth?.clientSecret
  }

  /// Equal if they have the same name and mean the same, however they were written.
  public static func == (left: Provider, right: Provider) -> Bool {
    left.name == right.name && left.isSamePlace(as: right)
  }
}
