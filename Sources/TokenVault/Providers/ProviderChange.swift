public import Configuration
internal import Cryptography
internal import Presence
internal import Storage

extension Vault {
  /// Where an account signs in: as it is bound to its tokens, whatever files say today.
  public func boundProvider(
    account name: String?
  ) throws(VaultFailure) -> (account: String, provider: Provider) {
    let account = try account(named: name)
    return (account.name, try provider(of: account))
  }

  /// Brings another provider to an account: its refresh token goes there from now on.
  ///
  /// What the provider's metadata says by now is filled in first, as at a login, so that endpoints
  /// may have moved though nothing else has. The token is sealed anew,
  /// as the next generation: a box of before, put back beside a provider of before, is older than the
  /// vault. Access tokens of before are dropped, and the refresh token is sent nowhere.
  ///
  /// - Parameters:
  ///   - written: the whole provider, as a person wrote it.
  ///   - name: the account.
  ///   - prompt: a check passed by password, for this account and this very provider.
  ///   - caller: who asks.
  /// - Returns: the account as it is now.
  /// - Throws: `presenceNeeded`, whose detail tells what changes; `providerUnavailable` while the
  ///   answer to a refresh is lost; `refused` for a provider of another kind.
  public func applyProvider(
    _ written: Provider,
    account name: String,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandSameKind(written, as: try self.account(named: name))
    // What is bound is what a login would bind: with the endpoints that the provider tells. They are
    // asked for anew, but not between the question and what was agreed to.
    let provider = try await usable(written, isAskedAnew: prompt == nil)
    let account = try account(named: name)
    guard try differs(provider, from: account) else {
      if let prompt { cancel(prompt, caller: caller) }
      return try facts(of: account, at: await placeOfWindow(caller))
    }
    try mayApply(provider, to: account)
    let question = try question(provider, account, caller)
    guard let prompt else {
      throw try await askForPresence(question, account: account.name, caller: caller)
    }
    let authority = Authority(try spendable(prompt, question: question, caller: caller))
    let changed = try await withAccount(account.id) { row throws(VaultFailure) in
      // What was shown is what happens: a login meanwhile brought another provider along.
      guard try self.question(provider, row, caller) == question else {
        throw .presenceFailed(.denied("the account has changed meanwhile: ask again"), methods: [])
      }
      try mayApply(provider, to: row)
      try apply(provider, to: row, authority, caller)
      return try self.account(withIdentifier: row.id)
    }
    return try facts(of: changed, at: await placeOfWindow(caller))
  }

  private func differs(
    _ provider: Provider,
    from account: AccountRow
  ) throws(VaultFailure) -> Bool {
    // By its record alone: one that was edited is refused, and not taken for the same.
    try self.provider(of: account) != provider
  }

  private func demandSameKind(
    _ provider: Provider,
    as account: AccountRow
  ) throws(VaultFailure) {
    let bound = try self.provider(of: account)
    guard bound.kind == provider.kind else {
      throw .refused(
        "\(account.name) signs in at a provider of the kind \(bound.kind.rawValue), and its token is"
          + " of no use at one of the kind \(provider.kind.rawValue): sign in again"
      )
    }
    guard account.sealedRefreshToken != nil else {
      throw .loginRequired(account: account.name, message: "signed out")
    }
  }

  private func mayApply(_ provider: Provider, to account: AccountRow) throws(VaultFailure) {
    try demandSameKind(provider, as: account)
    guard let intent = try intent(of: account) else { return }
    // The answer, or the token that may have to be sent again, is between the old provider and us.
    throw .providerUnavailable(
      "the last refresh of \(account.name) has not been settled with its provider: refresh it first",
      retryAfter: try retryWait(intent, of: account)
    )
  }

  /// What the person allows: this account, from the provider that it has to this one.
  private func question(
    _ provider: Provider,
    _ account: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) -> PromptQuestion {
    let bound = try self.provider(of: account)
    return PromptQuestion(
      user: caller.user,
      purpose: .applyProvider,
      account: account.id,
      detail: try shownChange(from: bound, to: provider),
      binding: try digest(account.binding + (try bindingOf(provider, exportable: false)))
    )
  }

  /// The keys that say where tokens go, whom they are for, and how a server is known there: the
  /// most important first.
  private static let places =
    ["token_endpoint", Provider.Endpoint.refresh.key]
    + OAuthEndpoint.allCases.map(\.key).filter { $0 != "token_endpoint" }
    + Provider.Endpoint.allCases.filter { $0 != .refresh }.map(\.key)
    + [
      "discovery_url", "api_hosts", "proxy", "loopback_users", "ca", "pins", "client_id",
      "audience", "resource",
    ]

  /// What changes: a place by what it was and is, everything else by its key.
  nonisolated func shownChange(
    from old: Provider,
    to new: Provider
  ) throws(VaultFailure) -> String {
    var lines = [
      old.issuer == new.issuer
        ? "issuer \(old.issuer.text)" : "issuer \(old.issuer.text) → \(new.issuer.text)"
    ]
    if old.name != new.name { lines.append("\(old.name.text) → \(new.name.text)") }
    let (before, after) = (old.settings, new.settings)
    let changed = new.keys(differingFrom: old)
    for key in Self.places where changed.contains(key) {
      lines.append("\(key) \(try place(key, before)) → \(try place(key, after))")
    }
    let rest = changed.subtracting(Self.places + ["issuer"]).sorted()
    if !rest.isEmpty { lines.append("changed: " + rest.joined(separator: ", ")) }
    return lines.joined(separator: "; ")
  }

  /// A place as it is shown: certificates, which nobody could read, by their digest.
  private nonisolated func place(
    _ key: String,
    _ settings: [String: String]
  ) throws(VaultFailure) -> String {
    guard let value = settings[key] else { return "(none)" }
    guard key == "ca" else { return value }
    return "(SHA-256 \(hexadecimal(try digest(Array(value.utf8)))))"
  }

  private func apply(
    _ provider: Provider,
    to account: AccountRow,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) {
    let bound = try self.provider(of: account)
    let token = try openRefreshToken(
      of: account,
      authority: authority,
      use: Use(purpose: .applyProvider, caller: caller)
    )
    let (next, overflow) = account.generation.addingReportingOverflow(1)
    guard !overflow else { throw .vaultUnsafe("the generation is used up", hint: nil) }
    var row = account
    try bind(&row, to: provider, exportable: account.exportable)
    row.generation = next
    row.sealedRefreshToken = try seal(
      token,
      for: row,
      protection: try protectionClass(of: row),
      generation: next
    )
    let changed = row
    // The front must not hand out a token of the old provider after the commit.
    try removeTokenFile(of: account.name)
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.update(changed)
        try self.store.deleteAccessTokens(account: changed.id)
      }
      // Whether the new one replaces refresh tokens is not known.
      try self.forgetSteadiness(of: changed.id)
      try self.countBoxChange()
      try self.record(
        AuditEntry(
          .providerApplied,
          .done,
          account: changed,
          caller: caller,
          method: authority.method,
          detail: try shownChange(from: bound, to: provider)
        )
      )
    }
    forgetTokens(of: changed.id)
    try raiseMark()
    try stored { () throws(StorageError) in try self.store.checkpoint() }
  }
}
