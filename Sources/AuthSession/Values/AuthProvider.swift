internal import Configuration
internal import SecretMemory
internal import VaultInterface

/// Where an app's people sign in.
public struct AuthProvider: Sendable, Hashable {
  /// How strict a provider's URL is taken.
  public enum Environment: Sendable, Hashable {
    /// Plain http is allowed to this machine itself.
    case development
    /// https alone.
    case production
  }

  /// Its name, under which `thumblatch status` and prompts show it.
  public let name: String
  /// The keys of a provider file's [Provider] section.
  public let settings: [String: String]
  /// The client secret of a provider file, which never is text here.
  let clientSecret: SharedSecret?

  /// One with all of its settings, as a provider file has them; the README lists them.
  ///
  /// - Parameters:
  ///   - name: its name: lower-case letters, digits, `.`, `_` and `-`, at most 64; `nil`: the issuer's
  ///     host, such as `login.example.com`.
  ///   - settings: the keys of the [Provider] section.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Throws: `invalidArgument` for a setting that is wrong, `invalidURL` for plain http where it
  ///   is not allowed.
  public init(
    name: String? = nil,
    settings: [String: String],
    environment: Environment = .production
  ) throws(AuthError) {
    let provider: Provider
    do throws(ConfigurationError) {
      provider = try Self.checked(name, settings)
    } catch {
      throw AuthError(.invalidArgument, "\(error)", cause: error)
    }
    try Self.demandSafety(of: provider, environment)
    self.name = provider.name.text
    self.settings = settings
    clientSecret = nil
  }

  /// One that was read from a file.
  init(_ provider: Provider, _ environment: Environment) throws(AuthError) {
    try Self.demandSafety(of: provider, environment)
    name = provider.name.text
    settings = provider.settings
    clientSecret = provider.oauth?.clientSecret?.secret
  }

  /// Refuses plain http in production: any program on the way reads a token that is sent so.
  private static func demandSafety(
    of provider: Provider,
    _ environment: Environment
  ) throws(AuthError) {
    guard environment == .development || !provider.issuer.isPlain else {
      throw AuthError(
        .invalidURL,
        "\(provider.issuer) is not https",
        recoverySuggestion: "use https, or the environment .development on this machine"
      )
    }
  }

  private static func checked(
    _ name: String?,
    _ settings: [String: String]
  ) throws(ConfigurationError) -> Provider {
    if let name { return try Provider(name: ProviderName(name), settings: settings) }
    // An issuer that is missing or wrong is told with its key.
    guard let issuer = settings["issuer"].flatMap({ try? Issuer($0) }) else {
      return try Provider(name: ProviderName("app"), settings: settings)
    }
    return try Provider(name: ProviderName(of: issuer), settings: settings)
  }

  /// An OpenID provider, found by its discovery document.
  ///
  /// - Parameters:
  ///   - issuer: its URL, exactly as its ID tokens name it.
  ///   - clientID: what the app is registered as, as an app that is installed: without a secret.
  ///   - scopes: what is asked for; without `offline_access` many give no refresh token.
  ///   - apiHosts: further hosts that may get the access token, such as `api.example.com` or
  ///     `api.example.com:8443`; the issuer's own always may.
  ///   - pins: the keys that its certificates may have, as `sha256//` and base64 (RFC 7469); none:
  ///     any that its authorities vouch for.
  ///   - certificateAuthorities: certificates in PEM that count instead of the system's.
  ///   - timeout: how long an answer may take, in whole seconds from 1 to 60; `nil`: 28 s. One that comes
  ///     too late is lost.
  ///   - connectTimeout: how long the connection may take, in whole seconds from 1 to 30; `nil`: 10 s.
  ///   - name: its name, for people; `nil`: the issuer's host, such as `login.example.com`.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Returns: the provider; nothing was asked of it yet.
  /// - Throws: `invalidArgument` for a setting that is wrong, `invalidURL` for plain http.
  public static func openID(
    _ issuer: String,
    clientID: String,
    scopes: [String] = ["openid", "offline_access"],
    apiHosts: [String] = [],
    pins: [String] = [],
    certificateAuthorities: String? = nil,
    timeout: Duration? = nil,
    connectTimeout: Duration? = nil,
    name: String? = nil,
    environment: Environment = .production
  ) throws(AuthError) -> AuthProvider {
    var settings = connection(
      apiHosts,
      pins,
      certificateAuthorities,
      timeout,
      connectTimeout
    )
    settings["kind"] = "oidc"
    settings["issuer"] = issuer
    settings["client_id"] = clientID
    settings["scope"] = scopes.joined(separator: " ")
    return try AuthProvider(name: name, settings: settings, environment: environment)
  }

  /// A backend of the app's own with e-mail and password (`/auth/register`, `/auth/login`, ...).
  ///
  /// - Parameters:
  ///   - url: where it is.
  ///   - apiHosts: further hosts that may get the access token; the backend's own always may.
  ///   - pins: the keys that its certificates may have, as `sha256//` and base64 (RFC 7469).
  ///   - certificateAuthorities: certificates in PEM that count instead of the system's.
  ///   - timeout: how long an answer may take, in whole seconds from 1 to 60; `nil`: 28 s. One that comes
  ///     too late is lost.
  ///   - connectTimeout: how long the connection may take, in whole seconds from 1 to 30; `nil`: 10 s.
  ///   - name: its name, for people; `nil`: the backend's host.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Returns: the backend; nothing was asked of it yet.
  /// - Throws: `invalidArgument` for a setting that is wrong, `invalidURL` for plain http.
  public static func passwordBackend(
    _ url: String,
    apiHosts: [String] = [],
    pins: [String] = [],
    certificateAuthorities: String? = nil,
    timeout: Duration? = nil,
    connectTimeout: Duration? = nil,
    name: String? = nil,
    environment: Environment = .production
  ) throws(AuthError) -> AuthProvider {
    var settings = connection(
      apiHosts,
      pins,
      certificateAuthorities,
      timeout,
      connectTimeout
    )
    settings["kind"] = "password-backend"
    settings["issuer"] = url
    return try AuthProvider(name: name, settings: settings, environment: environment)
  }

  private static func connection(
    _ apiHosts: [String],
    _ pins: [String],
    _ authorities: String?,
    _ timeout: Duration?,
    _ connectTimeout: Duration?
  ) -> [String: String] {
    var settings: [String: String] = [:]
    settings["timeout"] = timeout.map { "\(wholeSeconds($0))s" }
    settings["connect_timeout"] = connectTimeout.map { "\(wholeSeconds($0))s" }
    if !apiHosts.isEmpty { settings["api_hosts"] = apiHosts.joined(separator: ";") }
    if !pins.isEmpty { settings["pins"] = pins.joined(separator: ";") }
    if let authorities { settings["ca"] = authorities }
    return settings
  }
}

extension AuthProvider {
  /// Whether both are the same, with their client secrets, which are compared in constant time.
  public static func == (left: AuthProvider, right: AuthProvider) -> Bool {
    VaultProvider(left) == VaultProvider(right)
  }

  /// Hashes name and settings.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(settings)
  }
}

extension AuthProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Its name and issuer: among the settings may be a client's secret.
  public var description: String { "AuthProvider(\(name), \(settings["issuer"] ?? "?"))" }
  /// The same.
  public var debugDescription: String { description }
  /// Without the settings.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
