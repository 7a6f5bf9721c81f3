internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

// How a grant is ended at its provider. An authorization server is sent the refresh token, which
// ends the whole grant (RFC 7009, section 2.1). A password backend is sent both tokens, because
// some backends accept one and some the other. If a backend accepts only a valid access token, the
// engine first refreshes to get one.
extension Vault {
  /// The cause of a required sign-in after the provider has refused the refresh token itself.
  static let endedCause = "the provider signed you out"

  /// Ends the grant of an account at its provider.
  ///
  /// The calling function must have entered the account.
  ///
  /// `slot` is the locked slot; without it no refresh can be made.
  ///
  /// The refresh token is sent only after a durable record: if the disk is full, the provider is
  /// not notified.
  ///
  /// - Throws: `presenceFailed` if the right does not open the token: nothing may be erased then.
  func revoke(
    _ row: AccountRow,
    _ right: RightToRevoke,
    _ slot: consuming SlotFile?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Revocation {
    guard row.sealedRefreshToken != nil else {
      return Revocation(.none, "the account was not signed in")
    }
    guard let provider = try? provider(of: row) else {
      return notRevoked(row, "the provider in the record cannot be used")
    }
    guard provider.canBeToldOfSignOut else {
      return notRevoked(row, provider.whyNotTold)
    }
    let access = validAccessToken(of: row)
    // The token of a dead grant is never sent again.
    guard row.mayHaveLiveToken else { return await endAccessToken(access, of: row, provider) }
    let token: SharedSecret
    do throws(VaultFailure) {
      let use = Use(purpose: right.purpose, caller: caller)
      token = SharedSecret(try openRefreshToken(of: row, authority: right.authority, use: use))
    } catch {
      guard case .vaultUnsafe(let why, _) = error else { throw error }
      return notRevoked(row, why)
    }
    let earlier = try intent(of: row)
    let isUncertain = try isInDoubt(row)
    // After several tries, it is not known which of them left the doubt.
    let unclear = earlier?.attempts == 1 ? try unclearAnswer(to: earlier) : nil
    try change { try record(.logout, .begun, row, by: caller, method: right.authority.method) }
    var word = await tell(provider, access: access, refresh: token)
    if word.wantsAccessToken, access == nil, !isUncertain, provider.kind == .passwordBackend,
      !provider.hasOneToken, let slot
    {
      let context = AccountContext(row: row, provider: provider)
      let newer = try await tokens(for: context, token, after: earlier, right, slot, caller)
      guard let newer else {
        return notRevoked(try account(withIdentifier: row.id), word.revocation.reason)
      }
      word = await tell(provider, access: newer.access, refresh: newer.refresh)
    }
    return isUncertain ? word.revocation.after(unclear) : word.revocation
  }

  /// Ends a refresh token at its provider, whatever happens to the account.
  func end(_ token: SharedSecret, at provider: Provider) async -> Revocation {
    guard provider.canBeToldOfSignOut else {
      return Revocation(.valid, provider.whyNotTold)
    }
    return await tell(provider, access: nil, refresh: token).revocation
  }

  /// The known state of the grant of an account whose provider was not notified of the sign-out.
  func notRevoked(_ row: AccountRow, _ reason: String?) -> Revocation {
    guard row.sealedRefreshToken != nil else {
      return Revocation(.none, "the account was not signed in")
    }
    switch row.state {
    case .signedOut: return Revocation(.none, "the account was not signed in")
    case .signedIn: return Revocation(.valid, reason)
    case .loginRequired where row.cause == Self.endedCause: return Revocation(.none, row.cause)
    // The answer was lost, or the store is an old copy: there may be a newer token.
    case .loginRequired: return Revocation(.unknown, row.cause ?? reason)
    }
  }

  private func validAccessToken(of row: AccountRow) -> String? {
    guard let token = try? token(of: row), !token.isSealed, let left = secondsLeft(of: token),
      left > 0
    else { return nil }
    return token.token
  }

  /// A provider's reply to the end of a grant.
  struct Word {
    let revocation: Revocation
    /// Whether the provider refused, and may accept a valid access token.
    var wantsAccessToken = false
  }

  func tell(_ provider: Provider, access: String?, refresh: SharedSecret?) async -> Word {
    let client = ProviderClient(provider: provider)
    let isBackend = provider.kind == .passwordBackend
    let access = access?.isEmpty == true ? nil : access
    let made = try? client.revocation(
      accessToken: isBackend || refresh == nil ? access : nil,
      refreshToken: refresh
    )
    guard let request = made ?? nil else {
      return Word(revocation: Revocation(.valid, "the token cannot be sent"))
    }
    let terms = terms(of: provider)
    switch await exchange.perform(request, terms: terms, delivery: nil) {
    case .answered(let status, _, let body):
      switch client.judgeLogout(status: status, body: body.bytes, sent: refresh) {
      case .revoked: return Word(revocation: Revocation(.ended))
      case .notRevoked(let reason):
        // A failing server may have ended the grant anyway.
        let grant: Revocation.Grant = status >= 500 ? .unknown : .valid
        // Some backends refuse with a success status.
        let wants = status < 300 || [400, 401, 403, 422].contains(status)
        return Word(revocation: Revocation(grant, reason), wantsAccessToken: wants)
      }
    case .notSent(let reason):
      let failure = VaultFailure.notSent(reason, to: request.url, terms: terms)
      return Word(revocation: Revocation(.valid, failure: failure))
    case .interrupted(let reason):
      return Word(revocation: Revocation(.unknown, failure: .unanswered(reason, by: request.url)))
    case .delivered, .sealed:
      return Word(revocation: Revocation(.unknown, "the exchange gave no answer"))
    }
  }

  /// Ends as much as possible of a grant whose refresh token is never sent again.
  private func endAccessToken(
    _ access: String?,
    of row: AccountRow,
    _ provider: Provider
  ) async -> Revocation {
    let known = notRevoked(row, row.cause)
    guard let access else { return known }
    let word = await tell(provider, access: access, refresh: nil)
    guard word.revocation.revoked else { return known }
    // A password backend ends the session that the token belongs to.
    if provider.kind == .passwordBackend { return word.revocation }
    let why = known.reason.map { "; \($0)" } ?? ""
    return Revocation(known.grant, "only the access token was revoked\(why)")
  }

  /// Refreshes as usual, for a backend that ends a session only with a valid access token.
  ///
  /// The pause after a refresh that was only refused is not kept: a sign-out is the last try.
  ///
  /// `nil` if the refresh brought no tokens. The tokens are read from the answer, so the gate need
  /// not open the new refresh token.
  private func tokens(
    for account: AccountContext,
    _ token: SharedSecret,
    after earlier: IntentRow?,
    _ right: RightToRevoke,
    _ slot: consuming SlotFile,
    _ caller: Caller
  ) async throws(VaultFailure) -> (access: String, refresh: SharedSecret)? {
    // Start the exchange helper before T1, as for a refresh.
    let exchangeHelper = await exchange.exchangeHelper()
    let answer = try await send(
      token,
      OutgoingRefresh(
        account: account,
        asked: .standard,
        earlier: earlier,
        method: right.authority.method,
        caller: caller
      ),
      slot,
      by: exchangeHelper
    )
    do throws(VaultFailure) {
      try settle(answer, caller: caller)
    } catch {
      if case .vaultUnsafe = error { throw error }
      if case .unexpected = error { throw error }
      return nil
    }
    guard let fresh = tokens(in: answer, account.provider) else { return nil }
    return (fresh.accessToken, fresh.refreshToken ?? token)
  }

  /// The tokens in the answer to a refresh; `nil` if it brought none.
  ///
  /// The gate need not open the new refresh token for that.
  func tokens(in answer: borrowing RefreshAnswer, _ provider: Provider) -> TokenAnswer? {
    guard let outcome = try? outcome(in: answer.image, of: answer.intent),
      case .answered(let status, let retryAfter, let body) = outcome,
      case .tokens(let fresh) = ProviderClient(provider: provider).judge(
        status: status,
        retryAfter: retryAfter,
        body: body.bytes,
        for: .refresh,
        sent: answer.evidence.sent
      )
    else { return nil }
    return fresh
  }
}
