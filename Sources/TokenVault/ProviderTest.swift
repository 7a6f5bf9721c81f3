public import Configuration
internal import OAuth
internal import System

/// What was seen of a provider.
public struct ProviderFacts: Sendable, Equatable {
  /// Its issuer.
  public let issuer: String
  /// Whether it told its endpoints itself.
  public let isDiscovered: Bool
  /// The whole URL of each endpoint that is known, by its key in a provider file.
  public let endpoints: [String: String]
  /// How one can sign in: `browser`, `device`, `password`.
  public let flows: [String]
  /// How many keys for ID tokens can be used; nil where none are needed.
  public let keys: Int?
  /// What may be wrong, a sentence each.
  public let warnings: [String]
}

extension Vault {
  /// Looks at a provider: its metadata, its keys, and whether the connection stands.
  ///
  /// Nothing is taken from memory: a person asks because something has changed.
  ///
  /// - Throws: `offline`, `providerUnavailable`; `misconfigured` where nobody could sign in.
  public func test(_ provider: Provider) async throws(VaultFailure) -> ProviderFacts {
    guard provider.kind != .passwordBackend else { return try await testBackend(provider) }
    let (found, metadata) = try await discovered(provider, isAskedAnew: true)
    var warnings = metadata?.warnings(for: found) ?? []
    var keys: Int?
    if let source = keySource(of: found) {
      let count = try await readKeys(found, source)?.count ?? 0
      if count == 0 { warnings.append("has no key that its ID tokens could be checked with") }
      keys = count
    } else if found.kind == .oidc {
      warnings.append("names no keys (jwks_uri): its ID tokens cannot be checked")
    }
    let flows = ProviderClient(provider: found).flows.map(\.rawValue)
    if flows.isEmpty { warnings.append("offers no way to sign in that is known here") }
    if found.endpoint(.revocation) == nil {
      warnings.append("has no revocation_endpoint: a logout erases here alone")
    }
    if metadata == nil {
      try await demandConnection(found, found.endpoint(.token) ?? found.issuer.text)
    }
    return ProviderFacts(
      issuer: found.issuer.text,
      isDiscovered: metadata != nil,
      endpoints: found.knownEndpoints,
      flows: flows,
      keys: keys,
      warnings: warnings
    )
  }

  /// A backend tells nothing of itself; that it is there is all there is to see.
  private func testBackend(_ provider: Provider) async throws(VaultFailure) -> ProviderFacts {
    try await demandConnection(provider, provider.url(of: .verify))
    return ProviderFacts(
      issuer: provider.issuer.text,
      isDiscovered: false,
      endpoints: [:],
      flows: ProviderClient(provider: provider).flows.map(\.rawValue),
      keys: nil,
      warnings: []
    )
  }

  /// Any answer at all shows that name, TLS and pins are right.
  private func demandConnection(
    _ provider: Provider,
    _ url: String
  ) async throws(VaultFailure) {
    _ = try await Fetch(exchange: exchange, clock: clock).answer(
      to: ProviderRequest.look(at: url),
      terms: terms(of: provider)
    )
  }
}

extension Provider {
  fileprivate var knownEndpoints: [String: String] {
    var endpoints: [String: String] = [:]
    for one in OAuthEndpoint.allCases { endpoints[one.key] = endpoint(one) }
    return endpoints
  }
}
