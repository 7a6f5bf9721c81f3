import Configuration
import Storage

@testable import TokenVault

/// A provider of the kind oauth2 with endpoints from its settings.
func oauthProvider(_ settings: [String: String] = [:]) throws -> Provider {
  let base = [
    "kind": "oauth2", "issuer": "https://id.example.com", "client_id": "app",
    "discovery": "off", "password_grant": "true", "scope": "read write",
    "token_endpoint": "https://id.example.com/token", "refresh_scope": "any",
  ]
  let all = base.merging(settings) { $1 }.filter { !$0.value.isEmpty }
  return try Provider(name: ProviderName("dev"), settings: all)
}

extension Bench {
  /// Signs in at an OAuth provider, by password: refresh token `rt-1`, access token `at-1`.
  func signInOAuth(
    _ vault: Vault,
    settings: [String: String] = [:],
    scope: String? = nil,
    lifetime: Int = 3600
  ) async throws {
    exchange.plan(oauthTokens("at-1", refresh: "rt-1", scope: scope, lifetime: lifetime))
    _ = try await vault.signIn(
      account: "me",
      provider: try oauthProvider(settings),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
  }

  /// The parameters of each refresh, without the value of the refresh token.
  var forms: [[String: String]] {
    exchange.requests.compactMap(\.body).map(form).filter { $0["grant_type"] == "refresh_token" }
  }
}

/// New tokens of an OAuth provider.
func oauthTokens(
  _ access: String,
  refresh: String?,
  scope: String? = nil,
  lifetime: Int = 3600
) -> ScriptedExchange.Step {
  var members = [
    #""access_token":"\#(access)""#, #""token_type":"Bearer""#, #""expires_in":\#(lifetime)"#,
  ]
  if let refresh { members.append(#""refresh_token":"\#(refresh)""#) }
  if let scope { members.append(#""scope":"\#(scope)""#) }
  return .answer(status: 200, body: "{" + members.joined(separator: ",") + "}")
}

private func form(_ body: String) -> [String: String] {
  var members: [String: String] = [:]
  for pair in body.split(separator: "&") {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { continue }
    let text = parts[1].replacing("+", with: " ").replacing("%20", with: " ")
      .replacing("%3A", with: ":").replacing("%2F", with: "/")
    members[String(parts[0])] = String(text)
  }
  return members
}

extension Vault {
  /// Requests a token with a scope, an audience or both.
  func token(
    scope: String?,
    audience: String? = nil,
    rejected: String? = nil,
    consent: NarrowingConsent = .notGiven,
    prompt: String? = nil,
    caller: Caller = caller()
  ) async throws(VaultFailure) -> AccessGrant {
    try await accessToken(
      account: "me",
      minimumLifetime: nil,
      rejected: rejected,
      scope: scope,
      audience: audience,
      consent: consent,
      prompt: prompt,
      caller: caller
    )
  }

  /// The sets for which an account has access tokens.
  func sets(_ name: String = "me") throws -> [String] {
    try tokens(of: try row(name)).map(\.scopeSet)
  }
}
