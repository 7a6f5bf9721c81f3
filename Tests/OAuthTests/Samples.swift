import Configuration
import JSON
import OAuth
import SecretMemory

/// An OpenID Connect provider with all endpoints.
func openID(_ settings: [String: String] = [:]) throws -> Provider {
  let base = [
    "kind": "oidc", "issuer": "https://id.example.com", "client_id": "client-1",
    "discovery": "off",
    "authorization_endpoint": "https://id.example.com/authorize",
    "token_endpoint": "https://id.example.com/token",
    "device_authorization_endpoint": "https://id.example.com/device",
    "userinfo_endpoint": "https://id.example.com/me",
    "revocation_endpoint": "https://id.example.com/revoke",
    "jwks_uri": "https://id.example.com/keys",
  ]
  return try Provider(name: ProviderName("dev"), settings: base.merging(settings) { $1 })
}

/// The same provider without ID tokens.
func plainOAuth(_ settings: [String: String] = [:]) throws -> Provider {
  let base = [
    "kind": "oauth2", "issuer": "https://id.example.com", "client_id": "client-1",
    "discovery": "off",
    "authorization_endpoint": "https://id.example.com/authorize",
    "token_endpoint": "https://id.example.com/token",
    "device_authorization_endpoint": "https://id.example.com/device",
  ]
  return try Provider(name: ProviderName("dev"), settings: base.merging(settings) { $1 })
}

func shared(_ text: String) throws -> SharedSecret { SharedSecret(try secret(text)) }

/// A judgement in a form that can be compared.
func judged(
  _ provider: Provider,
  _ status: Int,
  _ body: String,
  retryAfter: Int? = nil,
  for purpose: TokenPurpose,
  sent: SharedSecret? = nil
) throws -> String {
  let judgement = ProviderClient(provider: provider).judge(
    status: status,
    retryAfter: retryAfter,
    body: try secret(body),
    for: purpose,
    sent: sent
  )
  switch judgement {
  case .tokens(let answer):
    return "tokens \(answer.accessToken) \(text(answer.refreshToken) ?? "-") "
      + (answer.idToken ?? "-")
  case .invalidGrant: return "invalid grant"
  case .refused(let status, let message, _): return "refused \(status) \(message)"
  case .rateLimited(let wait): return "rate limited \(wait.map(String.init) ?? "-")"
  case .failing(let status, let wait, _):
    return "failing \(status) \(wait.map(String.init) ?? "-")"
  case .misconfigured(let message, let token, _):
    return "misconfigured \(text(token) ?? "-") \(message)"
  case .otherError(let status, let code, let message):
    return "other error \(status) \(code ?? "-") \(message)"
  case .signInWanted(let status, let code, let words):
    return "sign-in wanted \(status) \(code) \(words ?? "-")"
  case .pending(let slowDown): return slowDown ? "slow down" : "pending"
  case .unexplained(let status, let isEmpty):
    return (isEmpty ? "unexplained" : "unreadable") + " \(status)"
  case .scopeRefused(let status, let message): return "scope refused \(status) \(message ?? "-")"
  }
}

/// Whether a text is safe for a terminal: one line without control characters.
func isFitToBeShown(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

/// The JSON object of a text, or an empty object if the text is not one.
func object(_ text: String) throws -> JSONObject {
  if case .object(let object) = try JSONReader.read(Array(text.utf8)) { object } else { [:] }
}

/// A generator that gives the same numbers each time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
