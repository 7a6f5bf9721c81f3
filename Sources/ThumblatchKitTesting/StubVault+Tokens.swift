internal import Synchronization
public import ThumblatchKit

extension StubVault {
  /// The state of the account and the window.
  public func snapshot(of account: String) async throws(AuthError) -> VaultSnapshot {
    try await begin(.snapshot)
    return snapshot
  }

  /// The state at once, and again after each change by a test or a call.
  public func changes(of account: String, ahead: Duration?) -> AsyncStream<VaultSnapshot> {
    listeners.withLock { $0.stream(from: snapshot, waiting: 1) }
  }

  /// The number of streams from `changes(of:ahead:)` that are open.
  public var listenerCount: Int { listeners.withLock { $0.count } }

  /// Returns the stored token if it lasts, else a new one, after a presence check if one is needed.
  public func accessToken(
    of account: String,
    _ request: TokenRequest,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccessToken {
    try await begin(.accessToken)
    return try await token(of: account, request, asking)
  }

  /// Gets a token within another call, and counts no call.
  func token(
    of account: String,
    _ request: TokenRequest,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccessToken {
    guard let found = snapshot.account else { throw AuthError(.signedOut, "no user is signed in") }
    switch found.status {
    case .signedIn: break
    case .signedOut: throw AuthError(.signedOut, "no user is signed in")
    case .loginRequired(let reason):
      throw AuthError(.loginRequired, reason ?? "a login is required")
    }
    if request.scopes == nil, request.audience == nil, let token = stored(request) { return token }
    // As in the real vault: this comes before the presence check, and before anything is sent.
    guard
      request.scopes == nil || request.mayNarrowLogin
        || !content.withLock({ $0.settings.mayNarrowLogin })
    else { throw AuthError(.mayNarrowLogin, "a token for fewer scopes may narrow the sign-in") }
    if found.isProtected, !snapshot.isUnlocked { try await check("refresh", asking) }
    let failure = content.withLock { content in
      content.settings.refreshFailures.isEmpty
        ? nil : content.settings.refreshFailures.removeFirst()
    }
    if let failure { throw failure }
    return refresh(request)
  }

  /// Returns the result that the test has set.
  ///
  /// A refused token is not returned again.
  public func verify(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> (TokenVerification, AccountSnapshot) {
    try await begin(.verify)
    let token = try await accessToken(of: account, TokenRequest(), asking)
    let isAccepted = content.withLock { $0.settings.acceptsTokens }
    if !isAccepted { expireToken() }
    return (
      TokenVerification(isAccepted: isAccepted, expiresAt: isAccepted ? token.expiresAt : nil),
      try changeAccount { _ in }
    )
  }

  private func stored(_ request: TokenRequest) -> AccessToken? {
    content.withLock { content in
      guard let token = content.token, token.value != request.rejected else { return nil }
      guard let end = token.expiresAt else { return token }
      let seconds = request.minimumLifetime.components.seconds
      return end - clock.secondsSince1970 > seconds ? token : nil
    }
  }

  private func refresh(_ request: TokenRequest) -> AccessToken {
    let token = content.withLock { content in
      content.refreshes += 1
      let lifetime = content.settings.tokenLifetime.map { $0.components.seconds }
      let token = AccessToken(
        "at-\(content.refreshes)",
        expiresAt: lifetime.map { clock.secondsSince1970 + $0 },
        scopes: request.scopes,
        isShorterThanRequested: lifetime.map {
          $0 <= request.minimumLifetime.components.seconds
        } ?? false,
        clock: clock
      )
      if request.scopes == nil, request.audience == nil { content.token = token }
      return token
    }
    announce()
    return token
  }

  /// Returns the answer of `respond`.
  public func send(
    _ request: AuthRequest,
    with token: AccessToken,
    of account: String
  ) async throws(AuthError) -> AuthResponse {
    try await begin(.send)
    let respond = content.withLock { content in
      content.requests.append(request)
      return content.settings.respond
    }
    return respond(request, token)
  }
}
