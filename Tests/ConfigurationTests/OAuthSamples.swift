import Configuration
import SecretMemory
import Testing

/// The least that a provider of OAuth has.
let oauthBase = [
  "kind": "oidc", "issuer": "https://id.example.com/realm/", "client_id": "cli",
]

/// A provider of OAuth with more settings, or fewer.
func made(_ more: [String: String?] = [:]) throws -> Provider {
  var settings = oauthBase
  for (key, value) in more { settings[key] = value }
  return try Provider(name: ProviderName("dev"), settings: settings)
}

/// What such a provider has of OAuth.
func oauthOf(_ more: [String: String?] = [:]) throws -> OAuthSettings {
  try #require(made(more).oauth)
}

/// A client secret as text, for what the tests expect.
func text(_ secret: ClientSecret?) -> String? {
  secret.map { text($0.secret.bytes) }
}

/// A secret as text.
func text(_ secret: borrowing SecretBytes) -> String {
  unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
}

/// Settings that suffice without any discovery.
let byHand: [String: String] = [
  "discovery": "off",
  "authorization_endpoint": "https://id.example.com/authorize?p=signin",
  "token_endpoint": "https://id.example.com/token",
  "jwks_uri": "https://keys.example.com/jwks.json",
]
