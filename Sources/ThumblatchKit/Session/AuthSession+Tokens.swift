/// Access tokens: from memory, else from the vault.
extension AuthSession {
  /// A valid access token: the one in memory, else the one that the vault has or fetches.
  ///
  /// Many tasks that ask at the same time cause one refresh and at most one presence check. If a
  /// task is cancelled, the other tasks go on waiting.
  ///
  /// - Parameter minimumLifetime: how long the token must still be valid. If the provider never
  ///   gives tokens that last so long, the longest is returned, and `isShorterThanRequested` is
  ///   true.
  /// - Returns: a token that is valid now. If the provider gave no expiry time, the token in memory
  ///   is used for five minutes at most.
  /// - Throws: `signedOut`, `loginRequired`, `locked`, `offline`, `notAnswering`,
  ///   `providerNotTrusted`, `providerUnavailable`, `presence`, `cancelled`, and the errors of the
  ///   vault itself.
  nonisolated(nonsending) public func accessToken(
    minimumLifetime: Duration = .seconds(10)
  ) async throws(AuthError) -> AccessToken {
    if let token = cachedToken(for: nanoseconds(minimumLifetime)) { return token }
    return try await token(TokenRequest(minimumLifetime: minimumLifetime))
  }

  /// A valid access token for these scopes, and for this recipient if you name one.
  ///
  /// The vault keeps tokens for different scopes and recipients beside each other. Some providers
  /// narrow a sign-in at the first refresh for fewer scopes: later tokens lack the other scopes
  /// until a new sign-in. If the provider's settings say `refresh_scope = whole`, a call for fewer
  /// scopes throws `invalidArgument`, and nothing is sent.
  ///
  /// - Parameters:
  ///   - scopes: the scopes that the token must have.
  ///   - audience: the recipient of the token; `nil` for the account's usual recipient.
  ///   - minimumLifetime: how long the token must still be valid.
  ///   - mayNarrowLogin: whether to accept that the provider may narrow the sign-in. It counts only
  ///     for this call. The vault keeps only the person's own consent, which
  ///     `thumblatch token --scope` asks for at a terminal.
  /// - Returns: a token that is valid now. Its `scopes` are those that the provider granted.
  /// - Throws: `mayNarrowLogin` if the call may narrow the sign-in, and neither the call nor the
  ///   person accepts that. Else the errors of `accessToken(minimumLifetime:)`.
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

  /// The token in memory if it is valid.
  ///
  /// This makes no call, never waits and shows no prompt.
  public var cachedAccessToken: AccessToken? { cachedToken(for: 0) }

  /// Whether memory holds no token, or one that ends within `threshold`.
  ///
  /// This makes no call.
  public func isAccessTokenExpiringSoon(threshold: Duration = .seconds(300)) -> Bool {
    cachedToken(for: nanoseconds(threshold)) == nil
  }

  /// How long the token in memory lasts; `nil` if there is no token, or if its end is not known.
  public var accessTokenLifetime: Duration? {
    anyCachedToken?.remaining(from: clock.elapsed)
  }

  /// A newer token than the one that a server refused with 401.
  ///
  /// - Parameters:
  ///   - rejected: the token that the server refused.
  ///   - scopes: the scopes of the call that returned it; `nil` for the account's usual scopes.
  ///   - audience: the recipient in that call; `nil` for the account's usual recipient.
  ///   - mayNarrowLogin: whether to accept, only for this call, that the provider may narrow the
  ///     sign-in.
  /// - Returns: a token that is not `rejected`.
  /// - Throws: the errors of `accessToken(minimumLifetime:)`, and `mayNarrowLogin` as for a first
  ///   token of these scopes.
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

