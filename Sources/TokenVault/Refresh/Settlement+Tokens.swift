internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

// T2 for an answer that brought tokens.
extension Vault {
  /// New tokens: box n+1, access token, intent cleared, in one transaction.
  func keep(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ sent: SharedSecret?
  ) throws(VaultFailure) {
    var row = try signedIn(account, intent, provider, user)
    let rotation = try rotate(&row, to: answer.refreshToken, from: account, sent: sent)
    row.refreshedAt = clock.wall.seconds
    let token = accessToken(in: answer, intent, provider)
    let isSignIn = intent.purpose != .refresh
    let notGranted =
      isSignIn
      ? noteLoginScopes(of: token, in: &row, asked: loginScopes(of: intent, provider))
      : try noteScopes(of: token, in: &row, provider)
    let changed = row
    let details = [
      "generation \(changed.generation)", isSignIn && changed.exportable ? "exportable" : nil,
      isSignIn && account.isProtected && !changed.isProtected ? "protection off" : nil,
      notGranted,
    ]
    let endsTokens = endsAccessTokens(intent, provider)
    if endsTokens { try removeTokenFile(of: account.name) }
    try change {
      try store.update(changed)
      if endsTokens { try store.deleteAccessTokens(account: account.id) }
      try store.deleteIntent(account: account.id)
      try self.keep(token)
      try noteSteadiness(isSignIn ? .unknown : rotation, of: changed)
      if rotation.changesBox { try countBoxChange() }
      try record(
        AuditEntry(
          event(of: intent),
          .done,
          account: changed,
          caller: caller,
          detail: details.compactMap { $0 }.joined(separator: ", ")
        )
      )
    }
    if isSignIn { forgetTokens(of: account.id) }
    if rotation.changesBox { try raiseCounter() }
    if token.scopeSet.isEmpty { writeTokenFile(of: changed, token) }
    writeDefaultAccount()
  }

  /// A refresh token in an answer that is otherwise of no use: the one before it is dead already.
  ///
  /// With `isWaiting` the access token may be used later.
  @discardableResult
  func keepRefreshToken(
    _ token: SharedSecret?,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ sent: SharedSecret?,
    isWaiting: Bool = false
  ) throws(VaultFailure) -> Rotation {
    var row = try signedIn(account, intent, provider, nil)
    let rotation = try rotate(&row, to: token, from: account, sent: sent)
    let changed = row
    let isSignIn = intent.purpose != .refresh
    let endsTokens = endsAccessTokens(intent, provider)
    if endsTokens { try removeTokenFile(of: account.name) }
    try change {
      try store.update(changed)
      if endsTokens { try store.deleteAccessTokens(account: account.id) }
      try store.deleteIntent(account: account.id)
      if rotation.changesBox {
        // That a useless answer brought the same token shows nothing.
        try noteSteadiness(isSignIn ? .unknown : rotation, of: changed)
        try countBoxChange()
      }
      try record(
        AuditEntry(
          event(of: intent),
          isWaiting ? .begun : .failed,
          account: changed,
          caller: caller,
          detail: "generation \(changed.generation), "
            + (isWaiting
              ? "the access token waits for the provider's keys" : "no usable access token")
        )
      )
    }
    if isSignIn { forgetTokens(of: account.id) }
    if rotation.changesBox { try raiseCounter() }
    return rotation
  }

  /// Whether the access tokens of before, of all sets, are of no use any more.
  ///
  /// After a login they may be someone else's, of someone else's provider. After a refresh some
  /// providers have ended them.
  private func endsAccessTokens(_ intent: IntentRow, _ provider: Provider) -> Bool {
    intent.purpose != .refresh || provider.oauth?.refreshEndsAccessTokens == true
  }

  /// What a login asked for.
  private func loginScopes(of intent: IntentRow, _ provider: Provider) -> [String] {
    let scope = pending(intent)?.scope
    return ProviderClient(provider: provider).loginScopes(
      scope.flatMap { try? ScopeRequest(scope: $0) }
    )
  }

  /// The account as it is once tokens are there; a login brings its provider along.
  private func signedIn(
    _ account: AccountRow,
    _ intent: IntentRow,
    _ provider: Provider,
    _ user: UserFacts?
  ) throws(VaultFailure) -> AccountRow {
    var row = account
    row.state = .signedIn
    row.cause = nil
    if let pending = pending(intent) {
      // The gate of a login: whatever leads here, what was not agreed to is not replaced.
      guard try mayKeep(pending, user, account, provider) else {
        throw .presenceFailed(.denied("a presence check is needed: sign in again"), methods: [])
      }
      let replaces = replaces(account, with: provider, user, email: pending.email)
      // Another person has not chosen to be asked.
      if replaces, !staysProtected(account, with: provider, user, email: pending.email) {
        row.protection = ProtectionClass.none.rawValue
      }
      try bind(&row, to: provider, exportable: pending.exportable)
      row.subject = user?.id ?? (account.isProtected && !replaces ? account.subject : nil)
      row.email = user?.email ?? (pending.email.isEmpty ? nil : pending.email)
      row.displayName = user?.name
      row.person = user.map(PersonFacts.init) ?? .none
    } else if let user {
      row.learn(user)
    }
    return row
  }
}
