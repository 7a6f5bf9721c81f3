internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

// Refresh is a transaction that spans this machine and the provider. There is one at a time for each
// account. The account's slot file is both lock and mailbox. The exchange helper holds a duplicate of
// the same open file description, so it has ended once a newly opened descriptor of the slot can be
// locked. If the engine is killed in the middle, the exchange helper finishes, seals the answer into
// the slot, and only then releases the lock.
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
// | intent | slot lock | slot                         | status     | the next holder               |
// |--------|-----------|------------------------------|------------|-------------------------------|
// | none   | free      | zero                         | ready      | works                         |
// | none   | free      | anything else                | ready      | zeroes it (killed after T2)   |
// | none   | held      | zero                         | ready      | waits (killed before T1)      |
// | set    | held      | any                          | refreshing | waits                         |
// | set    | free      | opens under the intent's id  | refreshing | T2 from it (*)                |
// | set    | free      | zero, torn, 5xx              | uncertain  | the retry rule                |
//
// (*) The answer to a login whose ID token names a key that is not known stays there until the
// provider's keys can be read, or until another login, a logout or a removal has ended that one.
//
// The intent says which set of scopes the access token is for, and the answer is bound to that: T2
// stores it as that set's, and leaves those of other sets alone. What was to be asked for next needs
// the refresh token that this one brings, so it waits. The retry rule stands in `RetryRule.swift`.
extension Vault {
  /// How much longer than its lifetime an orphaned exchange helper is waited for, in seconds.
  private static let orphanGrace = 5
  private static let orphanPoll: Int64 = 50

  /// Exchanges the refresh token of an account.
  ///
  /// Only `startRefresh` calls this, once at a time. `wanted` is how long the token is to live, in
  /// seconds: what an orphaned exchange helper has brought meanwhile is taken if it does.
  func refresh(
    _ identifier: [UInt8],
    _ asked: ScopeRequest,
    wanted: Int64,
    authority: Authority,
    caller: Caller,
    use: OneTokenUse? = nil
  ) async throws(VaultFailure) -> AccessGrant {
    await enter(identifier)
    defer { leave(identifier) }
    await readKeysAhead(for: identifier)
    let slot = try await lockedSlot(identifier)
    if case .waiting(let why) = try await recover(identifier, slot) { throw why }
    // Nobody waits for what became of an earlier one, unless it still may be used.
    _ = try await admitUnchecked(identifier)
    let known = try account(withIdentifier: identifier)
    // New settings may have come meanwhile. A refresh token must not be taken for an access token.
    guard (use != nil) == isOneToken(known) else { throw .hasJustChanged }
    if let grant = try storedGrant(of: known, asked, wanted: wanted) { return grant }
    if let use {
      return try await useOneToken(of: known, use, wanted: wanted, authority, slot, caller)
    }
    // Before T1: an exchange helper that cannot be had leaves nothing in doubt.
    let exchangeHelper = await exchange.exchangeHelper()
    let account = try account(withIdentifier: identifier)
    let earlier = try self.intent(of: account)
    try demandRetryAfter(earlier, of: account)
    guard account.state == .signedIn else {
      throw .loginRequired(
        account: account.name,
        message: account.cause ?? "signed out"
      )
    }
    let provider = try provider(of: account)
    // Held until the answer is judged: only so does it show whether that brought another one.
    let token = SharedSecret(
      try openRefreshToken(
        of: account,
        authority: authority,
        use: Use(purpose: .refresh, caller: caller)
      )
    )
    let answer = try await send(
      token,
      asked,
      of: account,
      to: provider,
      after: earlier,
      method: authority.method,
      slot,
      by: exchangeHelper,
      caller
    )
    do throws(VaultFailure) {
      try settle(answer, caller: caller)
    } catch {
      // The new refresh token is stored by now; what came with it may wait for newer keys.
      guard uncheckedTokens[identifier]?.intent.intent == answer.intent.intent else { throw error }
      if let refusal = try await admitUnchecked(identifier) { throw refusal }
    }
    let refreshed = try self.account(withIdentifier: identifier)
    guard let grant = try storedGrant(of: refreshed, asked, wanted: nil) else {
      throw .providerUnavailable("the provider gave a token that has expired", retryAfter: nil)
    }
    return grant
  }

  /// Sends a refresh token, from T1 to an answer that lies durable in the slot; T2 is the caller's.
  ///
  /// The caller has the account to itself, and its slot.
  func send(
    _ token: SharedSecret,
    _ asked: ScopeRequest,
    of account: AccountRow,
    to provider: Provider,
    after earlier: IntentRow?,
    method: String?,
    _ slot: consuming SlotFile,
    by exchangeHelper: any ReadyExchangeHelper,
    _ caller: Caller
  ) async throws(VaultFailure) -> RefreshAnswer {
    let request: ProviderRequest
    do throws(OAuthError) {
      request = try ProviderClient(provider: provider).refresh(token.bytes, scope: asked)
    } catch {
      if case .notOffered = error { throw .misconfigured("\(error)") }
      throw .unexpected("the refresh cannot be asked for: \(error)")
    }
    let intent = try newIntent(
      .refresh,
      for: account,
      after: earlier,
      context: Array(asked.key.utf8)
    )
    let terms = terms(of: provider)
    let delivery = try delivery(intent, slot)
    exchangeHelper.connect(request, terms: terms, delivery: delivery)
    try begin(
      intent,
      AuditEntry(
        .refresh,
        .begun,
        account: account,
        caller: caller,
        method: method,
        detail: asked.shown
      )
    )
    let reply = await exchangeHelper.perform(request, terms: terms, delivery: delivery)
    if reply.isOpen {
      slot.close()
      slot = try await lockedSlot(account.id)
    }
    let image = try image(after: reply, intent, slot)
    let evidence = Evidence(sent: token, refused: try emptyRefusal(of: earlier))
    return RefreshAnswer(
      intent: intent,
      image: image,
      slot: slot,
      evidence: evidence
    )
  }