  /// Gets a token from the vault by single-flight work: callers that want the same token
  /// share it.
  func token(
    _ request: TokenRequest,
    asksNobody: Bool = false
  ) async throws(AuthError) -> AccessToken {
    if !facts.isKnown {
      do throws(AuthError) { try await learnStatus() } catch {
        // A vault that needs a touch reports nothing before it is open, and the call below asks for
        // the touch.
        guard error.kind == .vaultUnavailable else { throw error }
      }
    }
    while true {
      if configuration.refusesWhileLocked, facts.isLocked { throw .isLocked }
      let holder = facts.tokenHolder
      let work = TokenWork(
        scopes: request.scopes,
        audience: request.audience,
        mayNarrowLogin: request.mayNarrowLogin,
        asksNobody: asksNobody,
        epoch: epoch
      )
      let (fetched, isOwn) = try await tokens.value(for: work) { [self] in
        await FetchedToken(request) { () throws(AuthError) in try await fetch(request, work) }
      }
      let token: AccessToken
      switch fetched.result {
      case .success(let found): token = found
      case .failure(let error):
        guard !isOwn, fetched.request != request, !asksNobody else { throw error }
        // The vault may have a token that is enough for this caller. The person was asked already.
        guard let other = try? await self.token(request, asksNobody: true) else { throw error }
        return other
      }
      if epoch != work.epoch, !facts.isAuthenticated {
        throw AuthError(
          .signedOut,
          "the account was signed out during the call",
          recoverySuggestion: "sign in"
        )
      }
      // Another user has signed in during the call.
      if let holder, let present = facts.tokenHolder, present != holder { continue }
      // The session was locked during the call.
      if configuration.refusesWhileLocked, facts.isLocked { throw .isLocked }
      // A token that another caller asked for may be too short for this one, or the one that was
      // refused.
      if isOwn || suits(token, request) { return token }
    }
  }

  private func suits(_ token: AccessToken, _ request: TokenRequest) -> Bool {
    guard token.value != request.rejected else { return false }
    return token.isShorterThanRequested
      || token.lasts(nanoseconds(request.minimumLifetime), from: clock.elapsed)
  }

  /// Asks for the state of the account.
  private func learnStatus() async throws(AuthError) {
    let news = facts.news
    let snapshot = try await vault.snapshot(of: account)
    change { facts in
      if facts.news == news { facts.saw(snapshot) }
      // An earlier call failed because the vault did not report this.
      if facts.failure?.kind == .vaultUnavailable { facts.dismissFailure() }
    }
    if facts.isAuthenticated { follow() }
  }

  /// The work itself.
  ///
  /// Its prompts belong to all callers that wait for it.
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
    let (begin, known) = (facts.moment, anyCachedToken)
    do throws(AuthError) {
      let token = try await retrying(check) { [self] asking throws(AuthError) in
        try await vault.accessToken(of: account, request, asking)
      }
      // The call has opened a vault that reported nothing before, or another program has signed in.
      if !facts.isAuthenticated, epoch == work.epoch { try? await learnStatus() }
      if request.scopes == nil, request.audience == nil {
        keep(token, of: work.epoch, insteadOf: known)
      }
      // A caller that waits for the new state must find the token.
      if facts.isOffline { change { $0.providerIs(reachable: true) } }
      if check.hasPassed { checkHasPassed() }
      if facts.isAuthenticated { follow() }
      return token
    } catch {
      await learn(from: error, check, since: begin)
      throw error
    }
  }
}

/// The result of single-flight token work, and the request that it was for.
struct FetchedToken: Sendable {
  let request: TokenRequest
  let result: Result<AccessToken, AuthError>

  init(
    _ request: TokenRequest,
    _ fetch: () async throws(AuthError) -> AccessToken
  ) async {
    self.request = request
    do throws(AuthError) { result = .success(try await fetch()) } catch {
      result = .failure(error)
    }
  }
}

/// The key of single-flight token work: calls that want the same token wait for the same
/// work.
struct TokenWork: Hashable, Sendable {
  let scopes: [String]?
  let audience: String?
  /// A call that accepts the risk must not end with the refusal of a call that does not.
  let mayNarrowLogin: Bool
  /// A call that can show a prompt must not share background work, which fails if it needs one.
  let asksNobody: Bool
  /// A call after a sign-out or a lock must not get a token that was requested earlier.
  let epoch: UInt64
}

extension AuthError {
  /// The session refuses tokens while it is locked.
  static var isLocked: AuthError {
    AuthError(.locked, "the session is locked", recoverySuggestion: "unlock it")
  }
}

/// A duration in nanoseconds.
///
/// Durations beyond the range of `Int64` are cut to it.
@inline(__always)
func nanoseconds(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
  let (sum, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
  return isTooLong || isTooFar ? (seconds < 0 ? .min : .max) : sum
}
