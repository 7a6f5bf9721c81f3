internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

/// The use of an account whose provider gives one token (`Provider.hasOneToken`).
struct OneTokenUse: Sendable {
  /// A token that a server refused.
  var rejected: String?
}

// The one token of a provider is access token and refresh token in one. A copy in plain storage
// would be the refresh token without its gate. So the row has its lifetime and no token, and the
// front has no file of it. Each call opens the box, with a proof of its own if the account is
// protected. An opened token is never shared with another call.
//
// The token is exchanged for the next one in the last hour of its life, or in the last half of a
// life under two hours. The engine does it if no check is needed, otherwise the call that opens it
// then. A token that the provider does not exchange lives until its end. Then a login is required.
extension Vault {
  /// How long before its end the token is exchanged, in seconds.
  private static let oneTokenAhead: Int64 = 3600
  /// Why a login is required after the end of a token that cannot be exchanged.
  static func oneTokenEnded(_ provider: Provider) -> String {
    provider.kind == .static
      ? "its secret has expired" : "its token has expired, and the provider does not exchange it"
  }

  /// Whether the provider of an account gives one token.
  ///
  /// It is `false` for a record that cannot be read, which every refresh refuses.
  func isOneToken(_ account: AccountRow) -> Bool {
    (try? provider(of: account))?.hasOneToken ?? false
  }

  /// Refuses before a person is asked, if the token could not be used anyway.
  func mayUseOneToken(_ account: AccountContext, wanted: Int64) throws(VaultFailure) {
    let row = account.row
    guard row.state == .signedIn, let token = try token(of: row), token.isSealed else {
      return try mayRefresh(row)
    }
    if hasEnded(account, token) { throw oneTokenOver(account) }
    try demandProtection(of: row)
    if !serves(token, wanted) { try mayRefresh(row) }
  }

  /// Whether the token of an account has ended and cannot be exchanged.
  func hasEnded(_ account: AccountContext, _ token: AccessTokenRow?) -> Bool {
    let provider = account.provider
    guard provider.hasOneToken, !provider.canRefresh, account.row.state == .signedIn else {
      return false
    }
    guard let token, token.isSealed else { return true }
    return timeLeft(of: token) <= 0
  }

  /// Whether an answer refuses to exchange a token that has ended.
  ///
  /// The token is of no other use then, so a refusal with any reason, or without one, means a
  /// login.
  func isRefusalOfEndedToken(_ settlement: Settlement) throws(VaultFailure) -> Bool {
    guard settlement.provider.hasOneToken, !settlement.isSignIn,
      settlement.isRefusal
    else { return false }
    guard let token = try token(of: settlement.account), token.isSealed else { return true }
    return timeLeft(of: token) <= 0
  }

  /// Why a login is required after that refusal.
  static func endedTokenRefused(_ status: Int) -> String {
    "its token has expired, and the provider refused to exchange it (HTTP \(status))"
  }

  /// Opens the token, exchanges it if it is due, and gives the caller the result.
  ///
  /// The calling function must have entered the account and locked its slot.
  func useOneToken(
    of account: AccountContext,
    _ use: OneTokenUse,
    _ request: RefreshRequest,
    _ slot: consuming SlotFile
  ) async throws(VaultFailure) -> AccessGrant {
    let row = account.row
    try mayUseOneToken(account, wanted: request.wanted)
    let known = try token(of: row)
    let token = try refreshToken(of: row, request)
    let isRejected = use.rejected.map { $0.utf8.elementsEqual(token.text.utf8) } ?? false
    let serves = !isRejected && (known.map { self.serves($0, request.wanted) } ?? false)
    guard account.provider.canRefresh else {
      guard !isRejected, let known else { throw oneTokenOver(account, isRejected: isRejected) }
      if account.provider.kind == .static { remind(of: row, known) }
      return grant(token, known, row, request)
    }
    // A refused token is of no use: nothing is lost by another try.
    let resumed = isRejected ? try intentWithoutPause(of: row) : nil
    let earlier = if let resumed { resumed } else { try intent(of: row) }
    let waits = try mustWait(earlier, row)
    if let known, serves, waits || !isDue(known) { return grant(token, known, row, request) }
    try demandRetryAfter(earlier, of: row)
    do throws(VaultFailure) {
      return try await exchangeOneToken(token, account, after: earlier, request, slot)
    } catch {
      // The known token is still valid. A missing endpoint becomes known at its end.
      guard serves, let known, error.leavesToken,
        try self.account(withIdentifier: row.id).generation == row.generation
      else { throw error }
      return grant(token, known, row, request)
    }
  }

