/// Signing in and out.
extension AuthSession {
  /// Finds out where the session stands, at the start of the app: without network, without a prompt.
  ///
  /// Before that the state is `unauthenticated`, since nobody has asked. Afterwards, as long as
  /// somebody is signed in, the session follows the vault: what other programs do to the account,
  /// the end of the unlock window, a refresh.
  ///
  /// - Throws: what the vault itself may fail with; the state is then `error`.
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

  /// Signs in by e-mail and password, at a password backend or a provider that allows it.
  ///
  /// Where the account is protected and another person signs in, or at another provider, a presence
  /// check decides; the new login is not protected then. So it is for all other ways to sign in.
  @discardableResult
  public func login(email: String, password: Password) async throws(AuthError) -> User {
    try await signingIn { [self] asking throws(AuthError) in
      try await vault.login(account, at: provider, email: email, password: password, asking)
    }
  }

  /// Makes a new user at a password backend, and signs in.
  @discardableResult
  public func register(
    email: String,
    name: String? = nil,
    password: Password
  ) async throws(AuthError) -> User {
    guard let provider else {
      throw AuthError(.invalidArgument, "registration needs a provider")
    }
    return try await signingIn { [self] asking throws(AuthError) in
      try await vault.register(
        account,
        at: provider,
        email: email,
        name: name,
        password: password,
        asking
      )
    }
  }

  /// Begins a login that a person ends in a browser (RFC 8252) or at another device (RFC 8628).
  ///
  /// The state is `authenticating` until the login has ended, or nobody holds it any more.
  public func beginLogin(
    _ way: LoginWay,
    scopes: [String]? = nil
  ) async throws(AuthError) -> PendingLogin {
    try beginSigningIn()
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    do throws(AuthError) {
      let login = try await vault.beginLogin(
        account,
        at: provider,
        way: way,
        scopes: scopes,
        check.asking
      )
      return PendingLogin(login, self)
    } catch {
      endSigningIn(error)
      throw error
    }
  }

  /// Signs out: ends the login at the provider, and erases what is here.
  ///
  /// To end it takes the refresh token, and so a presence check where the account is protected and
  /// locked. If the check does not pass, the session stays signed in. Look at the outcome's `grant`:
  /// where the provider could not be told, a login of the person stays alive there.
  ///
  /// - Parameters:
  ///   - locally: whether the provider is not told, and nobody is asked.
  ///   - reason: why the app asks, in its own words; nil: the configuration's.
  /// - Returns: what became of the login at the provider. Where nobody was signed in, nothing is done.
  /// - Throws: `presence`, and what the vault itself may fail with: then nothing was erased.
  @discardableResult
  public func logout(
    locally: Bool = false,
    reason: String? = nil
  ) async throws(AuthError) -> SignOutOutcome {
    forget()
    let check = PresenceCall(self, reason: reason ?? configuration.presenceReason)
    defer { check.end() }
    let outcome = try await calling(check) { [self] () throws(AuthError) in
      do throws(AuthError) {
        return try await vault.signOut(account, locally: locally, check.asking)
      } catch {
        guard error.kind == .signedOut else { throw error }
        return SignOutOutcome(.none, reason: "nobody was signed in")
      }
    }
    hasSignedOut()
    return outcome
  }

  /// Asks the provider who is signed in.
  @discardableResult
  public func fetchCurrentUser() async throws(AuthError) -> User {
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    let found = try await calling(check) { [self] () throws(AuthError) in
      try await retrying(check) { [self] asking throws(AuthError) in
        try await vault.fetchUser(account, asking)
      }
    }
    await learnChange { $0.saw(found) }
    return found.user
  }

  /// Asks the provider whether it still accepts the session's access token: a password backend at
  /// `GET /auth/verify`, an OpenID provider at its userinfo endpoint.
  ///
  /// A token looks valid until it ends, also if the provider has ended the login. Ask before a step that
  /// cannot be taken back. A token that is refused is forgotten: the next `accessToken()` brings a newer
  /// one, or says that a login is required.
  ///
  /// - Returns: whether it is accepted, and until when.
  /// - Throws: what `accessToken()` throws; `providerRefused` for an answer that is neither yes nor no,
  ///   `misconfigured` if the provider has no endpoint that could be asked.
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
    await learnChange { $0.saw(found) }
    return verification
  }

  // MARK: Steps

  /// Nobody is signed in any more, unless something newer than `news` is known.
  func hasSignedOut(since news: UInt64? = nil) {
    let isOut = change { facts in
      guard news == nil || facts.news == news else { return false }
      facts.signedOut()
      return true
    }
    guard isOut else { return }
    stopFollowing()
    // Those of who was signed in are not held against who comes next.
    checkHasPassed()
  }

  func beginSigningIn() throws(AuthError) {
    guard change({ $0.beginAuthenticating() }) else {
      throw AuthError(
        .busy,
        "a login is under way",
        recoverySuggestion: "end it, or give it up first"
      )
    }
  }

  func endSigningIn(_ error: AuthError) {
    change { facts in
      facts.endAuthenticating()
      if error.recovery != .keepSession { facts.failed(error) }
    }
  }

  func endSigningIn(_ account: AccountSnapshot) async {
    stopFollowing()
    let news = facts.news
    // The window may be open from before.
    let snapshot = try? await vault.snapshot(of: self.account)
    // What was fetched for the login before is not to be this one's.
    forget()
    change { facts in
      // What another call has learned meanwhile is newer.
      guard facts.news == news else { return facts.endAuthenticating() }
      facts.signedIn(snapshot ?? VaultSnapshot(account: account, isUnlocked: false))
    }
    checkHasPassed()
    follow()
  }

  private func signingIn(
    _ body: (PresenceAsking) async throws(AuthError) -> AccountSnapshot
  ) async throws(AuthError) -> User {
    try beginSigningIn()
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    do throws(AuthError) {
      let account = try await body(check.asking)
      await endSigningIn(account)
      return account.user
    } catch {
      endSigningIn(error)
      throw error
    }
  }
}
