import Configuration
import SecretMemory
import Testing

/// The minimal settings of an OAuth provider.
let oauthBase = [
  "kind": "oidc", "issuer": "https://id.example.com/realm/", "client_id": "cli",
]

/// An OAuth provider with added or removed settings.
func made(_ more: [String: String?] = [:]) throws -> Provider {
  var settings = oauthBase
  for (key, value) in more { settings[key] = value }
  return try Provider(name: ProviderName("dev"), settings: settings)
}

/// The OAuth settings of such a provider.
func oauthOf(_ more: [String: String?] = [:]) throws -> OAuthSettings {
  try #require(made(more).oauth)
}

/// A client secret as text, for comparison.
func text(_ secret: ClientSecret?) -> String? {
  secret.map { text($0.secret.bytes) }
}

/// A secret as text.
func text(_ secret: borrowing SecretBytes) -> String {
  unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
}

/// Settings that are enough without discovery.
let byHand: [String: String] = [
  "discovery": "off",
  "authorization_endpoint": "https://id.example.com/authorize?p=signin",
  "token_endpoint": "https://id.example.com/token",
  "jwks_uri": "https://keys.example.com/jwks.json",
]