  private func exchangeOneToken(
    _ token: SharedSecret,
    _ account: AccountContext,
    after earlier: IntentRow?,
    _ request: RefreshRequest,
    _ slot: consuming SlotFile
  ) async throws(VaultFailure) -> AccessGrant {
    let answer = try await send(
      token,
      OutgoingRefresh(
        account: account,
        asked: .standard,
        earlier: earlier,
        method: request.authority.method,
        caller: request.caller,
        reason: request.reason
      ),
      slot,
      by: await exchange.exchangeHelper()
    )
    let fresh = tokens(in: answer, account.provider)?.refreshToken
    try settle(answer, caller: request.caller)
    let refreshed = try self.account(withIdentifier: account.row.id)
    guard let row = try self.token(of: refreshed), timeLeft(of: row) > 0 else {
      throw .expiredOnArrival
    }
    return grant(fresh ?? token, row, refreshed, request)
  }

  private func grant(
    _ token: SharedSecret,
    _ row: AccessTokenRow,
    _ account: AccountRow,
    _ request: RefreshRequest
  ) -> AccessGrant {
    AccessGrant(
      account.name,
      row,
      isShorterThanRequested: timeLeft(of: row) < request.wanted,
      token: token.text,
      opened: OpenedToken(
        account: account.id,
        generation: account.generation,
        method: request.authority.method
      )
    )
  }

  /// Drops a sealed token that the provider refused, unless the account has another one by now.
  ///
  /// The next call exchanges it, or reports that a login is required.
  func discard(_ refused: OpenedToken, caller: Caller) throws(VaultFailure) {
    let account = try account(withIdentifier: refused.account)
    guard account.generation == refused.generation else { return }
    try change {
      try store.deleteAccessToken(account: account.id, scopeSet: "")
      try record(.rejected, .done, account, by: caller)
    }
  }

  /// Records that a caller gets the sealed token.
  ///
  /// If that cannot be recorded, the caller does not get it.
  ///
  /// Each call with a presence check gets its own record. A program can make any number of other
  /// calls. Some of these are only counted in a later record, because a flood would displace the
  /// history.
  func recordOpened(_ grant: AccessGrant, _ call: TokenCall) throws(VaultFailure) {
    guard let opened = grant.opened else { return }
    let account = try account(withIdentifier: opened.account)
    let isChecked = PresenceMethod.allCases.contains { $0.rawValue == opened.method }
    guard isChecked || takeOpeningRecord(of: account.id) else { return }
    let before = openingsWithoutRecord(of: account.id)
    try change {
      try record(
        .release,
        .done,
        account,
        by: call.caller,
        method: opened.method,
        detail: Self.detail(
          "as the access token" + (before == 0 ? "" : ", and \(before) times before"),
          reason: call.reason,
          call.caller
        )
      )
    }
    noteOpeningsRecorded(of: account.id)
  }

  /// Starts the exchange of a token that is due, if that needs no presence check.
  func startOneTokenAhead(
    _ account: AccountContext,
    _ engine: Caller
  ) throws(VaultFailure) -> RefreshTask? {
    let known = account.row
    guard let token = try token(of: known), token.isSealed, account.provider.canRefresh,
      isDue(token), timeLeft(of: token) > 0, try !mustWait(try intent(of: known), known),
      let authority = try authorityAhead(for: known, engine)
    else { return nil }
    return startRefresh(
      RefreshRequest(
        account: account,
        asked: .standard,
        wanted: timeLeft(of: token) + 1,
        authority: authority,
        caller: engine,
        use: OneTokenUse()
      )
    )
  }

  /// The warnings about a provider that gives one token, for `provider test`.
  func oneTokenWarnings(_ provider: Provider) -> [String] {
    guard provider.hasOneToken else { return [] }
    guard provider.kind != .static else {
      return ["has no login: its accounts keep a secret, which is sealed and opened for each call"]
    }
    return [
      "gives one token, as its file says: each call opens the sealed token, and "
        + (provider.canRefresh
          ? "it is exchanged in its last hour, or in the last half of a life under two hours"
          : "at its end a login is required")
    ]
  }

  // MARK: - Time

  /// Seconds until the token ends, without limit if the provider did not say.
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

  /// Whether the provider must not be asked now.
  private func mustWait(_ intent: IntentRow?, _ account: AccountRow) throws(VaultFailure) -> Bool {
    do throws(VaultFailure) {
      try demandRetryAfter(intent, of: account)
      return false
    } catch {
      guard error.isTemporary else { throw error }
      return true
    }
  }

  private func oneTokenOver(_ account: AccountContext, isRejected: Bool = false) -> VaultFailure {
    let refused =
      account.provider.kind == .static
      ? "its secret is refused" : "its token is refused, and the provider does not exchange it"
    let why = isRejected ? refused : Self.oneTokenEnded(account.provider)
    return .loginRequired(account: account.row.name, message: why)
  }
}

extension VaultFailure {
  /// Whether the token may still be valid after a failed exchange.
  fileprivate var leavesToken: Bool {
    if case .misconfigured = self { true } else { isTemporary }
  }
}

extension AccessTokenRow {
  /// Stands for a token that is only in the sealed box; no token has a space (RFC 6750, section
  /// 2.1).
  static let sealed = " "

  /// Whether the token is only in the sealed box.
  var isSealed: Bool { token == Self.sealed }
}
