internal import AuditLog
internal import Configuration
internal import Presence
internal import PresenceTerms
package import SecretMemory
internal import Storage

extension Vault {
  /// Lets the refresh token of an exportable account out of the vault.
  ///
  /// Always after a presence check made for this: an open unlock window does not count. The record
  /// is committed before the token is handed over. Unless it is kept, the account is then signed
  /// out here; the provider is not told, since the token goes on living elsewhere.
  ///
  /// - Parameters:
  ///   - name: the account; `nil` if there is only one.
  ///   - keep: leave the account signed in: only where a refresh has shown that the provider does
  ///     not replace refresh tokens; else the first of both holders to use it would lock the other
  ///     one out.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: who asks.
  /// - Returns: the token, and whether the account is signed out here.
  /// - Throws: `notExportable`; `refused` where it is not to be kept; `presenceNeeded`, `loginRequired`.
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
      guard try intent(of: row) == nil else {
        throw .providerUnavailable(
          "the answer to the last refresh of \(row.name) was lost: refresh it first",
          retryAfter: nil
        )
      }
      let token = SharedSecret(
        try openRefreshToken(
          of: row,
          authority: authority,
          use: Use(purpose: .release, caller: caller)
        )
      )
      try commitRelease(row, keep: keep, authority, caller)
      return (token, !keep)
    }
  }

  private func mayRelease(
    _ account: AccountRow,
    keep: Bool
  ) throws(VaultFailure) {
    // Judges the record too: whether it is exportable is bound to the token's box.
    let provider = try provider(of: account)
    guard account.exportable else { throw .notExportable(account: account.name) }
    switch account.state {
    case .signedOut: throw .loginRequired(account: account.name, message: "signed out")
    case .loginRequired:
      throw .loginRequired(account: account.name, message: account.cause ?? "its grant has ended")
    case .signedIn: break
    }
    if keep { try demandSteadiness(of: account, provider) }
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
      try forgetSteadiness(of: row.id)
      try record(entry)
      try countBoxChange()
    }
    forgetTokens(of: row.id)
    // From here on the caller's copy is the only one, so nothing may keep it from being sent. The
    // next change and the next checkpoint do what fails now.
    try? raiseCounter()
    try? stored(try store.checkpoint())
  }
}
