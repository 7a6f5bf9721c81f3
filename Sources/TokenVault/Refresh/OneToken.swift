internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

/// What a caller wants of an account whose provider gives one token (`Provider.hasOneToken`).
struct OneTokenUse: Sendable {
  /// A token that a server refused.
  var rejected: String?
}

/// The times that a token was opened without a check, and those that have no record yet.
struct OpeningCount {
  var records = QuietChecks()
  var unwritten = 0
}

// The one token of a provider is access token and refresh token in one. A copy in plain storage would
// be the refresh token without its gate. So its row says how long it lives and holds no token, the
// front has no file of it, and each call that wants it opens the box, with a proof of its own where
// the account is protected. What one call opened is never shared with another.
//
// It is exchanged for the next one in the last hour of its life, or in the last half of a life
// under two hours: by the engine if no check is needed, otherwise by the call that opens it then. A
// token that the provider does not exchange lives until its end, and then a login is required.
extension Vault {
  /// How long before its end the token is exchanged, in seconds.
  private static let oneTokenAhead: Int64 = 3600
  /// Why a login is required after the end of a token that cannot be exchanged.
  static let oneTokenEnded = "its token has ended, and the provider does not exchange it"

  /// Whether the provider of an account gives one token; no for a record that cannot be read, which
  /// every refresh refuses.
  func isOneToken(_ account: AccountRow) -> Bool {
    (try? provider(of: account))?.hasOneToken ?? false
  }

  /// Refuses before the person is asked, if the token cannot be had anyway.
  func mayUseOneToken(_ account: AccountRow, wanted: Int64) throws(VaultFailure) {
    guard account.state == .signedIn, let row = try token(of: account), row.isSealed else {
      return try mayRefresh(account)
    }
    if try hasEnded(account, row, try provider(of: account)) { throw oneTokenOver(account) }
    if !serves(row, wanted) { try mayRefresh(account) }
  }

  /// Whether the token of an account has ended and cannot be exchanged.
  func hasEnded(
    _ account: AccountRow,
    _ row: AccessTokenRow?,
    _ provider: Provider
  ) throws(VaultFailure) -> Bool {
    guard provider.hasOneToken, !provider.canRefresh, account.state == .signedIn else {
      return false
    }
    guard let row, row.isSealed else { return true }
    return timeLeft(of: row) <= 0
  }

  /// Opens the token, exchanges it if it is time, and gives the caller what there is then.
  ///
  /// The caller has the account to itself, and its slot.
  func useOneToken(
    of account: AccountRow,
    _ use: OneTokenUse,
    wanted: Int64,
    _ authority: Authority,
    _ slot: consuming SlotFile,
    _ caller: Caller
  ) async throws(VaultFailure) -> AccessGrant {
    let provider = try provider(of: account)
    try mayUseOneToken(account, wanted: wanted)
    let row = try token(of: account)
    let token = SharedSecret(
      try openRefreshToken(
        of: account,
        authority: authority,
        use: Use(purpose: .refresh, caller: caller)
      )
    )
    let isRejected = use.rejected.map { $0.utf8.elementsEqual(token.text.utf8) } ?? false
    var serves = false
    if let row, !isRejected { serves = self.serves(row, wanted) }
    guard provider.canRefresh else {
      guard !isRejected, let row else { throw oneTokenOver(account, isRejected: isRejected) }
      return grant(token, row, account, wanted: wanted, authority)
    }
    let earlier = try intent(of: account)
    let waits = try mustWait(earlier, account)
    if let row, serves, waits || !isDue(row) {
      return grant(token, row, account, wanted: wanted, authority)
    }
    try demandRetryAfter(earlier, of: account)
    do throws(VaultFailure) {
      let answer = try await send(
        token,
        .standard,
        of: account,
        to: provider,
        after: earlier,
        method: authority.method,
        slot,
        by: await exchange.exchangeHelper(),
        caller
      )
      let fresh = tokens(in: answer, provider)?.refreshToken
      try settle(answer, caller: caller)
      let refreshed = try self.account(withIdentifier: account.id)
      guard let row = try self.token(of: refreshed), timeLeft(of: row) > 0 else {
        throw .providerUnavailable("the provider gave a token that has expired", retryAfter: nil)
      }
      return grant(fresh ?? token, row, refreshed, wanted: wanted, authority)
    } catch {
      // The token at hand is still good; that the endpoint is not there shows at its end.
      guard serves, let row, error.leavesToken,
        try self.account(withIdentifier: account.id).generation == account.generation
      else { throw error }
      return grant(token, row, account, wanted: wanted, authority)
    }
  }

