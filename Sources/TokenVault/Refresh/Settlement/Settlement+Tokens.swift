internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

// T2 for an answer with tokens.
extension Vault {
  /// Stores new tokens: box n+1, access token, intent cleared, in one transaction.
  func keep(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ settlement: Settlement
  ) throws(VaultFailure) {
    let (account, isSignIn) = (settlement.account, settlement.isSignIn)
    var row = try signedIn(settlement, user, answer.refreshToken)
    let rotation = try rotate(&row, to: answer.refreshToken, settlement)
    row.refreshedAt = clock.wall.seconds
    let token = accessToken(in: answer, settlement)
    let notGranted =
      isSignIn
      ? noteLoginScopes(of: token, in: &row, asked: loginScopes(settlement))
      : try noteScopes(of: token, in: &row, settlement.provider)
    let details = [
      "generation \(row.generation)", isSignIn && row.exportable ? "exportable" : nil,
      isSignIn && account.isProtected != row.isProtected
        ? "protection \(row.isProtected ? "on" : "off")" : nil,
      notGranted,
    ]
    let detail = details.compactMap { $0 }.joined(separator: ", ")
    try commit(row, settlement, rotation, .done, detail) {
      try keep(token)
      try noteImport(of: row, settlement, answer.refreshToken)
      try noteSteadiness(isSignIn ? .unknown : rotation, of: row)
    }
    if token.scopeSet.isEmpty { writeTokenFile(of: row, token) }
    writeDefaultAccount()
  }

  /// Stores the refresh token of an answer that is otherwise unusable: the previous token is dead.
  ///
  /// With `isWaiting` the access token may be used later.
  @discardableResult
  func keepRefreshToken(
    _ token: SharedSecret?,
    _ settlement: Settlement,
    isWaiting: Bool = false
  ) throws(VaultFailure) -> Rotation {
    var row = try signedIn(settlement, nil, token)
    let rotation = try rotate(&row, to: token, settlement)
    let use =
      isWaiting ? "the access token waits for the provider's keys" : "no usable access token"
    let detail = "generation \(row.generation), \(use)"
    try commit(row, settlement, rotation, isWaiting ? .begun : .failed, detail) {
      try noteImport(of: row, settlement, token)
      // An unusable answer with the same token proves nothing.
      guard rotation.changesBox else { return }
      try noteSteadiness(settlement.isSignIn ? .unknown : rotation, of: row)
    }
    return rotation
  }

  /// T2 itself: the account, what `more` adds, and no intent.
  private func commit(
    _ row: AccountRow,
    _ settlement: Settlement,
    _ rotation: Rotation,
    _ outcome: AuditOutcome,
    _ detail: String,
    adding more: () throws -> Void
  ) throws(VaultFailure) {
    let endsTokens = settlement.endsAccessTokens
    if endsTokens { try removeTokenFile(of: settlement.account.name) }
    try changeSealed(journalsLater: !settlement.isSignIn, isSealed: rotation.changesBox) {
      try store.update(row)
      if endsTokens { try store.deleteAccessTokens(account: row.id) }
      try store.deleteIntent(account: row.id)
      try more()
      try record(settlement.intent.event, outcome, row, by: settlement.caller, detail: detail)
    } committed: {
      if settlement.isSignIn { forgetTokens(of: row.id) }
    }
  }

  /// The scopes that a login asked for.
  private func loginScopes(_ settlement: Settlement) -> [String] {
    let scope = settlement.pending?.scope.flatMap { try? ScopeRequest(scope: $0) }
    return ProviderClient(provider: settlement.provider).loginScopes(scope)
  }

  /// The account as it is once tokens are there; a login brings its provider along.
  private func signedIn(
    _ settlement: Settlement,
    _ user: UserFacts?,
    _ token: SharedSecret?
  ) throws(VaultFailure) -> AccountRow {
    let (account, provider) = (settlement.account, settlement.provider)
    var row = account
    row.state = .signedIn
    row.cause = nil
    guard let pending = settlement.pending else {
      if let user { row.learn(user) }
      return row
    }
    // The gate of a login: on any path, nothing is replaced that was not agreed to.
    guard try mayKeep(settlement, user) else {
      throw .denied("a presence check is needed: sign in again")
    }
    let replaces = replaces(account, with: provider, user, email: pending.email)
    // Another person has not chosen to be asked.
    if replaces, !staysProtected(account, with: provider, user, email: pending.email) {
      row.protection = ProtectionClass.none.rawValue
    }
    // Without a new refresh token, a box that is there stays as it is.
    if token != nil || row.sealedRefreshToken == nil, protectsFromSignIn {
      row.protection = ProtectionClass.presence.rawValue
    }
    try bind(&row, to: provider, exportable: pending.exportable)
    row.subject = user?.id ?? (account.isProtected && !replaces ? account.subject : nil)
    row.email = user?.email ?? (pending.email.isEmpty ? nil : pending.email)
    row.displayName = user?.name
    row.person = user.map(PersonFacts.init) ?? .none
    return row
  }
}
