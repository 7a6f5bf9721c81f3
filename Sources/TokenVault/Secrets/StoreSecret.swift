internal import AuditLog
package import Configuration
internal import Cryptography
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

// An account of kind `static` keeps a secret that did not come from a login and that no provider
// exchanges. It is handled like the one token of a provider: it is only in the box, which each call
// opens.
extension Vault {
  /// Puts a secret into an account without login, which is made if there is none.
  ///
  /// Replacing the secret of a protected account needs a presence check of its own, even if the
  /// account is signed out. An unlock window does not count. Without the check, programs that name
  /// the account could use the secret of another person.
  ///
  /// - Parameters:
  ///   - new: the secret, and what is kept beside it.
  ///   - name: the account.
  ///   - provider: the host that the secret belongs to: a provider of kind `static`.
  ///   - isProtected: whether each use needs a presence check from now on; `nil` keeps it as it is.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: the caller that asks.
  /// - Returns: the account as it is now.
  /// - Throws: `invalidArgument` also for an account that signs in; `presenceNeeded`.
  package func storeSecret(
    _ new: StaticSecret,
    account name: String,
    provider: Provider,
    isProtected: Bool? = nil,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandCurrentStore()
    guard provider.kind == .static else {
      throw .invalidArgument("only a provider of kind static keeps secrets without a login")
    }
    try demandAllowed(provider)
    if isProtected == false { try demandMayBeUnprotected(name) }
    try new.demandUsable(at: clock.wall.seconds)
    let agreed = try await agreeToStore(new, name, provider, isProtected, prompt, caller)
    let location = await locationOfWindow(caller)
    while true {
      let account = try accountToSignIn(.named(name), provider)
      await enter(account.id)
      defer { leave(account.id) }
      // An earlier call may have renamed or removed the account.
      guard let current = try accountIfAny(withIdentifier: account.id),
        current.name == account.name
      else { continue }
      let slot = try await lockedSlot(account.id)
      try await recover(account.id, slot)
      guard let row = try accountIfAny(withIdentifier: account.id) else { continue }
      try demandStatic(row, isProtected)
      if needsConsent(row) {
        guard agreed?.generation == row.generation, try agreed?.ownership == ownership(of: row)
        else { throw .accountChanged }
      }
      do throws(VaultFailure) {
        let stored = try keep(new, in: row, provider, isProtected, method: agreed?.method, caller)
        slot.close()
        return try facts(of: stored, at: location)
      } catch {
        try? removeHusk(row)
        throw error
      }
    }
  }

  // MARK: - Before it is stored

  /// The consent to the replacement of a secret.
  private struct Consent {
    /// The digest of the ownership that is given up.
    let ownership: [UInt8]
    /// The secret that is given up.
    let generation: Int64
    let method: String
  }

  private func needsConsent(_ account: AccountRow) -> Bool {
    account.isProtected && account.generation > 0
  }

  /// Asks for the consent that a replacement needs; `nil` if none is needed.
  private func agreeToStore(
    _ new: StaticSecret,
    _ name: String,
    _ provider: Provider,
    _ isProtected: Bool?,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Consent? {
    guard let account = try accountIfAny(named: name) else {
      if let prompt { cancel(prompt, caller: caller) }
      try demandRoomForAccount()
      return nil
    }
    try demandStatic(account, isProtected)
    guard needsConsent(account) else {
      if let prompt { cancel(prompt, caller: caller) }
      try demandRoom()
      return nil
    }
    let ownership = try ownership(of: account)
    let person = (new.username ?? new.label).map { ", of \($0)" } ?? ""
    let secret = try mappingErrors(to: .unexpected("no digest")) {
      try sha256(new.secret.bytes)
    }
    let question = caller.question(
      .replace,
      about: account.id,
      detail: "\(shownOwner(of: account)) → another secret\(person) at \(shown(provider))",
      // A change of the data beside the secret sends that secret again, and must not replace a
      // newer one.
      binding: try digest(
        ownership + littleEndian(account.generation) + secret
          + (try bindingOf(provider, exportable: false))
      )
    )
    let method = try await spend(question, account: name, by: prompt, caller)
    return Consent(
      ownership: ownership,
      generation: account.generation,
      method: method.rawValue
    )
  }

  /// Refuses an account that signs in, and an end of protection.
  private func demandStatic(
    _ account: AccountRow,
    _ isProtected: Bool?
  ) throws(VaultFailure) {
    let bound = try provider(of: account)
    guard bound.kind == .static else {
      throw .invalidArgument(
        "\(account.name) signs in at \(bound.name.text), and keeps no static secret: take another name"
      )
    }
    guard isProtected != false || !account.isProtected else {
      throw .invalidArgument(
        "\(account.name) is protected, and stays so: thumblatch presence disable \(account.name)"
      )
    }
  }

  // MARK: - The transaction

  private func keep(
    _ new: StaticSecret,
    in account: AccountRow,
    _ provider: Provider,
    _ isProtected: Bool?,
    method: String?,
    _ caller: Caller
  ) throws(VaultFailure) -> AccountRow {
    var row = account
    row.state = .signedIn
    row.cause = nil
    if isProtected == true || protectsFromSignIn {
      row.protection = ProtectionClass.presence.rawValue
    }
    try bind(&row, to: provider, exportable: false)
    row.subject = new.username
    row.email = nil
    row.displayName = new.label
    var person = PersonFacts.none
    person.claims = new.claims
    row.person = person
    try sealNext(new.secret.bytes, in: &row)
    let now = clock.wall.seconds
    row.refreshedAt = now
    let token = AccessTokenRow(
      account: row.id,
      token: AccessTokenRow.sealed,
      expiresAt: new.expiresAt,
      storedAt: now
    )
    let details = [
      "generation \(row.generation)", "for \(provider.issuer.text)",
      new.expiresAt.map { "expires at \(DateTime.text($0))" },
      row.isProtected && !account.isProtected ? "protection on" : nil,
    ]
    let changed = row
    // The old box in the write-ahead log is overwritten.
    try changeSealed(emptiesLog: account.sealedRefreshToken != nil) {
      try store.update(changed)
      try store.deleteAccessTokens(account: changed.id)
      try keep(token)
      try forgetSteadiness(of: changed.id)
      try record(
        .secretStored,
        .done,
        changed,
        by: caller,
        method: method,
        detail: details.compactMap { $0 }.joined(separator: ", ")
      )
    } committed: {
      forgetTokens(of: changed.id)
    }
    writeDefaultAccount()
    return changed
  }
}
