/// Sign-in and sign-out.
extension AuthSession {
  /// Asks the vault for the state of the session when the app starts.
  ///
  /// It needs no network and no prompt.
  ///
  /// Until then the state is `unauthenticated`, because the vault was not asked. Afterwards, as
  /// long as a user is signed in, the session follows the vault. It then learns of a refresh, of
  /// the end of the unlock window, and of changes that other programs make to the account. Without
  /// a user, it learns of another program's sign-in at the next call for a token.
  ///
  /// - Throws: the errors of the vault itself. The state is then `error`.
  @discardableResult
  nonisolated(nonsending) public func restore() async throws(AuthError) -> AuthState {
    try await calling { [self] () throws(AuthError) in
      let news = facts.news
      let snapshot = try await vault.snapshot(of: account)
      change { if $0.news == news { $0.saw(snapshot) } }
      if facts.isAuthenticated { follow() }
    }
    return state
  }

  /// Signs in by e-mail and password, at a password backend or at a provider that allows it.
  ///
  /// If the account is protected, a sign-in of another person or at another provider needs a
  /// presence check. The new sign-in is then not protected. The same holds for all other ways to
  /// sign in.
  @discardableResult
  public func login(email: String, password: Password) async throws(AuthError) -> User {
    try await signingIn { [self] asking throws(AuthError) in
      await endSigningIn(
        try await vault.login(account, at: provider, email: email, password: password, asking)
      )
    }
  }

  /// Registers a new user at a password backend, and signs in.
  @discardableResult
  public func register(
    email: String,
    name: String? = nil,
    password: Password
  ) async throws(AuthError) -> User {
    guard let provider else { throw AuthError(.invalidArgument, "registration needs a provider") }
    return try await signingIn { [self] asking throws(AuthError) in
      await endSigningIn(
        try await vault.register(
          account,
          at: provider,
          email: email,
          name: name,
          password: password,
          asking
        )
      )
    }
  }

  /// Begins a sign-in that a person completes in a browser (RFC 8252) or on another device
  /// (RFC 8628).
  ///
  /// The state is `authenticating` until the sign-in has ended, or until the app has released it.
  public func beginLogin(
    _ way: LoginWay,
    scopes: [String]? = nil
  ) async throws(AuthError) -> PendingLogin {
    try await signingIn { [self] asking throws(AuthError) in
      try await beginLogin(way, scopes, asking)
    }
  }

  /// Signs out: ends the sign-in at the provider, and erases the tokens here.
  ///
  /// Ending it at the provider needs the refresh token, and so a presence check if the account is
  /// protected and locked. If the check does not pass, the session stays signed in. Read the
  /// outcome's `grant`: if the provider could not be notified, a sign-in of the person stays valid
  /// there.
  ///
  /// - Parameters:
  ///   - locally: if `true`, the provider is not notified, and no prompt is shown.
  ///   - reason: why the app asks, in its own words; `nil` for the configuration's reason.
  /// - Returns: the result at the provider. If no user was signed in, nothing is done.
  /// - Throws: `presence`, and the errors of the vault itself. After an error nothing is erased,
  ///   with two exceptions. After `cancelled`, or an error whose advice says so, the sign-out may
  ///   have happened: call `restore()` to learn the state.
  @discardableResult
  public func logout(
    locally: Bool = false,
    reason: String? = nil
  ) async throws(AuthError) -> SignOutOutcome {
    forget()
    let begin = facts.moment
    let check = PresenceCall(self, reason: reason ?? configuration.presenceReason)
    defer { check.end() }
    let outcome = try await calling(check) { [self] () throws(AuthError) in
      do throws(AuthError) {
        return try await vault.signOut(account, locally: locally, check.asking)
      } catch {
        guard error.kind == .signedOut else { throw error }
        return SignOutOutcome(.none, reason: "no user was signed in")
      }
    }
    await hasSignedOut(since: begin)
    return outcome
  }

