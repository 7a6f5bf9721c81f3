/// Access tokens.
extension AuthSession {
  /// A valid access token: the one in memory, else what the vault has or fetches.
  ///
  /// Many tasks that ask at once cause one refresh and at most one presence check. A task that is
  /// cancelled while it waits leaves the others waiting.
  ///
  /// - Parameter minimumLifetime: how long it must still be valid. A provider that never gives as
  ///   long gives its best: then `isShorterThanRequested` is true.
  /// - Returns: a token that is valid now. Where the provider did not say when it ends, the one in
  ///   memory is used for five minutes at most.
  /// - Throws: `signedOut`, `loginRequired`, `locked`, `offline`, `providerUnavailable`,
  ///   `presence`, `cancelled`, and what the vault itself may fail with.
  nonisolated(nonsending) public func accessToken(
    minimumLifetime: Duration = .seconds(10)
  ) async throws(AuthError) -> AccessToken {
    if let token = cachedToken(for: nanoseconds(minimumLifetime)) { return token }
    return try await token(TokenRequest(minimumLifetime: minimumLifetime))
  }

  /// A valid access token for these scopes, and this recipient where one is named.
  ///
  /// Tokens for different ones are kept beside each other in the vault. Some providers narrow a
  /// login at the first refresh for fewer scopes: later tokens lack the others, until a new login.
  /// If the provider's settings say `refresh_scope = whole`, a call for fewer scopes throws
  /// `invalidArgument`, and nothing is sent.
  ///
  /// - Parameters:
  ///   - scopes: what the token is to be good for.
  ///   - audience: whom the token is for; nil: the account's usual recipient.
  ///   - minimumLifetime: how long it must still be valid.
  ///   - mayNarrowLogin: whether to accept that the provider may narrow the login. It counts for this
  ///     call alone. The vault keeps only the person's own consent, which
  ///     `thumblatch token --scope` asks for at a terminal.
  /// - Returns: a token that is valid now. `scopes` of it are those that the provider granted.
  /// - Throws: `mayNarrowLogin` if the call may narrow the login, and neither it nor the person
  ///   accepts that. Else what `accessToken(minimumLifetime:)` throws.
  public func accessToken(
    scopes: [String],
    audience: String? = nil,
    minimumLifetime: Duration = .seconds(10),
    mayNarrowLogin: Bool = false
  ) async throws(AuthError) -> AccessToken {
    try await token(
      TokenRequest(
        minimumLifetime: minimumLifetime,
        scopes: scopes,
        audience: audience,
        mayNarrowLogin: mayNarrowLogin
      )
    )
  }

  /// A valid access token for this recipient, with the account's usual scopes.
  public func accessToken(
    audience: String,
    minimumLifetime: Duration = .seconds(10)
  ) async throws(AuthError) -> AccessToken {
    try await token(TokenRequest(minimumLifetime: minimumLifetime, audience: audience))
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
  ///
  /// - Parameters:
  ///   - rejected: the token that was refused.
  ///   - scopes: what it was asked for with; nil: the account's usual ones.
  ///   - audience: whom it was asked for; nil: the account's usual recipient.
  ///   - mayNarrowLogin: whether to accept that the provider may narrow the login, for this call
  ///     alone.
  /// - Returns: one that is not `rejected`.
  /// - Throws: what `accessToken(minimumLifetime:)` throws, and `mayNarrowLogin` as for a first token
  ///   of these scopes.
  public func accessToken(
    replacing rejected: AccessToken,
    scopes: [String]? = nil,
    audience: String? = nil,
    mayNarrowLogin: Bool = false
  ) async throws(AuthError) -> AccessToken {
    try await token(
      TokenRequest(
        scopes: scopes,
        audience: audience,
        rejected: rejected.value,
        mayNarrowLogin: mayNarrowLogin
      )
    )
  }

  /// A token of the vault, of work that all share who want one of the same kind.
  func token(
    _ request: TokenRequest,
    asksNobody: Bool = false
  ) async throws(AuthError) -> AccessToken {
    try await learnStanding()
    while true {
      if configuration.refusesWhileLocked, facts.isLocked { throw .isLocked }
      let work = TokenWork(
        scopes: request.scopes,
        audience: request.audience,
        mayNarrowLogin: request.mayNarrowLogin,
        asksNobody: asksNobody,
        epoch: epoch
      )
      let (token, isOwn) = try await tokens.value(for: work) { [self] () throws(AuthError) in
        try await fetch(request, work)
      }
      if epoch != work.epoch, !facts.isAuthenticated {
        throw AuthError(.signedOut, "somebody signed out meanwhile", recoverySuggestion: "sign in")
      }
      // What others asked for may be too short for this caller, or what it was refused with.
      if isOwn || suits(token, request) { return token }
    }
  }

  private func suits(_ token: AccessToken, _ request: TokenRequest) -> Bool {
    guard token.value != request.rejected else { return false }
    return token.isShorterThanRequested
      || token.lasts(nanoseconds(request.minimumLifetime), from: clock.elapsed)
  }

  /// Finds out how the account stands, where nobody has asked yet.
  private func learnStanding() async throws(AuthError) {
    let found = facts
    guard !found.isKnown else { return }
    let snapshot = try await vault.snapshot(of: account)
    change { if $0.news == found.news { $0.saw(snapshot) } }
    if facts.isAuthenticated { follow() }
  }

  /// The work itself: its prompts are those of all who wait for it.
  private func fetch(
    _ request: TokenRequest,
    _ work: TokenWork
  ) async throws(AuthError) -> AccessToken {
    let check = PresenceCall(
      self,
      reason: configuration.presenceReason,
      asksNobody: work.asksNobody
    )
    defer { check.end() }
    let news = facts.news
    do throws(AuthError) {
      let token = try await retrying(check) { [self] asking throws(AuthError) in
        try await vault.accessToken(of: account, request, asking)
      }
      if request.scopes == nil, request.audience == nil { keep(token, of: work.epoch) }
      // Who waits for the state finds the token.
      if facts.isOffline { change { $0.providerIs(reachable: true) } }
      if check.hasPassed { checkHasPassed() }
      if facts.isAuthenticated { follow() }
      return token
    } catch {
      await learn(from: error, check, since: news)
      throw error
    }
  }
}

/// What tokens are fetched once for: all who want the same wait for the same work.
struct TokenWork: Hashable, Sendable {
  let scopes: [String]?
  let audience: String?
  /// A call that accepts the risk must not end with the refusal of one that does not.
  let mayNarrowLogin: Bool
  /// Work in the background must not end with "nobody can be asked" for those who can be.
  let asksNobody: Bool
  /// Who asks after a sign-out or a lock does not get what was asked for before.
  let epoch: UInt64
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
