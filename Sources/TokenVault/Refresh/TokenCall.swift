internal import Configuration
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// A call for an access token.
struct TokenCall: Sendable {
  /// The account; `nil` for the default.
  var account: String?
  /// In seconds.
  var minimumLifetime: Int64?
  /// An access token that a server refused.
  var rejected: String?
  /// A stored access token that does not serve this call, and is kept until a newer one is stored.
  var doubted: String?
  var scope: String?
  var audience: String?
  var consent = NarrowingConsent.notGiven
  /// A passed presence check to spend.
  var prompt: String?
  /// Why the program says that it asks, not verified.
  var reason: String?
  /// The tool that has run the caller; `nil` if the caller is no helper.
  var tool: Tool?
  var caller: Caller

  /// The question of its presence check.
  func question(about account: AccountRow, _ asked: ScopeRequest) -> PromptQuestion {
    caller.question(.refresh, about: account.id, detail: asked.shown, statedReason: reason)
  }
}

extension Vault {
  /// The longest lifetime that may be asked for, in seconds.
  static let longestWish: Int64 = 366 * 24 * 3600

  /// A valid access token.
  ///
  /// A stored token is handed out without a check, a key or the network. Otherwise one refresh
  /// serves all callers that ask for the same at that time, and they share its failure too. A
  /// caller that asks for other scopes of the account waits for its end, and then makes a request
  /// of its own.
  ///
  /// - Parameters:
  ///   - name: the account; `nil` for the default.
  ///   - minimumLifetime: in seconds. If the provider gives less, the token has a flag.
  ///   - rejected: an access token that a server refused; it is dropped unless a newer one is
  ///     stored.
  ///   - scope: the scopes, separated by spaces; `nil` for the usual ones.
  ///   - audience: the audience of the token; `nil` for the usual one.
  ///   - consent: to the risk that a token for fewer scopes narrows the login.
  ///   - prompt: a passed presence check to spend.
  ///   - reason: what the caller says that it needs the token for, at most 200 characters.
  ///   - tool: the tool whose helper the caller is; `nil` for another program.
  ///   - caller: the caller that gets the token.
  /// - Returns: the token.
  /// - Throws: `presenceNeeded` with a prompt, `loginRequired`, `providerUnavailable`,
  ///   `outsideRule`, and failures of the store.
  package func accessToken(
    account name: String?,
    minimumLifetime: Int64?,
    rejected: String?,
    scope: String? = nil,
    audience: String? = nil,
    consent: NarrowingConsent = .notGiven,
    prompt: String?,
    reason: String? = nil,
    tool: Tool? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccessGrant {
    var call = TokenCall(
      account: name,
      minimumLifetime: minimumLifetime,
      rejected: rejected,
      scope: scope,
      audience: audience,
      consent: consent,
      prompt: prompt,
      reason: try Self.stated(reason),
      tool: tool,
      caller: caller
    )
    try apply(caller.rule, to: &call)
    do throws(VaultFailure) {
      let (grant, token) =
        caller.needsOwnCheck ? try await checkedToken(call) : try await helperToken(call)
      try demand(grant, within: caller.rule)
      try recordReason(grant, call)
      try recordOpened(grant, call)
      return telling(grant, token)
    } catch {
      giveBackRates(of: caller.rule)
      throw error
    }
  }

  /// The same for the engine itself: a caller has yet to be told of missing scopes.
  func grantedToken(_ call: TokenCall) async throws(VaultFailure) -> (AccessGrant, TokenCacheKey) {
    try demandCurrentStore()
    let wanted = try lifetime(call)
    // A kill may have left the front without it.
    if call.account == nil { writeDefaultAccount() }
    var call = call
    var location: CallerLocation?
    while true {
      let account = try account(named: call.account)
      let asked = try request(call.scope, call.audience, of: account)
      let token = TokenCacheKey(account: account.id, scopeSet: asked.key)
      if let rejected = call.rejected { try discard(rejected, of: account, caller: call.caller) }
      switch try await foundToken(of: account, asked, wanted, call) {
      case .grant(let grant): return (grant, token)
      case .changed:
        location = nil
        continue
      case .nothing: break
      }
      let current = try self.account(named: call.account)
      guard current.id == account.id, refreshes.refresh(of: account.id) == nil else { continue }
      let readable = try refreshable(current, asked, wanted, call.consent)
      let question = call.question(about: current, asked)
      if let prompt = call.prompt, try await waitForLeader(of: prompt, question, call.caller) {
        call.prompt = nil
        continue
      }
      // A window counts at the present location of the caller.
      if call.prompt == nil, location == nil, try isCoveredByWindow(current) {
        location = await self.location(of: call.caller)
        continue
      }
      // There is no wait between the look at the refresh tasks and the start of one.
      guard let authority = try authority(for: current, question, call, at: location) else {
        throw try await askForPresence(question, account: current.name, caller: call.caller)
      }
      let context = if let readable { readable } else { try self.context(of: current) }
      if call.consent == .untilNextLogin { try noteConsent(to: asked, current) }
      let isOneToken = context.provider.hasOneToken
      let refreshTask = startRefresh(
        RefreshRequest(
          account: context,
          asked: asked,
          wanted: wanted,
          authority: authority,
          caller: call.caller,
          reason: call.reason,
          doubted: call.doubted,
          use: isOneToken ? OneTokenUse(rejected: call.rejected) : nil
        )
      )
      if isOneToken { return (try await refreshTask.task.value.get(), token) }
      return (try await share(refreshTask.task, wanted: wanted), token)
    }
  }

  /// How long the token has to live, in seconds.
  func lifetime(_ call: TokenCall) throws(VaultFailure) -> Int64 {
    let minimum = call.minimumLifetime ?? leastLifetime
    guard minimum >= 0, minimum <= Self.longestWish else {
      throw .invalidArgument("the minimum lifetime must be between 0 seconds and a year")
    }
    return max(leastLifetime, minimum)
  }

  /// The state that a call finds before it starts its own refresh.
  private enum FoundToken {
    case grant(AccessGrant)
    /// Another refresh of the account has ended, which did not serve this call.
    case changed
    case nothing
  }

  private func foundToken(
    of account: AccountRow,
    _ asked: ScopeRequest,
    _ wanted: Int64,
    _ call: TokenCall
  ) async throws(VaultFailure) -> FoundToken {
    if let grant = try storedGrant(of: account, asked, wanted: wanted, besides: call.doubted) {
      giveUpPrompt(of: call)
      return .grant(grant)
    }
    if let refreshTask = refreshes.refresh(of: account.id) {
      guard refreshTask.asked == asked, !refreshTask.isOfOneToken, !isOneToken(account) else {
        // Its outcome is for another call. Afterwards the refresh token is free, or in doubt.
        _ = await refreshTask.task.value
        return .changed
      }
      giveUpPrompt(of: call)
      return .grant(try await share(refreshTask.task, wanted: wanted))
    }
    // An exchange that outlived its engine may have stored a token already, or a token waits for
    // the provider's keys. Then no person is asked.
    guard try intent(of: account) != nil || uncheckedToken(of: account.id) != nil else {
      return .nothing
    }
    try await finishInterrupted(account)
    let current = try self.account(named: call.account)
    guard
      let grant = try storedGrant(of: current, asked, wanted: wanted, besides: call.doubted)
    else { return .nothing }
    giveUpPrompt(of: call)
    return .grant(grant)
  }

  private func giveUpPrompt(of call: TokenCall) {
    if let prompt = call.prompt { cancel(prompt, caller: call.caller) }
  }

  /// Refuses before a person is asked, if no refresh could be made anyway.
  ///
  /// - Returns: the account; `nil` if its record cannot be read.
  func refreshable(
    _ account: AccountRow,
    _ asked: ScopeRequest,
    _ wanted: Int64,
    _ consent: NarrowingConsent
  ) throws(VaultFailure) -> AccountContext? {
    let context = try? context(of: account)
    if let context, context.provider.hasOneToken {
      try mayUseOneToken(context, wanted: wanted)
    } else {
      try mayRefresh(account)
      try demandConsent(to: asked, account, consent)
    }
    if try self.token(of: account, asked.key) == nil, !asked.key.isEmpty { try demandRoom() }
    // The next step takes about as long as the start of a helper: a commit, or a person's touch.
    if context?.provider.hasOneToken != true { exchange.prepare() }
    return context
  }
}