  private func grant(
    _ token: SharedSecret,
    _ row: AccessTokenRow,
    _ account: AccountRow,
    wanted: Int64,
    _ authority: Authority
  ) -> AccessGrant {
    AccessGrant(
      account: account.name,
      accessToken: token.text,
      tokenType: row.tokenType,
      expiresAt: row.expiresAt,
      isShorterThanRequested: timeLeft(of: row) < wanted,
      scope: row.grantedScope,
      opened: OpenedToken(
        account: account.id,
        generation: account.generation,
        method: authority.method
      )
    )
  }

  /// Drops a sealed token that the provider refused, unless the account has another one by now: the next
  /// call exchanges it, or tells that a login is required.
  func discard(_ refused: OpenedToken, caller: Caller) throws(VaultFailure) {
    let account = try account(withIdentifier: refused.account)
    guard account.generation == refused.generation else { return }
    try change {
      try store.deleteAccessToken(account: account.id, scopeSet: "")
      try record(AuditEntry(.rejected, .done, account: account, caller: caller))
    }
  }

  /// Records that the sealed token goes to a caller; it does not go if that cannot be recorded.
  ///
  /// Each call that a person let through has a record of its own. Of the others, which a program can
  /// make as often as it likes, some are counted in the next one: a flood would push out the history.
  func recordOpened(_ grant: AccessGrant, _ caller: Caller) throws(VaultFailure) {
    guard let opened = grant.opened else { return }
    let account = try account(withIdentifier: opened.account)
    let isChecked = PresenceMethod.allCases.contains { $0.rawValue == opened.method }
    guard isChecked || openings.records.take(at: clock.boot) else {
      openings.unwritten += 1
      return
    }
    let before = openings.unwritten
    try change {
      try record(
        AuditEntry(
          .release,
          .done,
          account: account,
          caller: caller,
          method: opened.method,
          detail: "as the access token" + (before == 0 ? "" : ", and \(before) times before")
        )
      )
    }
    openings.unwritten = 0
  }

  /// Begins the exchange of a token that is due, if that needs no presence check.
  func startOneTokenAhead(
    _ account: AccountRow,
    _ engine: Caller
  ) throws(VaultFailure) -> RefreshTask? {
    guard let row = try token(of: account), row.isSealed, try provider(of: account).canRefresh,
      isDue(row), timeLeft(of: row) > 0, try !mustWait(try intent(of: account), account),
      let authority = try authorityAhead(for: account, engine)
    else { return nil }
    let more = timeLeft(of: row) + 1
    return startRefresh(account.id, .standard, wanted: more, authority, engine, OneTokenUse())
  }

  /// What to expect of a provider that gives one token, for `provider test`.
  func oneTokenWarnings(_ provider: Provider) -> [String] {
    guard provider.hasOneToken else { return [] }
    return [
      "gives one token, as its file says: each call opens the sealed token, and "
        + (provider.canRefresh
          ? "it is exchanged in its last hour, or in the last half of a life under two hours"
          : "at its end a login is required")
    ]
  }

  // MARK: - Time

  /// Seconds until the token ends; one whose end was not told has none.
  private func timeLeft(of row: AccessTokenRow) -> Int64 {
    row.expiresAt.map { $0 - clock.wall.seconds } ?? .max
  }

  private func isDue(_ row: AccessTokenRow) -> Bool {
    guard let end = row.expiresAt else { return false }
    return timeLeft(of: row) <= min(Self.oneTokenAhead, (end - row.storedAt) / 2)
  }

  private func serves(_ row: AccessTokenRow, _ wanted: Int64) -> Bool {
    row.isSealed && (row.expiresAt == nil || row.serves(wanted, left: timeLeft(of: row)))
  }

  /// Whether the provider may not be asked now.
  private func mustWait(
    _ intent: IntentRow?,
    _ account: AccountRow
  ) throws(VaultFailure) -> Bool {
    do throws(VaultFailure) {
      try demandRetryAfter(intent, of: account)
      return false
    } catch {
      guard error.isOfTheMoment else { throw error }
      return true
    }
  }

  private func oneTokenOver(_ account: AccountRow, isRejected: Bool = false) -> VaultFailure {
    let refused = "its token is refused, and the provider does not exchange it"
    return .loginRequired(
      account: account.name,
      message: isRejected ? refused : Self.oneTokenEnded
    )
  }
}

extension VaultFailure {
  /// Whether a token that was sent for another one may still be good.
  fileprivate var leavesToken: Bool {
    if case .misconfigured = self { true } else { isOfTheMoment }
  }
}

extension AccessTokenRow {
  /// What stands for a token that is in the sealed box alone; no token has a space (RFC 6750,
  /// section 2.1).
  static let sealed = " "

  /// Whether the token is in the sealed box alone.
  var isSealed: Bool { token == Self.sealed }
}
