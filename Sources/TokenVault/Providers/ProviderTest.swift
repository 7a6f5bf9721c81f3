package import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import System

/// The findings of a test of a provider.
package struct ProviderFacts: Sendable, Equatable {
  package let issuer: String
  /// Whether its endpoints come from its own metadata.
  package let isDiscovered: Bool
  /// The whole URL of each endpoint that is known, by its key in a provider file.
  package let endpoints: [String: String]
  /// The ways to sign in: `browser`, `device`, `password`.
  package let flows: [String]
  /// The number of keys for ID tokens that can be used; `nil` if none are needed.
  package let keys: Int?
  /// Possible mistakes, one sentence each.
  package let warnings: [String]
  /// The scopes that its metadata offers, sorted; `nil` if the metadata does not list them.
  package var offeredScopes: [String]?
  /// The scopes that a sign-in asks for.
  package var askedScopes: [String] = []
  /// Whether its metadata lists PKCE with S256; `nil` if the metadata does not say.
  package var takesS256: Bool?
  /// The URL that registers clients; `nil` if there is none.
  package var registrationEndpoint: String?
  /// Whether a client identifier may be the URL of the client's metadata.
  package var takesClientMetadata = false
  /// The client authentication methods of the token endpoint, sorted; `nil` if the metadata does
  /// not say.
  package var clientAuthentication: [String]?
}

extension Vault {
  /// Tests a provider: its metadata, its keys, and the connection to it.
  ///
  /// The cache is skipped: a person asks because something has changed. No person signs in.
  ///
  /// With `isTrying` it makes two requests for their refusals: one of the authorization page
  /// without a person, and one to the revocation endpoint with a token that was never issued.
  ///
  /// - Throws: `offline`, `providerUnavailable`; `misconfigured` if no sign-in is possible.
  package func test(
    _ provider: Provider,
    isTrying: Bool = false
  ) async throws(VaultFailure) -> ProviderFacts {
    guard provider.kind.isOAuth else { return try await testConnection(provider) }
    let (found, metadata) = try await discovered(provider, isAskedAnew: true)
    var warnings = plainWarnings(found) + (metadata?.warnings(for: found) ?? [])
    var keys: Int?
    if let source = keySource(of: found) {
      let count = try await readKeys(found, source)?.count ?? 0
      if count == 0 { warnings.append("has no key that can verify its ID tokens") }
      keys = count
    } else if found.kind == .oidc {
      warnings.append("names no keys (jwks_uri): its ID tokens cannot be checked")
    }
    let flows = ProviderClient(provider: found).flows
    if flows.isEmpty { warnings.append("offers no way to sign in that is known here") }
    if isTrying, flows.contains(.browser) { warnings += await redirectWarnings(found) }
    warnings += await revocationWarnings(found, metadata, isTrying: isTrying)
    warnings += narrowingWarnings(found)
    if metadata == nil {
      try await demandConnection(found, found.endpoint(.token) ?? found.issuer.text)
    }
    var facts = ProviderFacts(
      issuer: found.issuer.text,
      isDiscovered: metadata != nil,
      endpoints: found.knownEndpoints,
      flows: flows.map(\.rawValue),
      keys: keys,
      warnings: warnings
    )
    facts.offeredScopes = metadata?.scopes?.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    facts.takesS256 = metadata?.takesS256
    facts.registrationEndpoint = metadata?.registrationEndpoint
    facts.takesClientMetadata = metadata?.takesClientMetadata ?? false
    facts.clientAuthentication = metadata?.tokenAuthentication?.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    facts.askedScopes = ProviderClient(provider: found).loginScopes(nil)
    return facts
  }

  /// A host without metadata, such as a password backend: only the connection to it can be tested.
  private func testConnection(_ provider: Provider) async throws(VaultFailure) -> ProviderFacts {
    let url = provider.kind == .static ? provider.issuer.text : provider.url(of: .verify)
    try await demandConnection(provider, url)
    return ProviderFacts(
      issuer: provider.issuer.text,
      isDiscovered: false,
      endpoints: [:],
      flows: ProviderClient(provider: provider).flows.map(\.rawValue),
      keys: nil,
      warnings: plainWarnings(provider)
    )
  }

  private func plainWarnings(_ provider: Provider) -> [String] {
    var warnings = oneTokenWarnings(provider)
    if provider.issuer.isPlain {
      warnings.insert(
        "is insecure: plain http on this machine, where only the user of the listening program is checked",
        at: 0
      )
    }
    return warnings
  }

