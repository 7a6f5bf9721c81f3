internal import Configuration
internal import SecretMemory
internal import VaultInterface

/// A provider at which the users of an app sign in.
public struct AuthProvider: Sendable, Hashable {
  /// How strictly a provider's URL is checked.
  public enum Environment: Sendable, Hashable {
    /// Plain http is allowed to this machine itself.
    case development
    /// Only https is allowed.
    case production
  }

  /// The name that `thumblatch status` and prompts show.
  public let name: String
  /// The keys of a provider file's [Provider] section.
  public let settings: [String: String]
  /// The client secret of a provider file.
  ///
  /// It is never held as text here.
  let clientSecret: SharedSecret?

  /// Makes a provider from its settings, as in a provider file.
  ///
  /// thumblatch-provider(5) lists them.
  ///
  /// - Parameters:
  ///   - name: the name: lower-case letters, digits, `.`, `_` and `-`, at most 64. `nil` for the
  ///     issuer's host, such as `login.example.com`.
  ///   - settings: the keys of the [Provider] section.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Throws: `invalidArgument` for a wrong setting, `invalidURL` for plain http that is not
  ///   allowed.
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

  /// Makes a provider that was read from a file.
  init(_ provider: Provider, _ environment: Environment) throws(AuthError) {
    try Self.demandSafety(of: provider, environment)
    name = provider.name.text
    settings = provider.settings
    clientSecret = provider.oauth?.clientSecret?.secret
  }

  /// Refuses plain http in production: any program on the network path can read a token sent over
  /// it.
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
    // If the issuer is missing or wrong, this call throws the error that names the key.
    guard let issuer = settings["issuer"].flatMap({ try? Issuer($0) }) else {
      return try Provider(name: ProviderName("app"), settings: settings)
    }
    return try Provider(name: ProviderName(of: issuer), settings: settings)
  }

  /// An OpenID provider, found by its discovery document.
  ///
  /// - Parameters:
  ///   - issuer: its URL, exactly as its ID tokens name it.
  ///   - clientID: the client ID under which the app is registered as an installed app, without a
  ///     secret.
  ///   - scopes: the scopes to ask for. Without `offline_access` many providers give no refresh
  ///     token.
  ///   - apiHosts: further hosts that may get the access token, such as `api.example.com` or
  ///     `api.example.com:8443`. The issuer's own host always may.
  ///   - pins: the keys that its certificates may have, as `sha256//` and base64 (RFC 7469). If the
  ///     list is empty, any key that its authorities certify is accepted.
  ///   - certificateAuthorities: certificates in PEM that replace those of the system.
  ///   - timeout: how long an answer may take, in whole seconds from 1 to 60; `nil` for 28 s. A
  ///     later answer is lost.
  ///   - connectTimeout: how long the connection may take, in whole seconds from 1 to 30; `nil` for
  ///     10 s.
  ///   - name: the name that people see; `nil` for the issuer's host, such as `login.example.com`.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Returns: the provider. No request was made to it yet.
  /// - Throws: `invalidArgument` for a wrong setting, `invalidURL` for plain http that is not
  ///   allowed.
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
    var settings = connection(apiHosts, pins, certificateAuthorities, timeout, connectTimeout)
    settings["kind"] = "oidc"
    settings["issuer"] = issuer
    settings["client_id"] = clientID
    settings["scope"] = scopes.joined(separator: " ")
    return try AuthProvider(name: name, settings: settings, environment: environment)
  }

  /// The app's own backend with e-mail and password (`/auth/register`, `/auth/login`, ...).
  ///
  /// - Parameters:
  ///   - url: its URL.
  ///   - apiHosts: further hosts that may get the access token. The backend's own host always may.
  ///   - pins: the keys that its certificates may have, as `sha256//` and base64 (RFC 7469).
  ///   - certificateAuthorities: certificates in PEM that replace those of the system.
  ///   - timeout: how long an answer may take, in whole seconds from 1 to 60; `nil` for 28 s. A
  ///     later answer is lost.
  ///   - connectTimeout: how long the connection may take, in whole seconds from 1 to 30; `nil` for
  ///     10 s.
  ///   - name: the name that people see; `nil` for the backend's host.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Returns: the backend. No request was made to it yet.
  /// - Throws: `invalidArgument` for a wrong setting, `invalidURL` for plain http that is not
  ///   allowed.
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
    var settings = connection(apiHosts, pins, certificateAuthorities, timeout, connectTimeout)
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
  /// Whether both providers are the same.
  ///
  /// Client secrets are compared too, in constant time.
  public static func == (left: AuthProvider, right: AuthProvider) -> Bool {
    VaultProvider(left) == VaultProvider(right)
  }

  /// Hashes name and settings.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(settings)
  }
}

extension AuthProvider: Redacted {
  /// The name and the issuer.
  ///
  /// The settings may include a client secret.
  public var description: String { "AuthProvider(\(name), \(settings["issuer"] ?? "?"))" }
  /// A mirror without the settings.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
