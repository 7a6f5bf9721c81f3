internal import Configuration
internal import OAuth
internal import SecretMemory
internal import System

// Reads a provider's metadata before a sign-in, and the keys that it signs with.
extension Vault {
  /// The provider, with its metadata filled in for settings that the user did not write.
  ///
  /// With `isAskedAnew` the cache is skipped.
  ///
  /// - Returns: the provider, as written if it has no metadata and needs none.
  /// - Throws: `misconfigured` if the metadata cannot be used; `offline`, `providerUnavailable`.
  func completed(
    _ provider: Provider,
    isAskedAnew: Bool = false
  ) async throws(VaultFailure) -> Provider {
    try await discovered(provider, isAskedAnew: isAskedAnew).provider
  }

  /// The same, with the metadata; `nil` if there is none, and none is needed.
  func discovered(
    _ provider: Provider,
    isAskedAnew: Bool = false
  ) async throws(VaultFailure) -> (provider: Provider, metadata: ServerMetadata?) {
    let written = provider.asWritten
    let requests = ServerMetadata.requests(for: written)
    guard !requests.isEmpty else { return (written, nil) }
    switch try await metadata(of: written, at: requests, isAskedAnew: isAskedAnew) {
    case .document(let metadata):
      return try mappingErrors(to: .misconfigured()) { (try metadata.completed(written), metadata) }
    case .missing(let url, let status):
      // The user may have written all settings that a sign-in needs.
      guard !ProviderClient(provider: written).flows.isEmpty else {
        let what = (300...399).contains(status) ? ", a redirect that is not followed" : ""
        throw .misconfigured(
          "\(written.name.text) has no metadata at \(url) (HTTP \(status)\(what)): check its"
            + " issuer, or set its endpoints by hand, with discovery = off"
        )
      }
      return (written, nil)
    }
  }

  /// The same as `completed`, for a provider that tokens will come from or go to.
  ///
  /// - Throws: `misconfigured` also if the ID tokens of the provider could not be checked: the
  ///   person would approve there for nothing.
  func usable(
    _ provider: Provider,
    isAskedAnew: Bool = false
  ) async throws(VaultFailure) -> Provider {
    let found = try await completed(provider, isAskedAnew: isAskedAnew)
    guard found.kind != .oidc || found.endpoint(.jwks) != nil else {
      throw .misconfigured(
        "\(found.name.text) names no keys for its ID tokens: set jwks_uri, or kind = oauth2"
      )
    }
    return found
  }

  /// The result of looking for a provider's metadata.
  private enum MetadataSearch {
    case document(ServerMetadata)
    /// No location has metadata. These are of the first status that is not 404, or else of the
    /// first.
    case missing(url: String, status: Int)
  }

  private func metadata(
    of provider: Provider,
    at requests: [ProviderRequest],
    isAskedAnew: Bool
  ) async throws(VaultFailure) -> MetadataSearch {
    let terms = terms(of: provider)
    let sources = requests.map { request in
      MetadataCache.Source(issuer: provider.issuer.text, url: request.url, terms: terms)
    }
    if !isAskedAnew {
      for source in sources {
        if let known = providerState.documents.metadata(source, at: clock.boot) {
          return .document(known)
        }
      }
    }
    var unreadable: VaultFailure?
    var missing: (url: String, status: Int)?
    for (request, source) in zip(requests, sources) {
      let begun = clock.boot
      let answer = try await fetch(request, from: provider)
      switch answer.status {
      case 200...299: break
      case 429, 500...: throw .failing(answer)
      // Not there; another location may have it. Any other status than 404 says more.
      default:
        if missing.map({ $0.status == 404 && answer.status != 404 }) ?? true {
          missing = (request.url, answer.status)
        }
        continue
      }
      let metadata: ServerMetadata
      do throws(MetadataError) {
        metadata = try ServerMetadata(answer.body.bytes, for: provider)
      } catch {
        let failure = ErrorMeaning.misconfigured(at: request.url).failure(error)
        // A page for browsers may be here, and the document at another location.
        guard error == .notAnObject || error == .tooLong else { throw failure }
        unreadable = unreadable ?? failure
        continue
      }
      providerState.documents.put(metadata, source, begun: begun)
      return .document(metadata)
    }
    if let unreadable { throw unreadable }
    return .missing(url: missing?.url ?? requests[0].url, status: missing?.status ?? 404)
  }

