internal import AuditLog
internal import Configuration
internal import Presence
internal import PresenceTerms
package import SecretMemory
internal import Storage

extension Vault {
  /// Releases the refresh token of an exportable account from the vault.
  ///
  /// It needs a presence check of its own: an open unlock window does not count. The record is
  /// committed before the token is handed over. Unless the token is kept, the account is then
  /// signed out here. The provider is not notified, because the token stays in use elsewhere.
  ///
  /// - Parameters:
  ///   - name: the account; `nil` for the default.
  ///   - keep: whether the account stays signed in. That is possible only if a refresh has shown
  ///     that the provider keeps refresh tokens. Otherwise the first holder that uses the token
  ///     would lock the other one out.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: the caller that gets the token.
  /// - Returns: the token, and whether the account is signed out here.
  /// - Throws: `notExportable`; `refused` if it cannot be kept; `presenceNeeded`, `loginRequired`.
  package func release(
    account name: String?,
    keep: Bool,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (token: SharedSecret, signedOut: Bool) {
    let account = try account(named: name)
    try mayRelease(account, keep: keep)
    let question = caller.question(.release, about: account.id)
    let proof = try await proof(of: question, account: account.name, by: prompt, caller)
    let authority = Authority(proof)
    return try await withAccount(account.id) { row throws(VaultFailure) in
      try mayRelease(row, keep: keep)
      try demandNoDoubt(about: row)
      let use = Use(purpose: .release, caller: caller)
      let token = SharedSecret(try openRefreshToken(of: row, authority: authority, use: use))
      try commitRelease(row, keep: keep, authority, caller)
      noticeReleased(row, by: authority, caller)
      return (token, !keep)
    }
  }

  private func mayRelease(_ account: AccountRow, keep: Bool) throws(VaultFailure) {
    // This also checks the record: the box is bound to whether the account is exportable.
    let provider = try provider(of: account)
    try demandMayLeave()
    guard account.exportable else { throw .notExportable(account: account.name) }
    switch account.state {
    case .signedOut: throw .loginRequired(account: account.name, message: "signed out")
    case .loginRequired:
      throw .loginRequired(
        account: account.name,
        message: account.cause ?? "the provider ended its login"
      )
    case .signedIn: break
    }
    if keep { try demandSteadiness(of: account, provider) }
  }

  /// Refuses to release a refresh token that may be an old one.
  private func demandNoDoubt(about account: AccountRow) throws(VaultFailure) {
    guard let doubt = try doubt(about: account), let intent = try intent(of: account) else {
      return
    }
    throw .unavailable(
      try unclearAnswer(to: intent),
      "\(account.name) cannot be released: \(doubt)",
      retryAfter: try retryWait(intent, of: account)
    )
  }

  private func commitRelease(
    _ account: AccountRow,
    keep: Bool,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) {
    let entry = AuditEntry(
      .release,
      .done,
      account: account,
      caller: caller,
      method: authority.method,
      detail: keep ? "kept here" : "signed out here"
    )
    guard !keep else {
      try change {
        try record(entry)
        // No box changes, but a store that does not know of the second holder is an old copy.
        try countBoxChange()
      }
      try? raiseCounter()
      return
    }
    var row = account
    row.signOut()
    try removeTokenFile(of: row.name)
    try change {
      try store.update(row)
      try store.deleteAccessTokens(account: row.id)
      try store.deleteIntent(account: row.id)
      try forgetSteadiness(of: row.id)
      try record(entry)
      try countBoxChange()
    }
    forgetTokens(of: row.id)
    // From here on the caller's copy is the only one, so nothing may keep it from being sent. If a
    // step fails now, the next change or the next checkpoint does it.
    try? raiseCounter()
    try? stored(try store.checkpoint())
  }
}
