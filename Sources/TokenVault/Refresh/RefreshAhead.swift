internal import Configuration
internal import Cryptography
internal import OAuth
internal import Storage
internal import System

/// Identifies one access token: its account, and its set of scopes and audience.
struct TokenCacheKey: Hashable {
  let account: [UInt8]
  let scopeSet: String
}

extension TokenCacheKey {
  init(_ row: AccessTokenRow) { self.init(account: row.account, scopeSet: row.scopeSet) }
}

// Tokens that are in use are refreshed before they expire, so that no caller has to wait. The
// engine does it without a presence check. It is a convenience: if it is not possible, the next
// request does it. It extends no unlock window and does not keep the engine running. If the engine
// leaves in the middle, the exchange helper is an orphan like any other.
extension Vault {
  /// How long before its end a token is refreshed, in seconds.
  static let aheadTime: Int64 = 5 * 60
  /// The greatest delay, in seconds, which differs for each token.
  ///
  /// So accounts that were signed in together do not ask their provider in the same second.
  static let aheadJitter: Int64 = 60
  /// A token that lives no longer than this is not refreshed ahead, in seconds.
  static let leastLifetimeAhead: Int64 = 10 * 60

  /// Refreshes what is about to expire; the server calls it each minute.
  ///
  /// - Returns: when all started refreshes have ended.
  package func refreshAhead() async {
    // A suspend or a set clock may have ended a token or a window: let the watchers look.
    wakeWatchers()
    guard freshness == .current, let rows = try? accounts() else { return }
    var begun: [RefreshTask] = []
    for account in rows {
      guard let refreshTask = try? startRefreshAhead(account) else { continue }
      begun.append(refreshTask)
    }
    for refreshTask in begun { _ = await refreshTask.task.value }
  }

  /// Starts a refresh of one token of the account that is due; the next starts in a minute.
  private func startRefreshAhead(_ account: AccountRow) throws(VaultFailure) -> RefreshTask? {
    guard account.state == .signedIn, refreshes.refresh(of: account.id) == nil,
      !refreshes.isEntered(account.id), !refreshes.failed.contains(account.id)
    else { return nil }
    let context = try context(of: account)
    let engine = Caller.engine(owner)
    if context.provider.hasOneToken { return try startOneTokenAhead(context, engine) }
    guard try intent(of: account) == nil else { return nil }
    for row in try tokens(of: account)
    where isDue(row) && isUsed(row, account) || isDueForWatcher(row, account) {
      guard let asked = ScopeRequest(key: row.scopeSet), let left = secondsLeft(of: row),
        mayAskAhead(asked, account),
        let authority = try authorityAhead(for: account, engine)
      else { continue }
      // If a refresh would end the tokens that callers have, they keep them until their end.
      guard context.provider.oauth?.refreshEndsAccessTokens != true else { return nil }
      return startRefresh(
        RefreshRequest(
          account: context,
          asked: asked,
          wanted: left + 1,
          authority: authority,
          caller: engine
        )
      )
    }
    return nil
  }

  /// Whether no consent is missing: a refresh without a caller must not narrow the login.
  private func mayAskAhead(_ asked: ScopeRequest, _ account: AccountRow) -> Bool {
    (try? demandConsent(to: asked, account)) != nil
  }

  private func isDue(_ row: AccessTokenRow) -> Bool {
    guard let left = secondsLeft(of: row), livesLongEnough(row) else { return false }
    return left > 0 && left <= Self.aheadTime - jitter(of: row)
  }

  /// Whether the token is due by the time that a watcher of the account wants.
  ///
  /// For watchers the usual token counts as used, even if it has ended since, as in a suspend.
  private func isDueForWatcher(_ row: AccessTokenRow, _ account: AccountRow) -> Bool {
    guard row.scopeSet.isEmpty, let end = row.expiresAt, let left = secondsLeft(of: row),
      livesLongEnough(row), let wanted = watchersMeasure(for: account)
    else { return false }
    let measure = min(wanted, (end - row.storedAt) / 2)
    // Tokens are examined once a minute, so the shortest time leaves no room for a delay.
    return left <= measure - min(jitter(of: row), max(0, measure - Self.leastMeasure))
  }

  private func livesLongEnough(_ row: AccessTokenRow) -> Bool {
    row.expiresAt.map { $0 - row.storedAt > Self.leastLifetimeAhead } ?? false
  }

  /// The delay of a token: always the same for one token, and different for each.
  private func jitter(of row: AccessTokenRow) -> Int64 {
    let seed =
      row.account + Array(row.scopeSet.utf8) + littleEndian(row.storedAt)
    guard let digest = try? sha256(seed) else { return 0 }
    return (Int64(digest[0]) << 8 | Int64(digest[1])) % Self.aheadJitter
  }

  // MARK: - Use

  /// Forgets what is in memory about the tokens of an account whose login has ended.
  func forgetTokens(of account: [UInt8]) {
    forgetHandedOut(of: account)
    refreshes.forget(account)
  }

  /// Whether the token was handed out since it was stored.
  ///
  /// The engine hands out all tokens, and the front the usual one from its file.
  private func isUsed(_ row: AccessTokenRow, _ account: AccountRow) -> Bool {
    if isHandedOut(row) { return true }
    guard row.scopeSet.isEmpty else { return false }
    return (try? TokenFiles.wasRead(account: account.name, in: directory)) == true
  }
}
