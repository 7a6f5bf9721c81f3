internal import AuditLog
package import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import Storage

// The change of the provider that an account is bound to.
extension Vault {
  /// The provider that an account is bound to, whatever the provider files say today.
  package func boundProvider(
    account name: String?
  ) throws(VaultFailure) -> (account: String, provider: Provider) {
    let account = try account(named: name)
    return (account.name, try provider(of: account))
  }

  /// Binds an account to another provider: its refresh token goes there from now on.
  ///
  /// The provider's present metadata is filled in first, as at a sign-in, because endpoints may
  /// have moved even if nothing else has changed. The token is sealed again, as the next
  /// generation. So restoring the old box together with the old provider is detected as a rollback.
  /// Access tokens of the old provider are dropped. The refresh token is not sent anywhere. One
  /// token for all uses is both, and keeps its end.
  ///
  /// - Parameters:
  ///   - written: the whole provider, as the user wrote it.
  ///   - name: the account.
  ///   - prompt: a check passed by password, for this account and exactly this provider.
  ///   - caller: the caller that asks.
  /// - Returns: the account as it is now.
  /// - Throws: `presenceNeeded`, whose detail names the changes; `providerUnavailable` while the
  ///   answer to a refresh is lost; `refused` for a provider of another kind, and for other
  ///   addresses if no refresh token may leave the vault.
  package func applyProvider(
    _ written: Provider,
    account name: String,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandSameKind(written, as: try self.account(named: name))
    try demandAllowed(written)
    // Bind what a sign-in would bind: with the endpoints that the provider gives. They are read
    // again, but not between the question and the agreement to it.
    let provider = try await usable(written, isAskedAnew: prompt == nil)
    let account = try account(named: name)
    guard try differs(provider, from: account) else {
      if let prompt { cancel(prompt, caller: caller) }
      return try facts(of: account, at: await locationOfWindow(caller))
    }
    try mayApply(provider, to: account)
    let question = try question(provider, account, caller)
    let proof = try await proof(of: question, account: account.name, by: prompt, caller)
    let authority = Authority(proof)
    let changed = try await withAccount(account.id) { row throws(VaultFailure) in
      // Apply only the change that was shown: a sign-in since may have bound another provider.
      guard try self.question(provider, row, caller) == question else {
        throw .accountChanged
      }
      try mayApply(provider, to: row)
      try apply(provider, to: row, authority, caller)
      return try self.account(withIdentifier: row.id)
    }
    return try facts(of: changed, at: await locationOfWindow(caller))
  }

  private func differs(
    _ provider: Provider,
    from account: AccountRow
  ) throws(VaultFailure) -> Bool {
    // Compare only with the account's record: an edited record is refused, and does not count as
    // the same.
    try self.provider(of: account) != provider
  }

  private func demandSameKind(_ provider: Provider, as account: AccountRow) throws(VaultFailure) {
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
    try demandSameAddresses(provider, as: account)
    guard try isInDoubt(account), let intent = try intent(of: account) else { return }
    // The lost answer, or the token that may have to be sent again, belongs to the old provider.
    throw .providerUnavailable(
      "the last refresh of \(account.name) has not been settled with its provider: refresh it first",
      retryAfter: try retryWait(intent, of: account)
    )
  }

  /// The question for the person: this account, from its present provider to this one.
  private func question(
    _ provider: Provider,
    _ account: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) -> PromptQuestion {
    let bound = try self.provider(of: account)
    return caller.question(
      .applyProvider,
      about: account.id,
      detail: try shownChange(from: bound, to: provider),
      binding: try digest(account.binding + (try bindingOf(provider, exportable: false)))
    )
  }

  /// The keys that say where tokens go, for which audience, and how a server is identified there.
  ///
  /// The most important key is first.
  private static let addressKeys =
    ["token_endpoint", Provider.Endpoint.refresh.key]
    + OAuthEndpoint.allCases.map(\.key).filter { $0 != "token_endpoint" }
    + Provider.Endpoint.allCases.filter { $0 != .refresh }.map(\.key)
    + [
      "discovery_url", "api_hosts", "proxy", "loopback_users", "ca", "pins", "client_id",
      "audience", "resource",
    ]

  /// The keys that decide which server gets a refresh token.
  static let destinationKeys = Set(addressKeys + ["issuer"])
    .subtracting(["api_hosts", "client_id", "audience", "resource"])

  /// The changes as text: each of `addressKeys` with its old and new value, all other settings by
  /// their key.
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
    for key in Self.addressKeys where changed.contains(key) {
      lines.append("\(key) \(try address(key, before)) → \(try address(key, after))")
    }
    let rest = changed.subtracting(Self.addressKeys + ["issuer"]).sorted()
    if !rest.isEmpty { lines.append("changed: " + rest.joined(separator: ", ")) }
    return lines.joined(separator: "; ")
  }

  /// A value as it is shown: certificates by their digest, because a person could not read them.
  private nonisolated func address(
    _ key: String,
    _ settings: [String: String]
  ) throws(VaultFailure) -> String {
    guard let value = settings[key] else { return "(none)" }
    guard key == "ca" else { return value }
    return "(SHA-256 \(Hexadecimal.text(try digest(Array(value.utf8)))))"
  }

  private func apply(
    _ provider: Provider,
    to account: AccountRow,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) {
    let bound = try self.provider(of: account)
    let use = Use(purpose: .applyProvider, caller: caller)
    let token = try openRefreshToken(of: account, authority: authority, use: use)
    var row = account
    try bind(&row, to: provider, exportable: account.exportable)
    try sealNext(token, in: &row)
    let mark = bound.hasOneToken && provider.hasOneToken ? try self.token(of: account) : nil
    // After the commit the front must not hand out a token of the old provider.
    try removeTokenFile(of: account.name)
    try changeSealed(emptiesLog: true) {
      try store.update(row)
      try store.deleteAccessTokens(account: row.id)
      // The new settings may define the error of the last refresh as a dead token.
      try store.deleteIntent(account: row.id)
      // Without it, a token that is not exchanged would count as ended.
      if let mark, mark.isSealed { try keep(mark) }
      // It is not known whether the new provider replaces refresh tokens.
      try forgetSteadiness(of: row.id)
      try record(
        .providerApplied,
        .done,
        row,
        by: caller,
        method: authority.method,
        detail: try shownChange(from: bound, to: provider)
      )
    } committed: {
      forgetTokens(of: row.id)
    }
  }
}
