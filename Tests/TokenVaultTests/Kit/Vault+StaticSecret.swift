import Configuration
import SecretMemory
import Testing

@testable import TokenVault

/// The host of the tests.
func staticHost(_ settings: [String: String] = [:]) throws -> Provider {
  let base = ["kind": "static", "issuer": "https://git.example.com"]
  return try Provider(name: ProviderName("git"), settings: base.merging(settings) { $1 })
}

extension Vault {
  /// Stores a secret in the account `me`, with the further data in `beside`.
  @discardableResult
  func put(
    _ secret: String,
    _ beside: StaticSecret = StaticSecret(secret: shared("")),
    isProtected: Bool? = nil,
    prompt: String? = nil
  ) async throws -> AccountFacts {
    try await storeSecret(
      StaticSecret(
        secret: shared(secret),
        username: beside.username,
        label: beside.label,
        expiresAt: beside.expiresAt,
        claims: beside.claims
      ),
      account: "me",
      provider: try staticHost(),
      isProtected: isProtected,
      prompt: prompt,
      caller: caller()
    )
  }
}