  /// Finishes what an engine or an exchange helper left behind, without a question to anyone.
  ///
  /// Whoever asks meanwhile shares the outcome: nobody waits for an orphan a second time.
  func finishInterrupted(_ account: AccountRow) async throws(VaultFailure) {
    let recovery =
      recoveries[account.id] ?? Task { await self.recoverInterrupted(account.id) }
    recoveries[account.id] = recovery
    try await recovery.value.get()
  }

  private func recoverInterrupted(_ identifier: [UInt8]) async -> Result<Void, VaultFailure> {
    await enter(identifier)
    defer {
      leave(identifier)
      recoveries[identifier] = nil
    }
    do throws(VaultFailure) {
      let slot = try await lockedSlot(identifier)
      if case .waiting(let why) = try await recover(identifier, slot) { throw why }
      _ = try await admitUnchecked(identifier)
      slot.close()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Opens and locks the account's slot; waits for an exchange helper that outlived its engine.
  func lockedSlot(_ identifier: [UInt8]) async throws(VaultFailure) -> SlotFile {
    let begun = clock.boot
    while true {
      // Without its account there is no slot: that is not a damaged vault.
      let account = try account(withIdentifier: identifier)
      let slot = try stored(try SlotFile(in: directory, account: identifier))
      if try stored(try slot.lock()) { return slot }
      guard clock.boot < begun.advanced(bySeconds: orphanWait(of: account)) else {
        throw .providerUnavailable(
          "an earlier exchange with the provider has not ended yet",
          retryAfter: 30
        )
      }
      await clock.pause(milliseconds: Self.orphanPoll)
    }
  }

  /// How long the exchange helper of an earlier exchange of this account is waited for, in seconds:
  /// it ends within the limits of the provider that it asks.
  private func orphanWait(of account: AccountRow) -> Int64 {
    var limits = (try? provider(of: account))?.limits ?? .standard
    if let intent = (try? intent(of: account)) ?? nil,
      let asked = try? provider(for: intent, of: account),
      asked.limits.exchangeHelperLifetime > limits.exchangeHelperLifetime
    {
      limits = asked.limits
    }
    return Int64(limits.exchangeHelperLifetime + Self.orphanGrace)
  }

  func newIntent(
    _ purpose: IntentRow.Purpose,
    for account: AccountRow,
    after earlier: IntentRow? = nil,
    context: [UInt8] = []
  ) throws(VaultFailure) -> IntentRow {
    let now = clock.boot
    return IntentRow(
      account: account.id,
      intent: try random(32),
      purpose: purpose,
      generation: account.generation,
      startedAt: clock.wall.seconds,
      bootID: clock.bootIdentifier.bytes,
      bootInstant: now.nanoseconds,
      attempts: (earlier?.attempts ?? 0) + 1,
      waitSeconds: earlier?.waitSeconds ?? 0,
      context: context
    )
  }

  /// T1: from here on the next holder of the slot knows that something may have been sent.
  func begin(_ intent: IntentRow, _ entry: AuditEntry) throws(VaultFailure) {
    try change {
      try store.put(intent)
      try record(entry)
    }
  }

  /// What the exchange helper needs: the one-use key can be derived again from the intent's id.
  func delivery(
    _ intent: IntentRow,
    _ slot: borrowing SlotFile
  ) throws(VaultFailure) -> AnswerDelivery {
    try mappingErrors(to: .unexpected("the exchange helper's key cannot be made")) {
      let key = try deviceSecret.derived(for: "answer", context: intent.intent)
      return AnswerDelivery(
        key: SharedSecret(try key.copyOfBytes()),
        context: try answerContext(intent).encoded,
        slot: slot.descriptor
      )
    }
  }

  func answerContext(_ intent: IntentRow) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .answer,
      vault: identifier,
      owner: owner,
      account: intent.account,
      protection: .none,
      generation: UInt64(clamping: intent.generation),
      // What a login is to make of the answer is bound to it, too: else a provider that was edited
      // into the intent would be the one to which the new token goes.
      binding: try sha256(intent.intent + Array(intent.purpose.rawValue.utf8) + intent.context)
    )
  }

  /// What lies in the slot after a reply.
  ///
  /// A slot that could not be written came back over the socket, sealed by the same key: from here
  /// on there is one path.
  func image(
    after reply: ExchangeReply,
    _ intent: IntentRow,
    _ slot: borrowing SlotFile
  ) throws(VaultFailure) -> [UInt8] {
    switch reply {
    case .sealed(let image): return image
    case .notSent(let reason):
      // No exchange helper ran, so nobody sealed this; it is the same record all the same.
      return try mappingErrors(to: .unexpected("the outcome cannot be sealed")) {
        try SlotImage.seal(
          // Bytes, not characters: one character may have any number of them.
          .notSent(reason: String(decoding: Array(reason.utf8.prefix(80)), as: UTF8.self)),
          using: try deviceSecret.derived(for: "answer", context: intent.intent),
          context: try answerContext(intent)
        )
      }
    case .delivered, .interrupted, .answered:
      return try stored(try slot.readWhole())
    }
  }
}