  /// Asks the provider for the user who is signed in.
  @discardableResult
  public func fetchCurrentUser() async throws(AuthError) -> User {
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    let found = try await calling(check) { [self] () throws(AuthError) in
      try await retrying(check) { [self] asking throws(AuthError) in
        try await vault.fetchUser(account, asking)
      }
    }
    change { $0.providerIs(reachable: true) }
    await learnChange { $0.saw(found) }
    return found.user
  }

  /// Asks the provider whether it still accepts the session's access token: a password backend at
  /// `GET /auth/verify`, an OpenID provider at its userinfo endpoint, and any other OAuth provider
  /// at its introspection endpoint if the client has a secret.
  ///
  /// An access token looks valid until it expires, even if the provider has ended the sign-in. Ask
  /// before a step that cannot be undone. A refused token is forgotten: the next `accessToken()`
  /// returns a newer one, or reports that a sign-in is required.
  ///
  /// - Returns: whether the token is accepted, and until when.
  /// - Throws: the errors of `accessToken()`; `providerRefused` for an answer that is neither yes
  ///   nor no, `misconfigured` if the provider has no endpoint for this question.
  @discardableResult
  public func verify() async throws(AuthError) -> TokenVerification {
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    let (verification, found) = try await calling(check) { [self] () throws(AuthError) in
      try await retrying(check) { [self] asking throws(AuthError) in
        try await vault.verify(account, asking)
      }
    }
    if !verification.isAccepted { forget() }
    change { $0.providerIs(reachable: true) }
    await learnChange { $0.saw(found) }
    return verification
  }

  // MARK: Steps

  /// Records that no user is signed in any more.
  ///
  /// If the session has heard something newer than `begin`, the vault is asked. That report may be
  /// about this sign-out, or about a later sign-in.
  nonisolated(nonsending) func hasSignedOut(since begin: SessionFacts.Moment) async {
    let isTaken = change { facts in
      guard facts.news == begin.news else { return false }
      facts.signedOut()
      return true
    }
    if !isTaken { await learnChange { $0.signedOut() } }
    // Failed checks of the previous user must not count against the next one.
    if stopFollowingNobody() { checkHasPassed() }
  }

  func beginSigningIn() throws(AuthError) {
    guard change({ $0.beginAuthenticating() }) else {
      throw AuthError(
        .busy,
        "a sign-in is in progress",
        recoverySuggestion: "complete or cancel it first"
      )
    }
  }

  private func signingIn<Value>(
    _ body: (PresenceAsking) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try beginSigningIn()
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    do throws(AuthError) { return try await body(check.asking) } catch {
      let error = ofSignIn(error)
      endSigningIn(error)
      throw error
    }
  }

  /// Replaces `signedOut` in a sign-in: without a provider of the session, the account must exist.
  func ofSignIn(_ error: AuthError) -> AuthError {
    guard error.kind == .signedOut else { return error }
    return AuthError(
      .invalidArgument,
      "there is no account \(account) whose provider could be used",
      recoverySuggestion: "give the session a provider",
      cause: error
    )
  }

  func beginLogin(
    _ way: LoginWay,
    _ scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> PendingLogin {
    PendingLogin(
      try await vault.beginLogin(account, at: provider, way: way, scopes: scopes, asking),
      self
    )
  }

  func endSigningIn(_ error: AuthError) {
    change { facts in
      facts.endAuthenticating()
      if error.recovery != .keepSession { facts.failed(error) }
    }
  }

  func endSigningIn(_ account: AccountSnapshot) async -> User {
    stopFollowing()
    let news = facts.news
    // The window may be open already.
    let snapshot = try? await vault.snapshot(of: self.account)
    // A token that was fetched for the previous sign-in must not become this one's.
    forget()
    let isTaken = change { facts in
      // The result of another call since then is newer.
      guard facts.news == news else { return false }
      facts.signedIn(snapshot ?? VaultSnapshot(account: account, isUnlocked: false))
      return true
    }
    if !isTaken {
      await learnChange { _ in }
      change { facts in
        facts.endAuthenticating()
        facts.providerIs(reachable: true)
      }
    }
    checkHasPassed()
    follow()
    return account.user
  }
}
