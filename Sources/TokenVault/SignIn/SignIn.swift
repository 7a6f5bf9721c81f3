package import Configuration
internal import OAuth
package import SecretMemory
internal import Storage
internal import System

// Sign-in with a password, and the account that a sign-in is for.
extension Vault {
  /// Signs in with a password, or makes a new user at a password backend.
  ///
  /// The account and its slot are made first, so that the first tokens are as durable as all later
  /// ones. If the provider refuses, a new account is removed again.
  ///
  /// - Parameters:
  ///   - name: the account, made if there is none.
  ///   - provider: the whole provider, which is copied into the account; `nil` for the account's
  ///     own.
  ///   - email: the user's address there.
  ///   - password: the user's password there.
  ///   - registering: whether to make a new user.
  ///   - displayName: the new user's name.
  ///   - exportable: whether the refresh token may be released later; needs the system password.
  ///   - prompt: a check passed by password, for an exportable account.
  ///   - caller: the caller that asks.
  /// - Returns: the account as it is now.
  /// - Throws: `providerRefused`, `providerUnavailable`, `misconfigured`, `invalidArgument`.
  package func signIn(
    account name: String,
    provider: Provider?,
    email: String,
    password: SharedSecret,
    registering: Bool,
    displayName: String?,
    exportable: Bool = false,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandCurrentStore()
    if let facts = try await finishHeld(prompt, caller) { return facts }
    let target = try await target(toSignIn: name, provider)
    let agreed = try await agreeToSignIn(
      name,
      at: target,
      isGiven: provider != nil,
      email: email,
      isNewUser: registering,
      exportable: exportable,
      prompt,
      caller
    )
    var pending = SignInIntent(target, email: email, exportable: exportable)
    pending.agreed = agreed
    pending.keys = try await keys(of: target)?.encoded
    let attempt = SignInAttempt(
      purpose: registering ? .register : .login,
      provider: target,
      request: try request(
        of: target,
        email: email,
        password: password,
        newUser: registering ? .some(displayName) : nil
      ),
      pending: pending,
      sent: password
    )
    return try await facts(of: try await signIn(.named(name), provider, attempt, caller), caller)
  }

  /// The provider that a sign-in goes to, with the values that discovery fills in.
  ///
  /// If none is given, it is the account's own, as the user wrote it: discovery is done again.
  func target(toSignIn name: String, _ provider: Provider?) async throws(VaultFailure) -> Provider {
    _ = try accountName(name)
    if let provider {
      // Check this before the person signs in at the provider for nothing.
      if let known = try accountIfAny(named: name) {
        try demandNoSecret(known)
      } else {
        try demandRoomForAccount()
      }
      try demandAllowed(provider)
      return try await usable(try havingLogin(provider, name))
    }
    let known = try self.provider(of: try account(named: name))
    try demandAllowed(known, boundTo: name)
    return try await usable(try havingLogin(known, name))
  }

  private func havingLogin(
    _ provider: Provider,
    _ name: String
  ) throws(VaultFailure) -> Provider {
    guard provider.kind != .static else {
      throw .invalidArgument(
        "\(provider.name.text) has no login, only static secrets: thumblatch store \(name)"
      )
    }
    return provider
  }

  /// Refuses an account that keeps a static secret, which a login would replace.
  func demandNoSecret(_ account: AccountRow) throws(VaultFailure) {
    // A login repairs a record that cannot be read.
    guard keepsSecret(account) else { return }
    throw .invalidArgument(
      "\(account.name) keeps a static secret, and has no login: take another account name, or first:"
        + " thumblatch account remove \(account.name)"
    )
  }

  private func request(
    of provider: Provider,
    email: String,
    password: SharedSecret,
    newUser: String??
  ) throws(VaultFailure) -> ProviderRequest {
    let client = ProviderClient(provider: provider)
    return try mappingErrors(to: .invalidArgument) {
      guard let name = newUser else {
        return try client.login(email: email, password: password.bytes)
      }
      return try client.register(email: email, name: name, password: password.bytes)
    }
  }

  // MARK: - The account

  /// The account that a sign-in is for, made if there is none.
  ///
  /// It may be another account that has the name: the calling function checks that.
  func accountToSignIn(
    _ subject: SignInSubject,
    _ provider: Provider?
  ) throws(VaultFailure) -> AccountRow {
    let known = subject.target
    if let known, let row = try accountIfAny(withIdentifier: known.identifier) { return row }
    let checked = try accountName(subject.name)
    if let existing = try accountIfAny(named: checked.text) { return existing }
    if let known, !known.isNew { throw .isAnother(known.name) }
    guard let provider else { throw .noSuchAccount(checked.text) }
    try demandRoomForAccount()
    let identifier = if let known { known.identifier } else { try random(16) }
    var new = AccountRow(
      id: identifier,
      name: checked.text,
      owner: owner,
      provider: provider.name.text,
      providerSettings: [],
      binding: [],
      createdAt: clock.wall.seconds
    )
    try bind(&new, to: provider, exportable: false)
    let row = new
    try stored(try SlotFile.create(in: directory, account: row.id))
    do throws(VaultFailure) {
      try change { try store.insert(row) }
    } catch {
      try? SlotFile.delete(in: directory, account: row.id)
      throw error
    }
    return row
  }

  /// Removes an account that a sign-in made and that never got a token.
  func removeHusk(_ row: AccountRow) throws(VaultFailure) {
    guard row.generation == 0, row.state == .signedOut else { return }
    try change { _ = try store.deleteAccount(id: row.id) }
    try stored(try SlotFile.delete(in: directory, account: row.id))
  }
}
