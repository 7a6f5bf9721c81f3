package import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// The account that audit records are about.
///
/// Records with its name are meant too, if their account was removed: a later account may have that
/// name.
struct RecordedAccount {
  let id: [UInt8]
  let name: String
}

extension Vault {
  /// The status of the vault, with the unlock window of a location.
  package func facts(at location: CallerLocation = .everywhere) throws(VaultFailure) -> VaultFacts {
    try facts(at: location.name)
  }

  func facts(at location: String) throws(VaultFailure) -> VaultFacts {
    let now = clock.boot
    let open = window(at: location, now: now)
    var problem: (message: String, remedy: String?)?
    if case .vaultUnsafe(let message, let hint)? = freshness.failure ?? transferFailure {
      problem = (message, hint?.text)
    }
    let names = try accounts().filter { open?.accounts?.contains($0.id) ?? false }.map(\.name)
    return VaultFacts(
      unlockedFor: open?.secondsLeft(at: now),
      unlockedAccounts: names,
      fingers: try printRows().map(\.finger).sorted(),
      keys: try keyRows().map(\.name),
      isFingerprintLockedOut: fingerLockout.isPasswordOnly,
      isUnderMachineKey: isUnderMachineKey,
      counter: machineKeySlots?.counterCheck,
      problem: problem
    )
  }

  /// One account, or all accounts in the order of their names, as seen from a location.
  ///
  /// An unlock window is open at one location only.
  package func accountFacts(
    named name: String?,
    at location: CallerLocation = .everywhere,
    under rule: CallerRule? = nil
  ) throws(VaultFailure) -> [AccountFacts] {
    var rows: [AccountRow]
    if let name {
      try demand(name, under: rule)
      rows = [try account(named: name)]
    } else {
      rows = try accounts()
      if let allowed = rule?.accounts { rows.removeAll { !allowed.contains($0.name) } }
    }
    var facts: [AccountFacts] = []
    let chosen = try impliedAccount()?.id
    for row in rows {
      facts.append(try self.facts(of: row, isDefault: row.id == chosen, at: location))
    }
    return facts
  }

  /// A page of the audit log, oldest first.
  ///
  /// - Throws: `noSuchAccount` if neither an account nor a record has the name, and failures of
  ///   the store.
  package func auditPage(
    after number: Int64,
    since: Int64?,
    account name: String?
  ) throws(VaultFailure) -> [AuditFacts] {
    let account = try name.map { name throws(VaultFailure) in try recordedAccount(named: name) }
    return try auditPage(after: number, since: since, of: account)
  }

  /// The account of a name; if there is none, the last account that had it.
  func recordedAccount(named name: String) throws(VaultFailure) -> RecordedAccount {
    if let account = try accountIfAny(named: name) {
      return RecordedAccount(id: account.id, name: name)
    }
    guard let id = try stored(try store.auditAccount(named: name, owner: owner)) else {
      throw .noSuchAccount(name)
    }
    return RecordedAccount(id: id, name: name)
  }

  /// The same for an account whose name may have changed.
  func auditPage(
    after number: Int64,
    since: Int64?,
    of account: RecordedAccount?
  ) throws(VaultFailure) -> [AuditFacts] {
    try stored(
      try store.audit(
        after: number,
        since: since,
        owner: owner,
        accountID: account?.id,
        name: account?.name,
        limit: 128
      )
    ).map(AuditFacts.init)
  }

  func facts(of row: AccountRow, at location: CallerLocation) throws(VaultFailure) -> AccountFacts {
    try facts(of: row, isDefault: try impliedAccount()?.id == row.id, at: location)
  }

  /// The facts about an account whose record contradicts itself, without trust in the record.
  private func damaged(_ row: AccountRow, isDefault: Bool, _ message: String) -> AccountFacts {
    AccountFacts(
      name: row.name,
      provider: row.provider,
      isProtected: row.protection != ProtectionClass.none.rawValue,
      state: .loginRequired,
      cause: "damaged: \(message)",
      refreshedAt: row.refreshedAt,
      isDefault: isDefault
    )
  }

  private func facts(
    of row: AccountRow,
    isDefault: Bool,
    at location: CallerLocation
  ) throws(VaultFailure) -> AccountFacts {
    let account: AccountContext
    let isProtected: Bool
    do throws(VaultFailure) {
      account = try context(of: row)
      isProtected = try protectionClass(of: row) == .presence
    } catch {
      // One damaged record must not hide the others, so it is reported.
      guard case .vaultUnsafe(let message, _) = error else { throw error }
      return damaged(row, isDefault: isDefault, message)
    }
    let token = try token(of: row)
    let provider = account.provider
    let hasEnded = hasEnded(account, token)
    return AccountFacts(
      name: row.name,
      provider: row.provider,
      kind: provider.kind.rawValue,
      issuer: provider.issuer.text,
      subject: row.subject,
      email: row.email,
      displayName: row.displayName,
      person: row.person,
      isProtected: isProtected,
      isExportable: row.exportable,
      state: hasEnded ? .loginRequired : try state(of: row, token, at: location),
      cause: hasEnded ? Self.oneTokenEnded(provider) : try cause(of: row),
      accessTokenExpiresAt: token?.expiresAt,
      refreshedAt: row.refreshedAt,
      isDefault: isDefault,
      scope: row.loginScope,
      missingScope: row.missingScope
    )
  }

  private func cause(of row: AccountRow) throws(VaultFailure) -> String? {
    if isLeaving(row) { return Self.leavingCause }
    if let cause = row.cause { return cause }
    let intent = try intent(of: row)
    if let answer = try unclearAnswer(to: intent) { return answer.text }
    guard row.state == .signedIn, intent == nil else { return nil }
    // A stored token is handed out until its end. An unreadable policy hides no account.
    return try? missingProtection(of: row)
  }

  private func state(
    of row: AccountRow,
    _ token: AccessTokenRow?,
    at location: CallerLocation
  ) throws(VaultFailure) -> AccountState {
    // The other vault may have its only valid token.
    if isLeaving(row) { return .uncertain }
    if let intent = try intent(of: row), intent.purpose == .refresh {
      guard !isRefreshing(row.id) else { return .refreshing }
      guard intent.uncertain else { return .refreshing }
      return .uncertain
    }
    switch row.state {
    case .signedOut: return .signedOut
    case .loginRequired: return .loginRequired
    case .signedIn:
      if let token, !token.isSealed, let left = secondsLeft(of: token), left >= leastLifetime {
        return .ready
      }
      guard try protectionClass(of: row) == .presence else { return .ready }
      let window = self.window(at: location.name, now: clock.boot)
      return window?.covers(row.id, at: clock.boot) == true ? .ready : .locked
    }
  }
}
