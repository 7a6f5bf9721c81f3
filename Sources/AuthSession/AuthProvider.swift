internal import Configuration

/// Where an app's people sign in.
public struct AuthProvider: Sendable, Hashable {
  /// How strict a provider's URL is taken.
  public enum Environment: Sendable, Hashable {
    /// Plain http is allowed to this machine itself.
    case development
    /// https alone.
    case production
  }

  /// Its name, for people.
  public let name: String
  /// The keys of a provider file's [Provider] section.
  public let settings: [String: String]

  /// One with all of its settings, as a provider file has them; the README lists them.
  ///
  /// - Throws: `invalidArgument` for a setting that is wrong, `invalidURL` for plain http where it
  ///   is not allowed.
  public init(
    name: String,
    settings: [String: String],
    environment: Environment = .production
  ) throws(AuthError) {
    let provider: Provider
    do throws(ConfigurationError) {
      provider = try Provider(name: ProviderName(name), settings: settings)
    } catch {
      throw AuthError(.invalidArgument, "\(error)", cause: error)
    }
    // A token on the wire in plain is anybody's: a setting that is forgotten must not let it out.
    guard environment == .development || !provider.issuer.isPlain else {
      throw AuthError(
        .invalidURL,
        "\(provider.issuer) is not https",
        recoverySuggestion: "use https, or the environment .development on this machine"
      )
    }
    self.name = name
    self.settings = settings
  }

  /// An OpenID provider, found by its discovery document.
  public static func openID(
    _ issuer: String,
    clientID: String,
    scopes: [String] = ["openid", "offline_access"],
    name: String = "app",
    environment: Environment = .production
  ) throws(AuthError) -> AuthProvider {
    try AuthProvider(
      name: name,
      settings: [
        "kind": "oidc", "issuer": issuer, "client_id": clientID,
        "scope": scopes.joined(separator: " "),
      ],
      environment: environment
    )
  }

  /// A backend of the app's own with e-mail and password (`/auth/register`, `/auth/login`, ...).
  public static func passwordBackend(
    _ url: String,
    name: String = "app",
    environment: Environment = .production
  ) throws(AuthError) -> AuthProvider {
    try AuthProvider(
      name: name,
      settings: ["kind": "password-backend", "issuer": url],
      environment: environment
    )
  }
}
