internal import Configuration
internal import JSON
internal import SecretMemory

/// An entry in another program's file, and the part of it that can be moved.
struct ForeignEntry {
  enum Content {
    case login(ForeignLogin)
    case secret(ForeignSecret)
    /// It stays there, for this reason.
    case unmovable(String)
  }

  /// The part that is removed from the file after the move.
  enum Removal {
    /// A value of a JSON document.
    case value([JSONStep])
    /// Bytes of a text, in ascending order.
    case bytes([Range<Int>])
    /// The file is nothing but this entry.
    case wholeFile
  }

  /// The name by which a person chooses it.
  var name: String
  let content: Content
  let removal: Removal

  /// The name that the file gives it, if `name` may not be its only one.
  var key: String?

  /// The host of a secret; `nil` for a login.
  var host: TokenHost? { if case .secret(let secret) = content { secret.host } else { nil } }

  /// Whether another reading of the file, or another place in it, has the same secret of the same
  /// user.
  func isSame(as other: ForeignEntry) -> Bool {
    switch (content, other.content) {
    case (.login(let left), .login(let right)):
      return SecretBytes.constantTimeEqual(left.refreshToken.bytes, right.refreshToken.bytes)
    case (.secret(let left), .secret(let right)):
      return left.host == right.host && left.username == right.username
        && left.text.utf8.elementsEqual(right.text.utf8)
    default: return false
    }
  }
}

/// A login of another program: its refresh token, and for which client and where it is good.
struct ForeignLogin {
  let refreshToken: SharedSecret
  var clientID: String?
  var clientSecret: SharedSecret?
  /// The URL of the MCP server that its access tokens are for; `nil` for the program's own service.
  var server: String?
  /// The issuer; `nil` if the file does not have it.
  var issuer: String?
  /// Whether the program appends a slash to each issuer.
  ///
  /// Then the provider's own spelling is unknown.
  var isIssuerWithSlash = false
  /// The token endpoint; `nil` if the file does not have it.
  var tokenEndpoint: String?
  /// The file of the certificate authorities that the provider has; `nil` for those of the system.
  var certificateFile: String?
  /// The redirect URI that the client is registered with; `nil` if it is not known.
  var redirect: String?
  /// The program's own client, for a login at its own service.
  var client: KnownClient?
  var scopes: [String] = []
  /// The audience of its access tokens; `nil` if it asks for none.
  var audience: String?
  /// When the present access token ends, in seconds since 1970.
  var expiresAt: Int64?

  /// The spellings that the provider's own issuer may have.
  var issuers: [String] {
    guard let issuer else { return [] }
    guard isIssuerWithSlash, issuer.hasSuffix("/") else { return [issuer] }
    return [String(issuer.dropLast()), issuer]
  }
}

/// A password or token without a login.
struct ForeignSecret {
  let host: TokenHost
  let username: String?
  let text: String
}

/// The client of a program at its own service, whose files do not name it.
///
/// The values are from the program's published source.
enum KnownClient {
  case codex
  case gemini

  /// Whether the provider demands a client secret from it.
  var needsSecret: Bool { self == .gemini }

  /// The settings of a provider file.
  func settings() throws(ConfigurationError) -> [String: String] {
    switch self {
    case .codex:
      return [
        "kind": Provider.Kind.oauth2.rawValue,
        "issuer": "https://auth.openai.com",
        "discovery": "off",
        "authorization_endpoint": "https://auth.openai.com/oauth/authorize",
        "token_endpoint": "https://auth.openai.com/oauth/token",
        "client_id": "app_EMoamEEZ73f0CkXaXp7hrann",
        "redirect_uri": "http://localhost:1455/auth/callback",
        "scope": ["openid", "profile", "email", "offline_access"].joined(separator: " "),
      ]
    case .gemini:
      let google = ProviderTemplate.named("google")
      var settings = try google?.settings(filledWith: [:], hasSecret: true)
      settings?["client_id"] =
        "681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com"
      let scopes = ["cloud-platform", "userinfo.email", "userinfo.profile"].map {
        "https://www.googleapis.com/auth/\($0)"
      }
      settings?["scope"] = (["openid"] + scopes).joined(separator: " ")
      return settings ?? [:]
    }
  }
}
