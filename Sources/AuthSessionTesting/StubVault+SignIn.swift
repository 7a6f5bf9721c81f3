public import AuthSession
internal import Synchronization

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
      User(id: "id-\(email)", email: email, issuer: Self.issuer(provider)),
      asking
    )
  }

  /// Makes a new user, unless the address is taken.
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
      User(id: "id-\(email)", email: email, name: name, issuer: Self.issuer(provider)),
      asking
    )
  }

  /// Begins a login that ends with any query, or at once where it is by a code.
  public func beginLogin(
    _ account: String,
    at provider: AuthProvider?,
    way: LoginWay,
    scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> any PendingVaultLogin {
    try await begin(.beginLogin)
    return StubLogin(
      vault: self,
      account: account,
      issuer: Self.issuer(provider),
      way: way,
      lifetime: content.withLock { $0.settings.loginLifetime }
    )
  }

  /// What was set.
  public func redirectURI(of account: String) async throws(AuthError) -> String? {
    content.withLock { $0.settings.redirectURI }
  }

  /// Erases, and says what was set; after a presence check where the provider is told of the end of a
  /// protected login, and no unlock window is open.
  public func signOut(
    _ account: String,
    locally: Bool,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> SignOutOutcome {
    try await begin(.signOut)
    let known = snapshot
    guard let standing = known.account else {
      throw AuthError(.signedOut, "nobody is signed in")
    }
    if !locally, standing.isProtected, !known.isUnlocked, standing.standing == .signedIn {
      try await check("sign out of", asking)
    }
    content.withLock { content in
      content.settings.account?.standing = .signedOut
      content.token = nil
    }
    announce()
    return locally
      ? SignOutOutcome(.valid, reason: "the provider was not told")
      : content.withLock { $0.settings.signOut }
  }

  /// The account as it stands.
  public func fetchUser(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await begin(.fetchUser)
    return try changeAccount { _ in }
  }

  /// Signs in; a protected account becomes another person's only after a presence check, and is not
  /// protected then.
  func signedIn(
    _ name: String,
    _ user: User,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    let known = snapshot.account
    let isOther = known.map { $0.isProtected && $0.user.id != user.id } ?? false
    if isOther { try await check("replace the login of", asking) }
    let account = content.withLock { content in
      let account = AccountSnapshot(
        name: name,
        user: user,
        standing: .signedIn,
        // A login of the same person keeps the protection.
        isProtected: !isOther && known?.isProtected == true
      )
      content.settings.account = account
      content.token = nil
      return account
    }
    announce()
    return account
  }

  private static func issuer(_ provider: AuthProvider?) -> String {
    provider?.settings["issuer"] ?? "https://provider.example"
  }
}

/// A login of a stub.
private struct StubLogin: PendingVaultLogin {
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
      LoginPrompt(
        userCode: "WDJB-MJHT",
        verificationURL: issuer + "/device",
        lifetime: lifetime
      )
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
