internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// Signs out: tells the provider unless `local`, and erases here in any case.
  ///
  /// - Returns: what the provider said.
  public func signOut(
    account name: String,
    local: Bool,
    caller: Caller
  ) async throws(VaultFailure) -> Revocation {
    let account = try account(named: name)
    await enter(account.id)
    defer { leave(account.id) }
    let slot = try await lockedSlot(account.id)
    try await recover(account.id, slot, isLoginOver: true, asksProvider: !local)
    // A login of before, which had not been finished, was all that there was.
    guard var row = try accountIfAny(withIdentifier: account.id) else { return .ofUnfinishedLogin }
    let answer = local ? Revocation.notAsked : await revoke(row, caller)
    try removeTokenFile(of: row.name)
    row.state = .signedOut
    row.cause = nil
    row.sealedRefreshToken = nil
    row.loginScope = nil
    row.missingScope = nil
    let changed = row
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.update(changed)
        try self.store.deleteAccessTokens(account: changed.id)
        try self.store.deleteIntent(account: changed.id)
      }
      try self.forgetSteadiness(of: changed.id)
      try self.countBoxChange()
      try self.record(
        AuditEntry(
          .logout,
          .done,
          account: changed,
          caller: caller,
          detail: answer.revoked ? "revoked" : "erased here, not revoked"
        )
      )
    }
    forgetTokens(of: changed.id)
    try raiseMark()
    try stored { () throws(StorageError) in try self.store.checkpoint() }
    return answer
  }

  /// Tells the provider.
  ///
  /// A password backend by the access token while that is valid; else by the refresh token, where
  /// its gate opens without asking anyone: nobody has to be here to sign out. An authorization
  /// server by the refresh token, with which the whole grant ends; the access token alone where
  /// that is all there is, which is no sign-out.
  func revoke(
    _ row: AccountRow,
    _ caller: Caller
  ) async -> Revocation {
    guard row.sealedRefreshToken != nil else { return Revocation(not: "was not signed in") }
    // A record that does not say where it came from is erased all the same.
    guard let provider = try? provider(of: row) else {
      return Revocation(not: "the provider in the record cannot be used")
    }
    let client = ProviderClient(provider: provider)
    if provider.kind != .passwordBackend, provider.endpoint(.revocation) == nil {
      return Revocation(not: "the provider has no revocation_endpoint")
    }
    let place = await placeOfWindow(caller)
    guard let (request, endsGrant) = revocation(of: row, client, caller, at: place) else {
      guard row.state == .signedIn else {
        return Revocation(not: row.cause ?? "its grant has ended")
      }
      return Revocation(not: "the access token has expired, and " + Self.needsSomeone)
    }
    let answer = await answer(to: request, client)
    guard answer.revoked, !endsGrant else { return answer }
    let why = row.state == .signedIn ? Self.needsSomeone : row.cause ?? "the grant has ended"
    return Revocation(not: "only the access token was revoked; \(why)")
  }

  private static let needsSomeone =
    "the refresh token needs someone who is here; next time: thumblatch unlock"

  /// What tells the provider, and whether that ends the whole grant.
  private func revocation(
    of row: AccountRow,
    _ client: ProviderClient,
    _ caller: Caller,
    at place: CallerPlace
  ) -> (ProviderRequest, endsGrant: Bool)? {
    let isBackend = client.provider.kind == .passwordBackend
    var accessToken: String?
    if let token = try? token(of: row), let left = secondsLeft(of: token), left > 0 {
      accessToken = token.token
    }
    func request(_ access: String?, _ refresh: SharedSecret?) -> ProviderRequest? {
      (try? client.revocation(accessToken: access, refreshToken: refresh)) ?? nil
    }
    if isBackend, let accessToken {
      return request(accessToken, nil).map { ($0, true) }
    }
    // The token of a dead grant is never sent again.
    if row.state == .signedIn,
      let authority = try? authorityWithoutAsking(for: row, caller, at: place, extending: false),
      let token = try? openRefreshToken(
        of: row,
        authority: authority,
        use: Use(purpose: .refresh, caller: caller)
      )
    {
      return request(nil, SharedSecret(token)).map { ($0, true) }
    }
    return accessToken.flatMap { request($0, nil) }.map { ($0, false) }
  }
}