  // MARK: - Keys

  /// The keys with which a provider signs ID tokens; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - provider: with the values that discovery filled in.
  ///   - isMissingOne: whether a key was not among the known ones. They are then read again, at
  ///     most three times a minute, and not within a minute after a failure. If the provider then
  ///     asked for a longer wait, that wait counts.
  /// - Returns: the keys that can be used, which may be none.
  /// - Throws: `misconfigured` if they cannot be read; `offline`, `providerUnavailable`.
  func keys(
    of provider: Provider,
    isMissingOne: Bool = false
  ) async throws(VaultFailure) -> KeySet? {
    guard let source = keySource(of: provider) else { return nil }
    if let known = providerState.documents.keys(source, isMissingOne: isMissingOne, at: clock.boot)
    {
      return known
    }
    if isMissingOne, let failure = providerState.documents.keyFailure(source, at: clock.boot) {
      throw failure
    }
    let begun = clock.boot
    do throws(VaultFailure) {
      let keys = try await readKeys(provider, source)
      if isMissingOne { providerState.documents.noteReread(source, at: clock.boot) }
      return keys
    } catch {
      noteKeyFailure(error, source, begun: begun)
      throw error
    }
  }

  /// The cached keys, without a request.
  func keysAtHand(of provider: Provider) -> KeySet? {
    keySource(of: provider).flatMap { providerState.documents.keys($0, at: clock.boot) }
  }

  /// Whether the keys of a source could not be read a moment ago, and are not requested now.
  func haveKeysFailed(_ source: MetadataCache.Source) -> Bool {
    providerState.documents.keyFailure(source, at: clock.boot) != nil
  }

  /// Does not request the keys of a source for a while.
  func noteKeyFailure(
    _ failure: VaultFailure,
    _ source: MetadataCache.Source,
    begun: BootInstant
  ) {
    providerState.documents.noteKeyFailure(failure, source, begun: begun, at: clock.boot)
  }

  /// Reads the keys, even if the cache has them.
  func readKeys(
    _ provider: Provider,
    _ source: MetadataCache.Source,
    tries: Int = Fetch.mostTries
  ) async throws(VaultFailure) -> KeySet? {
    guard let request = KeySet.request(for: provider) else { return nil }
    let begun = clock.boot
    let answer = try await fetch(request, from: provider, tries: tries)
    switch answer.status {
    case 200...299: break
    case 429, 500...: throw .failing(answer)
    default:
      throw .misconfigured("the provider's keys are not at \(request.url) (\(answer.status))")
    }
    let keys = try mappingErrors(to: .misconfigured(at: request.url)) {
      try KeySet(answer.body.bytes)
    }
    providerState.documents.put(keys, source, begun: begun)
    return keys
  }

  /// The source of a provider's keys; `nil` if it has none.
  func keySource(of provider: Provider) -> MetadataCache.Source? {
    guard provider.kind == .oidc, let url = provider.endpoint(.jwks) else { return nil }
    return MetadataCache.Source(issuer: provider.issuer.text, url: url, terms: terms(of: provider))
  }
}

extension VaultFailure {
  /// The provider is out of order, or asks for a later retry.
  fileprivate static func failing(_ answer: Fetch.Answer) -> VaultFailure {
    let wait = answer.retryAfter.map(Int64.init)
    return answer.status == 429
      ? .retryAfter(retryAfter: wait)
      : .providerUnavailable(
        "the provider answered \(answer.status)",
        retryAfter: wait,
        status: answer.status
      )
  }
}
