/// Access tokens.
extension AuthSession {
  /// A valid access token: the one in memory, else what the vault has or fetches.
  ///
  /// Many tasks that ask at once cause one refresh and at most one presence check. A task that is
  /// cancelled while it waits leaves the others waiting.
  ///
  /// - Parameter minimumLifetime: how long it must still be valid. A provider that never gives as
  ///   long gives its best: then `isShorterThanRequested` is true.
  /// - Returns: a token that is valid now.
  /// - Throws: `signedOut`, `loginRequired`, `locked`, `offline`, `providerUnavailable`,
  ///   `presence`, `cancelled`, and what the vault itself may fail with.
  nonisolated(nonsending) public func accessToken(
    minimumLifetime: Duration = .seconds(10)
  ) async throws(AuthError) -> AccessToken {
    if let token = cachedToken(for: nanoseconds(minimumLifetime)) { return token }
    return try await accessToken(TokenRequest(minimumLifetime: minimumLifetime))
  }

  /// A valid access token for these scopes, or this recipient.
  ///
  /// Tokens for different ones are kept beside each other in the vault.
  public func accessToken(
    scopes: [String]?,
    audience: String? = nil,
    minimumLifetime: Duration = .seconds(10)
  ) async throws(AuthError) -> AccessToken {
    try await accessToken(
      TokenRequest(minimumLifetime: minimumLifetime, scopes: scopes, audience: audience)
    )
  }

  /// The token in memory, where it is valid: no call, no wait, no prompt.
  public var cachedAccessToken: AccessToken? { cachedToken(for: 0) }

  /// Whether the token in memory ends within `threshold`, or there is none; nothing is asked.
  public func isAccessTokenExpiringSoon(threshold: Duration = .seconds(300)) -> Bool {
    cachedToken(for: nanoseconds(threshold)) == nil
  }

  /// How long the token in memory lasts; nil: there is none, or its end is not known.
  public var accessTokenLifetime: Duration? {
    anyCachedToken?.remaining(from: clock.elapsed)
  }

  /// A newer token than one that a server refused with 401.
  public func accessToken(
    replacing rejected: AccessToken
  ) async throws(AuthError) -> AccessToken {
    try await accessToken(TokenRequest(rejected: rejected.value))
  }

  /// A token of the vault.
  func accessToken(
    _ request: TokenRequest,
    asksNobody: Bool = false
  ) async throws(AuthError) -> AccessToken {
    if configuration.refusesWhileLocked, facts.isLocked { throw .isLocked }
    // Who may be asked does not share the failure of one who asks nobody.
    let work = TokenWork(request: request, asksNobody: asksNobody)
    return try await tokens.value(for: work) { [self] () throws(AuthError) in
      try await fetch(request, asksNobody: asksNobody)
    }
  }

  /// One call to the vault, for all that wait for it: its prompt is there as long as one of them is.
  private func fetch(
    _ request: TokenRequest,
    asksNobody: Bool
  ) async throws(AuthError) -> AccessToken {
    let check = PresenceCall(self, reason: nil, asksNobody: asksNobody)
    defer { check.end() }
    let number = forgetting
    do throws(AuthError) {
      let token = try await vault.accessToken(of: account, request, check.asking)
      if request.scopes == nil && request.audience == nil {
        keep(token, unlessForgottenSince: number)
      }
      // Who waits for the state finds the token.
      if facts.isOffline { change { $0.providerIs(reachable: true) } }
      if check.hasPassed { checkHasPassed() }
      if facts.isAuthenticated { follow() }
      return token
    } catch {
      await learn(from: error, check)
      throw error
    }
  }
}

/// What tasks share that ask for a token.
struct TokenWork: Hashable {
  let request: TokenRequest
  let asksNobody: Bool
}

extension AuthError {
  /// The session refuses while it is locked.
  static var isLocked: AuthError {
    AuthError(.locked, "the session is locked", recoverySuggestion: "unlock it")
  }
}

/// A duration in nanoseconds, as far as they can be told.
@inline(__always)
func nanoseconds(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
  let (sum, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
  return isTooLong || isTooFar ? (seconds < 0 ? .min : .max) : sum
}
