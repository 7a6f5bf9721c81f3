internal import AuditLog
internal import Configuration
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

// Refresh is a transaction that spans this machine and the provider. There is one at a time for
// each account. The account's slot file is both lock and mailbox. The exchange helper holds a
// duplicate of the same open file description, so it has ended once a newly opened descriptor of
// the slot can be locked. If the engine is killed in the middle, the exchange helper finishes,
// seals the answer into the slot, and only then releases the lock.
//
// The steps:
//  1. Lock the slot, and recover by the table below.
//  2. Have an exchange helper, and read the row again.
//  3. Pass the gate, which opens box n. The exchange helper connects.
//  4. T1: write intent and audit record.
//  5. Exchange. The exchange helper makes the slot durable.
//  6. T2: write box n+1, access token and audit record, and clear the intent.
//  7. Raise the rollback counter, write the token file, zero the slot, close it, and answer.
// A check of the new token comes after T2 and never undoes it.
//
// | intent | slot lock | slot                         | status     | the next holder             |
// |--------|-----------|------------------------------|------------|-----------------------------|
// | none   | free      | zero                         | ready      | works                       |
// | none   | free      | anything else                | ready      | zeroes it (killed after T2) |
// | none   | held      | zero                         | ready      | waits (killed before T1)    |
// | set    | held      | any                          | refreshing | waits                       |
// | set    | free      | opens under the intent's id  | refreshing | T2 from it (*)              |
// | set    | free      | zero, torn, 5xx              | uncertain  | the retry rule              |
//
// (*) The ID token of a login may name an unknown key. Then the answer stays in the slot until the
// provider's keys can be read, or until another login, a logout or a removal has ended that login.
//
// The intent names the set of scopes that the access token is for, and the answer is bound to it.
// T2 stores the token for that set, and leaves the tokens of other sets as they are. A call for
// another set waits, because it needs the refresh token that this answer brings. The retry rule is
// in `RetryRule.swift`.
extension Vault {
  /// Exchanges the refresh token of an account.
  ///
  /// Only `startRefresh` calls this, one at a time. A token that an orphaned exchange helper has
  /// stored is used if it lives long enough.
  func refresh(_ request: RefreshRequest) async throws(VaultFailure) -> AccessGrant {
    let identifier = request.account.row.id
    await enter(identifier)
    defer { leave(identifier) }
    await readKeysAhead(for: request.account)
    let slot = try await lockedSlot(identifier)
    if case .waiting(let why) = try await recover(identifier, slot) { throw why }
    // Why an earlier token is not used concerns no caller any more.
    _ = try await admitUnchecked(identifier)
    let known = try renewed(request.account)
    // The provider may have changed since the call. A refresh token must not be confused with an
    // access token.
    guard (request.use != nil) == known.provider.hasOneToken else { throw .hasJustChanged }
    if let grant = try storedGrant(
      of: known.row,
      request.asked,
      wanted: request.wanted,
      besides: request.doubted
    ) {
      return grant
    }
    if let use = request.use { return try await useOneToken(of: known, use, request, slot) }
    return try await refresh(known, request, slot)
  }

  private func refresh(
    _ known: AccountContext,
    _ request: RefreshRequest,
    _ slot: consuming SlotFile
  ) async throws(VaultFailure) -> AccessGrant {
    // Before T1: without an exchange helper nothing is in doubt.
    let exchangeHelper = await exchange.exchangeHelper()
    let account = try renewed(known)
    let earlier = try intent(of: account.row)
    try demandRetryAfter(earlier, of: account.row)
    guard account.row.state == .signedIn else {
      throw .loginRequired(account: account.row.name, message: account.row.cause ?? "signed out")
    }
    // It is held until the answer is judged, to see whether the answer has a different token.
    let token = try refreshToken(of: account.row, request)
    let answer = try await send(
      token,
      OutgoingRefresh(account: account, after: earlier, request),
      slot,
      by: exchangeHelper
    )
    let identifier = account.row.id
    do throws(VaultFailure) {
      try settle(answer, caller: request.caller)
    } catch {
      // The new refresh token is stored by now; the access token may wait for newer keys.
      let unchecked = uncheckedToken(of: identifier)
      guard unchecked?.intent.intent == answer.intent.intent else { throw error }
      if let refusal = try await admitUnchecked(identifier) { throw refusal }
    }
    let refreshed = try self.account(withIdentifier: identifier)
    guard let grant = try storedGrant(of: refreshed, request.asked, wanted: nil) else {
      throw .expiredOnArrival
    }
    return grant
  }

  /// Opens the refresh token at the gate, for a refresh.
  func refreshToken(
    of account: AccountRow,
    _ request: RefreshRequest
  ) throws(VaultFailure) -> SharedSecret {
    try demandProtection(of: account)
    let use = Use(purpose: .refresh, caller: request.caller)
    return SharedSecret(
      try openRefreshToken(of: account, authority: request.authority, use: use)
    )
  }

  /// Sends a refresh token, from T1 until the answer is durable in the slot.
  ///
  /// The calling function must have entered the account and locked its slot, and does T2.
  func send(
    _ token: SharedSecret,
    _ refresh: OutgoingRefresh,
    _ slot: consuming SlotFile,
    by exchangeHelper: any ReadyExchangeHelper
  ) async throws(VaultFailure) -> RefreshAnswer {
    let (account, earlier) = (refresh.account.row, refresh.earlier)
    let request = try request(token, refresh)
    let intent = try newIntent(
      .refresh,
      for: account,
      after: earlier,
      context: Array(refresh.asked.key.utf8)
    )
    let terms = terms(of: refresh.account.provider)
    let delivery = try delivery(intent, slot)
    exchangeHelper.connect(request, terms: terms, delivery: delivery)
    try begin(
      intent,
      AuditEntry(
        .refresh,
        .begun,
        account: account,
        caller: refresh.caller,
        method: refresh.method,
        detail: Self.detail(refresh.asked.shown, reason: refresh.reason, refresh.caller)
      )
    )
    let reply = await exchangeHelper.perform(request, terms: terms, delivery: delivery)
    if reply.isOpen {
      slot.close()
      slot = try await lockedSlot(account.id)
    }
    let image = try image(after: reply, intent, slot)
    let evidence = Evidence(
      sent: token,
      earlier: try unclearAnswer(to: earlier),
      isTooLarge: reply.isTooLarge,
      account: refresh.account
    )
    return RefreshAnswer(intent: intent, image: image, slot: slot, evidence: evidence)
  }

  private func request(
    _ token: SharedSecret,
    _ refresh: OutgoingRefresh
  ) throws(VaultFailure) -> ProviderRequest {
    do throws(OAuthError) {
      let client = ProviderClient(provider: refresh.account.provider)
      return try client.refresh(token.bytes, scope: refresh.asked)
    } catch {
      if case .notOffered = error { throw .misconfigured("\(error)") }
      throw .unexpected("the refresh request cannot be made: \(error)")
    }
  }

  /// T1: from here on the next holder of the slot knows that something may have been sent.
  func begin(_ intent: IntentRow, _ entry: AuditEntry) throws(VaultFailure) {
    try change(journalsLater: true) {
      try store.put(intent)
      try record(entry)
    }
  }
}