  /// Any answer at all shows that name, TLS and pins are right.
  private func demandConnection(_ provider: Provider, _ url: String) async throws(VaultFailure) {
    _ = try await fetch(ProviderRequest.look(at: url), from: provider)
  }

  // MARK: - Requests that no sign-in needs

  /// A port that a sign-in might have; no program listens there for this request.
  private static let anyPort: UInt16 = 49_152

  /// Warns if the provider refuses the redirect URI before a person has signed in, which not all
  /// do.
  private func redirectWarnings(_ provider: Provider) async -> [String] {
    guard let redirect = provider.oauth?.redirect else { return [] }
    let tried = redirect.url(port: redirect.port ?? Self.anyPort)
    guard let refusal = await refusal(of: tried, provider) else { return [] }
    let status: Int
    switch refusal {
    case .page(let code): status = code
    case .redirect(let error, let message):
      let remedy: String
      switch error {
      case "invalid_scope": remedy = ": set scope to what it allows, such as scope = openid"
      case "server_error", "temporarily_unavailable": remedy = ""
      default: remedy = ": check client_id, and what the client may do there"
      }
      return ["refuses a sign-in: \(error)\(message.map { " (\($0))" } ?? "")\(remedy)"]
    }
    let fixed = redirect.withFixedPort.text
    if redirect.port == nil, await self.refusal(of: redirect.text, provider) == nil {
      return [
        "compares the port of the redirect URI, and refuses \(tried) (HTTP \(status)): register"
          + " \(fixed), and set redirect_uri = \(fixed) (provider add --redirect-uri)"
      ]
    }
    return [
      "refuses a sign-in (HTTP \(status)): check client_id and scopes, and register the redirect URI"
        + " \(redirect.text)"
        + (redirect.port == nil ? "; if ports count there, \(fixed) with --redirect-uri" : "")
    ]
  }

  /// How the authorization page refuses a sign-in before a person has signed in.
  private enum Refusal {
    /// With a page of this status, which the person would see.
    case page(Int)
    /// With a redirect to the client (RFC 6749, section 4.1.2.1).
    case redirect(error: String, message: String?)
  }

  /// How the authorization page refuses a redirect URI; `nil` if it does not.
  private func refusal(of redirect: String, _ provider: Provider) async -> Refusal? {
    guard let state = try? ProofKey.identifier(), let verifier = try? ProofKey.verifier(),
      let challenge = try? ProofKey.challenge(for: verifier),
      let url = try? ProviderClient(provider: provider).authorization(
        redirect: redirect,
        state: state,
        nonce: state,
        challenge: challenge
      ),
      let answer = try? await fetch(ProviderRequest.page(at: url), from: provider, tries: 1)
    else { return nil }
    if (400...403).contains(answer.status) { return .page(answer.status) }
    guard (300...399).contains(answer.status),
      answer.body.bytes.withBytes({ $0.starts(with: redirect + "?") }),
      case .refused(let error, let message)? = try? RedirectAnswer.parse(
        answer.body.bytes,
        state: state,
        provider: provider
      )
    else { return nil }
    return .redirect(error: error, message: message)
  }

  private func revocationWarnings(
    _ provider: Provider,
    _ metadata: ServerMetadata?,
    isTrying: Bool
  ) async -> [String] {
    guard provider.endpoint(.revocation) != nil else {
      return ["has no revocation_endpoint: a logout erases only here"]
    }
    guard provider.oauth?.clientAuthentication == OAuthSettings.ClientAuthentication.none else {
      return []
    }
    let text =
      "lets no public client revoke: a logout erases here, and the refresh token stays valid there"
    if let methods = metadata?.revocationAuthentication, !methods.contains("none") { return [text] }
    guard isTrying, let token = try? ProofKey.verifier(),
      let request = try? ProviderClient(provider: provider).revocation(
        accessToken: nil,
        refreshToken: SharedSecret(token)
      )
    else { return [] }
    // RFC 7009, section 2.2: an unknown token is no error, but a client without permission gets
    // one.
    guard
      case .answered(let status, _, _) = await exchange.perform(
        request,
        terms: terms(of: provider),
        delivery: nil
      ), status == 401 || status == 403
    else { return [] }
    return [text]
  }
}

extension Provider {
  fileprivate var knownEndpoints: [String: String] {
    var endpoints: [String: String] = [:]
    for one in OAuthEndpoint.allCases { endpoints[one.key] = endpoint(one) }
    return endpoints
  }
}

extension Span<UInt8> {
  fileprivate func starts(with text: String) -> Bool {
    let prefix = Array(text.utf8)
    return count >= prefix.count && prefix.indices.allSatisfy { self[$0] == prefix[$0] }
  }
}
