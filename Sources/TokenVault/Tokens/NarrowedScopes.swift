internal import Configuration
internal import OAuth
internal import Storage

// A refresh may ask for fewer scopes than the sign-in has. The next refresh token must still have
// all of them (RFC 6749, section 6). But some providers issue one with only the requested scopes.
// The answer does not show it, and only a new sign-in restores the others. So such a refresh needs
// consent, unless the provider's file says how the provider behaves (`refresh_scope`).
//
// The person's consent is kept until the next sign-in, and counts for every caller. The consent of
// a caller counts only for its own call: no program decides for another one. A provider that leaves
// the refresh token as it is cannot narrow it. A token that is stored, or is on its way for another
// caller, needs no consent, because nothing is sent for it.

/// The consent of a caller to a refresh that may narrow the sign-in.
package enum NarrowingConsent: Sendable {
  /// None: the refresh is refused unless the person's consent is kept.
  case notGiven
  /// The caller accepts the risk for this call. Nothing is kept.
  case thisCall
  /// The person accepts the risk.
  ///
  /// That is kept until the next sign-in.
  case untilNextLogin
}

extension Vault {
  private static func consentKey(_ account: [UInt8]) -> String {
    "narrowing:" + Hexadecimal.text(account)
  }

  /// Demands consent for a refresh that may narrow the sign-in.
  ///
  /// - Throws: without a kept consent, `invalidArgument` if the sign-in lacks a scope, and
  ///   `mayNarrow` without the consent of the call.
  func demandConsent(
    to asked: ScopeRequest,
    _ account: AccountRow,
    _ consent: NarrowingConsent = .notGiven
  ) throws(VaultFailure) {
    guard let others = try scopesAtRisk(asked, account), try !hasConsent(account) else { return }
    try demandScopes(asked, account)
    guard consent == .notGiven else { return }
    let lost = others.isEmpty ? "its other scopes" : others.joined(separator: " ")
    throw .mayNarrow(
      "a token of \(account.name) for fewer scopes may narrow its login at \(account.provider): the"
        + " usual token would then lack \(lost) until a new login. Accept that, or ask for the usual"
        + " token"
    )
  }

  /// Keeps the person's consent to a refresh that may narrow the sign-in.
  func noteConsent(to asked: ScopeRequest, _ account: AccountRow) throws(VaultFailure) {
    guard try scopesAtRisk(asked, account) != nil, try !hasConsent(account) else { return }
    try change { try store.setMeta(Self.consentKey(account.id), to: [1]) }
  }

  /// Removes the consent, inside the transaction that ends the sign-in it was for.
  func forgetConsent(of account: [UInt8]) throws(StorageError) {
    try store.setMeta(Self.consentKey(account), to: nil)
  }

  private func hasConsent(_ account: AccountRow) throws(VaultFailure) -> Bool {
    try stored(try store.meta(Self.consentKey(account.id))) != nil
  }

  /// The sign-in's scopes that a refresh leaves out and may lose, empty if they are not known;
  /// `nil` if nothing can be lost.
  private func scopesAtRisk(
    _ asked: ScopeRequest,
    _ account: AccountRow
  ) throws(VaultFailure) -> [String]? {
    guard !asked.scopes.isEmpty, let settings = try provider(of: account).oauth,
      settings.refreshScope == nil, try !isKnownSteady(account)
    else { return nil }
    let login = scopes(of: account, settings)
    let others = login.filter { !asked.scopes.contains($0) }
    return login.isEmpty || !others.isEmpty ? others : nil
  }

  /// The sign-in's scopes; empty if they are not known.
  private func scopes(of account: AccountRow, _ settings: OAuthSettings) -> [String] {
    account.loginScope.map { Self.words($0) } ?? settings.scopes
  }

  /// Refuses a request for scopes that the sign-in does not have.
  private func demandScopes(_ asked: ScopeRequest, _ account: AccountRow) throws(VaultFailure) {
    guard let settings = try provider(of: account).oauth else { return }
    let login = scopes(of: account, settings)
    // A provider may grant a scope under another name than the one that was requested.
    let unknown = asked.scopes.filter { !login.contains($0) && !settings.scopes.contains($0) }
    guard !login.isEmpty, !unknown.isEmpty else { return }
    throw .invalidArgument(
      "the login of \(account.name) has no scope \(unknown.joined(separator: " ")), only"
        + " \(login.joined(separator: " ")): ask for these, or log in again with --scope; if"
        + " \(account.provider) grants more to a login, set refresh_scope = any"
    )
  }

  /// The warnings that the accounts of a provider give about it, for `provider test`.
  func narrowingWarnings(_ provider: Provider) -> [String] {
    guard provider.oauth?.refreshScope != .whole, let rows = try? accounts() else { return [] }
    return rows.compactMap { row in
      guard let missing = row.missingScope, let own = try? self.provider(of: row),
        own.issuer == provider.issuer, own.clientID == provider.clientID
      else { return nil }
      return "grants \(row.name) less than its login since a refresh (\(missing)): if a token for"
        + " fewer scopes came before, set refresh_scope = whole; a new login brings them back"
    }
  }
}
