internal import Cryptography
internal import Presence
internal import Storage
internal import System

/// The shortest time that a token is handed out with, in seconds.
let leastLifetime: Int64 = 10
/// What a token without a stated lifetime is taken to live, in seconds.
let assumedLifetime: Int64 = 300

extension Vault {
  /// A valid access token.
  ///
  /// What is stored is handed out without a check, a key or the network. Else one refresh serves
  /// all who ask at that time, and they share its failure too.
  ///
  /// - Parameters:
  ///   - name: the account; nil where there is only one.
  ///   - minimumLifetime: in seconds. A provider that gives less is answered from, with a flag.
  ///   - rejected: an access token that a server refused; nothing happens if a newer one is stored.
  ///   - scope: scopes, apart by spaces; nil: the usual ones.
  ///   - audience: whom the token is for; nil: the usual audience.
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
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> AccessGrant {
    try demandCurrentStore()
    guard (minimumLifetime ?? 0) >= 0, (minimumLifetime ?? 0) <= 366 * 24 * 3600 else {
      throw .invalidArgument("the minimum lifetime must be between 0 seconds and a year")
    }
    guard scope == nil, audience == nil else {
      throw .invalidArgument("scopes and audiences are for OAuth providers")
    }
    let wanted = max(leastLifetime, minimumLifetime ?? leastLifetime)
    // A kill may have left the front without it.
    if name == nil { writeDefaultAccount() }
    var prompt = prompt
    while true {
      let account = try self.account(named: name)
      if let rejected { try discard(rejected, of: account, caller: caller) }
      if let grant = try storedGrant(of: account, wanted: wanted) {
        if let prompt { cancel(prompt, caller: caller) }
        return grant
      }
      if let flight = flights[account.id] {
        if let prompt { cancel(prompt, caller: caller) }
        return try await share(flight, wanted: wanted)
      }
      // An exchange that outlived its engine may have brought a token already: no question then.
      if try intent(of: account) != nil {
        try await finishInterrupted(account)
        if let grant = try storedGrant(of: try self.account(named: name), wanted: wanted) {
          if let prompt { cancel(prompt, caller: caller) }
          return grant
        }
      }
      let current = try self.account(named: name)
      guard current.id == account.id, flights[account.id] == nil else { continue }
      try mayRefresh(current)
      let question = PromptQuestion(user: caller.user, purpose: .refresh, account: current.id)
      if let given = prompt, try await waitForLeader(of: given, question, caller) {
        prompt = nil
        continue
      }
      // No wait between the look at the flights and the one that is begun.
      guard let authority = try authority(for: current, prompt: prompt, caller: caller) else {
        throw try await askForPresence(question, account: current.name, caller: caller)
      }
      let flight = Task {
        await self.fly(current.id, wanted: wanted, authority: authority, caller: caller)
      }
      flights[current.id] = flight
      return try await share(flight, wanted: wanted)
    }
  }

  /// The stored token, if it may be handed out; its file is stamped anew if it differs.
  ///
  /// With `wanted` nil it came just now, and is the best there is.
  func storedGrant(of account: AccountRow, wanted: Int64?) throws(VaultFailure) -> AccessGrant? {
    guard account.state != .signedOut, let row = try token(of: account) else { return nil }
    guard let left = secondsLeft(of: row) else { return nil }
    guard let wanted else {
      guard left > 0 else { return nil }
      writeTokenFile(of: account, row)
      return AccessGrant(account, row, isShorterThanRequested: left < leastLifetime)
    }
    guard left >= leastLifetime else { return nil }
    let issued = max(0, (row.expiresAt ?? row.storedAt + assumedLifetime) - row.storedAt)
    // A provider that never gives as much as is asked for is not asked again and again.
    let isBest = issued < wanted && left >= issued / 2
    guard left >= wanted || isBest else { return nil }
    writeTokenFile(of: account, row)
    return AccessGrant(account, row, isShorterThanRequested: left < wanted)
  }

  /// Seconds until a stored token expires; nil where the clock stands before the time of storing
  /// and so cannot tell.
  func secondsLeft(of row: AccessTokenRow) -> Int64? {
    let now = clock.wall.seconds
    guard now >= row.storedAt else { return nil }
    return (row.expiresAt ?? row.storedAt + assumedLifetime) - now
  }

  private func share(
    _ flight: Task<Result<AccessGrant, VaultFailure>, Never>,
    wanted: Int64
  ) async throws(VaultFailure) -> AccessGrant {
    let grant = try await flight.value.get()
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

  private func fly(
    _ account: [UInt8],
    wanted: Int64,
    authority: Authority,
    caller: Caller
  ) async -> Result<AccessGrant, VaultFailure> {
    let result: Result<AccessGrant, VaultFailure>
    do throws(VaultFailure) {
      result = .success(
        try await refresh(account, wanted: wanted, authority: authority, caller: caller)
      )
    } catch {
      result = .failure(error)
    }
    flights[account] = nil
    return result
  }

  /// Drops the stored token if it is the one that a server refused.
  ///
  /// Its file goes first: the front must not hand it out after the row is gone.
  private func discard(
    _ rejected: String,
    of account: AccountRow,
    caller: Caller
  ) throws(VaultFailure) {
    guard let row = try token(of: account), row.token == rejected else { return }
    try removeTokenFile(of: account.name)
    try change { () throws(VaultFailure) in
      try stored { () throws(StorageError) in try self.store.deleteAccessTokens(account: account.id)
      }
      try record(AuditEntry(.rejected, .done, account: account, caller: caller))
    }
  }

  func token(of account: AccountRow) throws(VaultFailure) -> AccessTokenRow? {
    try stored { () throws(StorageError) in
      try self.store.accessToken(account: account.id, scopeSet: "")
    }
  }

  /// Refuses before anyone is asked for a finger, where a refresh could not be made anyway.
  private func mayRefresh(_ account: AccountRow) throws(VaultFailure) {
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
    try demandPatience(try intent(of: account), of: account)
  }

  /// What entitles this call: no protection, the open window, or the prompt that it names; nil
  /// where somebody has to be asked.
  private func authority(
    for account: AccountRow,
    prompt: String?,
    caller: Caller
  ) throws(VaultFailure) -> Authority? {
    if let prompt, try protectionClass(of: account) == .presence {
      let question = PromptQuestion(user: caller.user, purpose: .refresh, account: account.id)
      return Authority(try spendable(prompt, question: question, caller: caller))
    }
    return try authorityWithoutAsking(for: account, caller, extending: true)
  }

  /// What entitles a call without a question to anyone: no protection, or the open window.
  func authorityWithoutAsking(
    for account: AccountRow,
    _ caller: Caller,
    extending: Bool
  ) throws(VaultFailure) -> Authority? {
    guard try protectionClass(of: account) == .presence else { return Authority() }
    let proof = window?.proof(
      account: account.id,
      connection: caller.connection,
      at: clock.boot,
      extending: extending
    )
    guard let proof else { return nil }
    return Authority(proof)
  }
}

extension AccessGrant {
  init(_ account: AccountRow, _ row: AccessTokenRow, isShorterThanRequested: Bool) {
    self.init(
      account: account.name,
      accessToken: row.token,
      tokenType: row.tokenType,
      expiresAt: row.expiresAt,
      isShorterThanRequested: isShorterThanRequested,
      scope: nil
    )
  }
}
