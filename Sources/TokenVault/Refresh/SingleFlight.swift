internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// A refresh that is under way, and what it was asked for.
///
/// One account has one at a time. Who asks for the same shares its outcome, the failure too.
struct RefreshTask {
  let asked: ScopeRequest
  let task: Task<Result<AccessGrant, VaultFailure>, Never>
  /// Whether it opens the one token of a provider, which only its own caller gets.
  let isOfOneToken: Bool
}

extension Vault {
  /// The longest lifetime that may be asked for, in seconds.
  static let longestWish: Int64 = 366 * 24 * 3600

  /// A valid access token.
  ///
  /// What is stored is handed out without a check, a key or the network. Else one refresh serves
  /// all who ask for the same at that time, and they share its failure too; who asks for other
  /// scopes of the account waits for its end, and then makes a request of his own.
  ///
  /// - Parameters:
  ///   - name: the account; `nil` if there is only one.
  ///   - minimumLifetime: in seconds. A provider that gives less is answered from, with a flag.
  ///   - rejected: an access token that a server refused; nothing happens if a newer one is stored.
  ///   - scope: scopes, separated by spaces; nil: the usual ones.
  ///   - audience: whom the token is for; nil: the usual audience.
  ///   - consent: to the risk that a token for fewer scopes narrows the login.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: who asks.
  /// - Returns: the token; nobody but this caller sees it.
  /// - Throws: `presenceNeeded` with a prompt, `loginRequired`, `providerUnavailable`, and what the
  ///   store cannot do.
  public func accessToken(
    account name: String?,
    minimumLifetime: Int64?,
    rejected: String?,
    scope: String? = nil,
    audience: String? = nil,
    consent: NarrowingConsent = .notGiven,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> AccessGrant {
    let (grant, token) = try await grantedToken(
      account: name,
      minimumLifetime: minimumLifetime,
      rejected: rejected,
      scope: scope,
      audience: audience,
      consent: consent,
      prompt: prompt,
      caller: caller
    )
    try recordOpened(grant, caller)
    return telling(grant, token)
  }

  /// The same, for the engine itself: a caller has yet to be told of scopes that are missing.
  func grantedToken(
    account name: String?,
    minimumLifetime: Int64?,
    rejected: String?,
    scope: String? = nil,
    audience: String? = nil,
    consent: NarrowingConsent = .notGiven,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (AccessGrant, TokenCacheKey) {
    try demandCurrentStore()
    guard (minimumLifetime ?? 0) >= 0, (minimumLifetime ?? 0) <= Self.longestWish else {
      throw .invalidArgument("the minimum lifetime must be between 0 seconds and a year")
    }
    let wanted = max(leastLifetime, minimumLifetime ?? leastLifetime)
    // A kill may have left the front without it.
    if name == nil { writeDefaultAccount() }
    var prompt = prompt
    var location: CallerLocation?
    while true {
      let account = try self.account(named: name)
      let asked = try request(scope, audience, of: account)
      let token = TokenCacheKey(account: account.id, scopeSet: asked.key)
      if let rejected { try discard(rejected, of: account, caller: caller) }
      if let grant = try storedGrant(of: account, asked, wanted: wanted) {
        if let prompt { cancel(prompt, caller: caller) }
        return (grant, token)
      }
      let isOneToken = isOneToken(account)
      if let refreshTask = refreshTasks[account.id] {
        guard refreshTask.asked == asked, !isOneToken, !refreshTask.isOfOneToken else {
          // What becomes of that is another's; the refresh token is free, or in doubt, afterwards.
          _ = await refreshTask.task.value
          location = nil
          continue
        }
        if let prompt { cancel(prompt, caller: caller) }
        return (try await share(refreshTask.task, wanted: wanted), token)
      }
      // An exchange that outlived its engine may have brought a token already, or one waits for the
      // provider's keys: no question then.
      if try intent(of: account) != nil || uncheckedTokens[account.id] != nil {
        try await finishInterrupted(account)
        if let grant = try storedGrant(of: try self.account(named: name), asked, wanted: wanted) {
          if let prompt { cancel(prompt, caller: caller) }
          return (grant, token)
        }
      }
      let current = try self.account(named: name)
      guard current.id == account.id, refreshTasks[account.id] == nil else { continue }
      if isOneToken {
        try mayUseOneToken(current, wanted: wanted)
      } else {
        try mayRefresh(current)
        if consent == .notGiven { try demandConsent(to: asked, current) }
      }
      if try self.token(of: current, asked.key) == nil, !asked.key.isEmpty { try demandRoom() }
      // What comes first takes about as long: a commit, or a person's touch.
      if !isOneToken { exchange.prepare() }
      let question = PromptQuestion(
        user: caller.user,
        purpose: .refresh,
        account: current.id,
        detail: asked.shown
      )
      if let given = prompt, try await waitForLeader(of: given, question, caller) {
        prompt = nil
        continue
      }
      // A window counts where the caller sits now.
      if prompt == nil, location == nil, try isCoveredByWindow(current) {
        location = await self.location(of: caller)
        continue
      }
      // No wait between the look at the refresh tasks and the one that is begun.
      guard let authority = try authority(for: current, question, prompt, caller, at: location)
      else {
        throw try await askForPresence(question, account: current.name, caller: caller)
      }
      if consent == .untilNextLogin { try noteConsent(to: asked, current) }
      let use = isOneToken ? OneTokenUse(rejected: rejected) : nil
      let refreshTask = startRefresh(current.id, asked, wanted: wanted, authority, caller, use)
      if isOneToken { return (try await refreshTask.task.value.get(), token) }
      return (try await share(refreshTask.task, wanted: wanted), token)
    }
  }

  /// Begins a refresh; none of the account may be under way.
  func startRefresh(
    _ account: [UInt8],
    _ asked: ScopeRequest,
    wanted: Int64,
    _ authority: Authority,
    _ caller: Caller,
    _ use: OneTokenUse? = nil
  ) -> RefreshTask {
    let refreshTask = RefreshTask(
      asked: asked,
      task: Task {
        let result: Result<AccessGrant, VaultFailure>
        do throws(VaultFailure) {
          result = .success(
            try await self.refresh(
              account,
              asked,
              wanted: wanted,
              authority: authority,
              caller: caller,
              use: use
            )
          )
        } catch {
          result = .failure(error)
        }
        self.finishRefresh(account, result, isOfOneToken: use != nil)
        return result
      },
      isOfOneToken: use != nil
    )
    refreshTasks[account] = refreshTask
    return refreshTask
  }

  private func finishRefresh(
    _ account: [UInt8],
    _ result: Result<AccessGrant, VaultFailure>,
    isOfOneToken: Bool
  ) {
    refreshTasks[account] = nil
    // A token that nothing else renews is tried again while it lives.
    if case .failure(let failure) = result, !isOfOneToken || !failure.isOfTheMoment {
      failing.insert(account)
    }
    // For the next one, when nothing of this one is left to do.
    if !isOfOneToken { exchange.prepareLater() }
    // It is refreshing no more, whatever was written down before.
    wakeWatchers()
  }

  private func share(
    _ refreshTask: Task<Result<AccessGrant, VaultFailure>, Never>,
    wanted: Int64
  ) async throws(VaultFailure) -> AccessGrant {
    let grant = try await refreshTask.value.get()
    let left = grant.expiresAt.map { $0 - clock.wall.seconds } ?? assumedLifetime
    return AccessGrant(
      account: grant.account,
      accessToken: grant.accessToken,
      tokenType: grant.tokenType,
      expiresAt: grant.expiresAt,
      isShorterThanRequested: left < wanted,
      scope: grant.scope
    )
  }

  /// Refuses before anyone is asked for a finger, where a refresh could not be made anyway.
  func mayRefresh(_ account: AccountRow) throws(VaultFailure) {
    switch account.state {
    case .signedOut:
      throw .loginRequired(account: account.name, message: "signed out")
    case .loginRequired:
      throw .loginRequired(
        account: account.name,
        message: account.cause ?? "its grant has ended"
      )
    case .signedIn: break
    }
    try demandRetryAfter(try intent(of: account), of: account)
  }

  /// What entitles this call: no protection, the open window, or the prompt that it names; nil
  /// where somebody has to be asked.
  private func authority(
    for account: AccountRow,
    _ question: PromptQuestion,
    _ prompt: String?,
    _ caller: Caller,
    at location: CallerLocation?
  ) throws(VaultFailure) -> Authority? {
    if let prompt, try protectionClass(of: account) == .presence {
      return Authority(try spendable(prompt, question: question, caller: caller))
    }
    return try authorityWithoutAsking(for: account, caller, at: location, extending: true)
  }

  /// What entitles a call without a question to anyone: no protection, or the window that is open
  /// where the caller sits.
  func authorityWithoutAsking(
    for account: AccountRow,
    _ caller: Caller,
    at location: CallerLocation?,
    extending: Bool
  ) throws(VaultFailure) -> Authority? {
    guard try protectionClass(of: account) == .presence else { return Authority() }
    guard
      let location,
      let proof = windows.proof(
        at: location.name,
        account: account.id,
        connection: caller.connection,
        now: clock.boot,
        extending: extending
      )
    else { return nil }
    return Authority(proof)
  }

  private func isCoveredByWindow(_ account: AccountRow) throws(VaultFailure) -> Bool {
    try protectionClass(of: account) == .presence
      && windows.isAnyOpen(for: account.id, now: clock.boot)
  }

  /// What entitles the engine to refresh ahead: no protection, or an open window of the user.
  func authorityAhead(
    for account: AccountRow,
    _ engine: Caller
  ) throws(VaultFailure) -> Authority? {
    guard try protectionClass(of: account) == .presence else { return Authority() }
    let proof = windows.proofAhead(
      account: account.id,
      connection: engine.connection,
      now: clock.boot
    )
    guard let proof else { return nil }
    return Authority(proof)
  }
}
