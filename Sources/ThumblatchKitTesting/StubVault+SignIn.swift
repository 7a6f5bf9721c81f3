internal import Synchronization
public import ThumblatchKit

extension StubVault {
  /// Signs in one of the users.
  public func login(
    _ account: String,
    at provider: AuthProvider?,
    email: String,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await begin(.login)
    guard content.withLock({ $0.settings.users[email] }) == password.text else {
      throw AuthError(.wrongCredentials(status: 401), "wrong e-mail address or password")
    }
    return try await signedIn(
      account,
      User(id: "id-\(email)", email: email, issuer: issuer(provider)),
      asking
    )
  }

  /// Registers a new user, unless the address is taken.
  public func register(
    _ account: String,
    at provider: AuthProvider,
    email: String,
    name: String?,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await begin(.login)
    let isNew = content.withLock { content in
      guard content.settings.users[email] == nil else { return false }
      content.settings.users[email] = password.text
      return true
    }
    guard isNew else {
      throw AuthError(
        .addressTaken(status: 409),
        "that e-mail address has an account",
        fields: [AuthError.FieldProblem(.email, "has an account already")]
      )
    }
    return try await signedIn(
      account,
      User(id: "id-\(email)", email: email, name: name, issuer: issuer(provider)),
      asking
    )
  }

  /// Begins a sign-in.
  ///
  /// A browser sign-in accepts any query with a code, and a sign-in by code succeeds at once.
  public func beginLogin(
    _ account: String,
    at provider: AuthProvider?,
    way: LoginWay,
    scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> any PendingVaultLogin {
    try await begin(.beginLogin)
    return StubSignIn(
      vault: self,
      account: account,
      issuer: issuer(provider),
      way: way,
      lifetime: content.withLock { $0.settings.loginLifetime }
    )
  }

  /// Returns the address that the test has set.
  public func redirectURI(of account: String) async throws(AuthError) -> String? {
    content.withLock { $0.settings.redirectURI }
  }

  /// Signs out, and returns the outcome that the test has set.
  ///
  /// If the provider is told, a protected account without an open unlock window needs a presence
  /// check.
  public func signOut(
    _ account: String,
    locally: Bool,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> SignOutOutcome {
    try await begin(.signOut)
    let known = snapshot
    guard let status = known.account else { throw AuthError(.signedOut, "no user is signed in") }
    if !locally, status.isProtected, !known.isUnlocked, status.status == .signedIn {
      try await check("sign out of", asking)
    }
    content.withLock { content in
      content.settings.account?.status = .signedOut
      content.token = nil
    }
    announce()
    guard status.status == .signedIn else {
      return SignOutOutcome(.none, reason: "the account was not signed in")
    }
    return locally
      ? SignOutOutcome(.valid, reason: "the provider was not notified")
      : content.withLock { $0.settings.signOut }
  }

  /// Returns the account unchanged, after a refresh if there is no valid token.
  public func fetchUser(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await begin(.fetchUser)
    _ = try await token(of: account, TokenRequest(), asking)
    return try changeAccount { _ in }
  }

  /// Signs in.
  ///
  /// A protected account needs a presence check before another person or provider may replace it,
  /// and is not protected afterwards.
  func signedIn(
    _ name: String,
    _ user: User,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    let known = snapshot.account
    let isOther =
      known.map { account in
        account.isProtected
          && (account.user.id != user.id || account.user.issuer != user.issuer)
      } ?? false
    if isOther { try await check("replace the login of", asking) }
    let account = content.withLock { content in
      let account = AccountSnapshot(
        name: name,
        user: user,
        status: .signedIn,
        // A sign-in of the same person keeps the protection.
        isProtected: !isOther && known?.isProtected == true
      )
      content.settings.account = account
      content.token = nil
      return account
    }
    announce()
    return account
  }

  /// The issuer of a provider; for `nil` that of the account, which uses its previous provider.
  private func issuer(_ provider: AuthProvider?) -> String {
    provider?.settings["issuer"] ?? snapshot.account?.user.issuer ?? "https://provider.example"
  }
}

private struct StubSignIn: PendingVaultLogin {
  let vault: StubVault
  let account: String
  let issuer: String
  let way: LoginWay
  let lifetime: Duration

  var prompt: LoginPrompt {
    switch way {
    case .browser(let redirect):
      LoginPrompt(url: "\(issuer)/authorize?redirect_uri=\(redirect)", lifetime: lifetime)
    case .device:
      LoginPrompt(userCode: "WDJB-MJHT", verificationURL: issuer + "/device", lifetime: lifetime)
    }
  }

  func finish(
    query: RedirectQuery,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await vault.begin(.login)
    guard query.text.contains("code=") else {
      throw AuthError(.providerRefused(status: 400), "the provider refused: no code came")
    }
    return try await vault.signedIn(account, User(id: "id-browser", issuer: issuer), asking)
  }

  func wait(_ asking: PresenceAsking) async throws(AuthError) -> AccountSnapshot {
    try await vault.begin(.login)
    return try await vault.signedIn(account, User(id: "id-device", issuer: issuer), asking)
  }

  func cancel() async {
    vault.content.withLock { $0.loginsGivenUp += 1 }
  }
}
