internal import AuditLog
internal import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// Changes of an account as a whole: its name, and its end.
extension Vault {
  /// Gives an account another name.
  ///
  /// Boxes and slot are bound to its id, so nothing is sealed again. The front's file under the old
  /// name is removed before the commit. Otherwise the front would answer for an account that no
  /// longer exists.
  ///
  /// A protected account needs a presence check, and an unlock window does not count. A person
  /// knows the account by its name, and sees it in every later prompt.
  package func rename(
    account name: String,
    to newName: String,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    let fresh = try accountName(newName)
    let account = try account(named: name)
    let isAllowed = try await allowRename(account, to: fresh, prompt, caller)
    let location = await locationOfWindow(caller)
    await enter(account.id)
    defer { leave(account.id) }
    let row = try self.account(withIdentifier: account.id)
    guard row.name == account.name else { throw .noSuchAccount(account.name) }
    try demandNotLeaving(row)
    guard row.name != fresh.text else { return try facts(of: row, at: location) }
    guard try accountIfAny(named: fresh.text) == nil else {
      throw .invalidArgument("the account \(fresh.text) already exists")
    }
    let protection = try protectionClass(of: row)
    guard isAllowed || protection != .presence else {
      throw .accountChanged
    }
    try removeDefaultName()
    try removeTokenFile(of: row.name)
    // An account of this name that was removed by hand may have left it behind.
    try removeTokenFile(of: fresh.text)
    var changed = row
    changed.name = fresh.text
    try change {
      try store.update(changed)
      try record(.renamed, .done, changed, by: caller, detail: "was \(row.name)")
    }
    if let token = try token(of: changed), changed.state != .signedOut {
      writeTokenFile(of: changed, token)
    }
    writeDefaultAccount()
    return try facts(of: changed, at: location)
  }

  /// Whether a check for it was passed; `false` if none is needed.
  private func allowRename(
    _ account: AccountRow,
    to name: AccountName,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Bool {
    guard account.name != name.text, try protectionClass(of: account) == .presence else {
      if let prompt { cancel(prompt, caller: caller) }
      return false
    }
    // Check this first, so that no person is asked in vain.
    guard try accountIfAny(named: name.text) == nil else {
      throw .invalidArgument("the account \(name.text) already exists")
    }
    let question = caller.question(.rename, about: account.id, detail: name.text)
    _ = try await spend(question, account: account.name, by: prompt, caller)
    return true
  }

  /// Removes an account: signs it out, then deletes it.
  ///
  /// A protected account needs a presence check, signed in or signed out, and an unlock window does
  /// not count. Without the check, a removal and a sign-in under the same name would put another
  /// account in its place.
  ///
  /// One transaction deletes its row with all that depends on it, so that a kill leaves the whole
  /// account or none of it. The slot is removed after the commit. If a kill or a failing disk
  /// leaves it behind, the next start removes it. The audit log keeps the name.
  ///
  /// With `local`, the provider is not notified. `prompt` is a passed presence check to spend.
  ///
  /// - Returns: the effect on the grant at the provider.
  package func remove(
    account name: String,
    local: Bool,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> Revocation {
    let account = try account(named: name)
    let proof = try await proofToRemove(account, prompt, caller)
    return try await remove(account, local: local, caller) { row throws(VaultFailure) in
      guard proof != nil || !row.isProtected else {
        throw .accountChanged
      }
      return proof.map { RightToRevoke(authority: $0, purpose: .remove) } ?? .withoutCheck
    }
  }

  /// The passed check of a removal; `nil` for an account without protection.
  private func proofToRemove(
    _ account: AccountRow,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Authority? {
    guard account.isProtected else {
      if let prompt { cancel(prompt, caller: caller) }
      return nil
    }
    let question = caller.question(.remove, about: account.id, detail: shownIdentity(of: account))
    return Authority(try await proof(of: question, account: account.name, by: prompt, caller))
  }

  /// Removes an account without a check at root's request: its user may be unable to pass one.
  ///
  /// The provider is not notified, because using the token needs the user's presence.
  ///
  /// - Returns: the account as it was.
  package func removeForRoot(
    account name: String,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    let account = try account(named: name)
    let facts = try facts(of: account, at: .everywhere)
    for prompt in prompts.names where prompts.question(of: prompt)?.account == account.id {
      giveUp(prompt, as: .cancelled)
    }
    _ = try await remove(account, local: true, caller, note: "by root; ") { _ in .withoutCheck }
    return facts
  }

  /// Removes an account if `allow` gives a right; `allow` gets the account as it is then.
  func remove(
    _ account: AccountRow,
    local: Bool,
    _ caller: Caller,
    note: String = "",
    _ allow: (AccountRow) throws(VaultFailure) -> RightToRevoke
  ) async throws(VaultFailure) -> Revocation {
    await enter(account.id)
    defer { leave(account.id) }
    let slot = try await settledSlot(account.id, asksProvider: !local)
    // There was only an earlier sign-in, which had not been finished.
    guard let row = try accountIfAny(withIdentifier: account.id) else { return .ofUnfinishedLogin }
    let right = try allow(row)
    let answer =
      if local { notRevoked(row, "erased only here, as requested") } else {
        try await revoke(row, right, slot, caller)
      }
    do throws(VaultFailure) {
      try removeTokenFile(of: row.name)
      try removeDefaultName()
      try changeSealed(isSealed: row.sealedRefreshToken != nil) {
        try unchoose(row.id)
        try store.deleteAccount(id: row.id)
        try forgetSteadiness(of: row.id)
        try forgetImport(of: row.id)
        try forgetLeaving(row.id)
        try record(
          .removed,
          .done,
          row,
          by: caller,
          method: right.authority.method,
          detail: note + answer.auditDetail
        )
      } committed: {
        forgetTokens(of: row.id)
        noteLeavingForgotten(row.id)
      }
    } catch {
      throw answer.notErased(error)
    }
    // A window without any account left would count as a window for all accounts.
    closeWindows(ofDeleted: row.id)
    writeDefaultAccount()
    try? SlotFile.delete(in: directory, account: row.id)
    try emptyLog()
    return answer
  }

  /// Waits for an exchange helper of the account and takes over its answer: a token that came a
  /// moment ago is revoked, too.
  ///
  /// An account whose slot is missing or unsafe can still be removed, because the removal is a
  /// remedy.
  private func settledSlot(
    _ identifier: [UInt8],
    asksProvider: Bool
  ) async throws(VaultFailure) -> SlotFile? {
    do throws(VaultFailure) {
      let slot = try await lockedSlot(identifier)
      try await recover(identifier, slot, isLoginOver: true, asksProvider: asksProvider)
      return slot
    } catch {
      guard case .vaultUnsafe = error else { throw error }
      return nil
    }
  }
}

extension Vault {
  /// Removes what a kill during a removal or a sign-in left behind.
  ///
  /// That is new accounts without a request, and slots and front files of accounts that are not in
  /// the store.
  ///
  /// It is called at the start and by `recover`, in a step in which no account is being made.
  static func removeLeavings(of store: Store, in directory: StateDirectory) {
    for row in (try? store.allAccounts()) ?? [] where row.generation == 0 {
      guard row.state == .signedOut, isIdle(row, in: store) else { continue }
      _ = try? store.deleteAccount(id: row.id)
    }
    guard let accounts = try? store.allAccounts() else { return }
    let known = Set(accounts.map(\.id))
    for identifier in (try? SlotFile.accounts(in: directory)) ?? []
    where !known.contains(identifier) {
      // An exchange helper may still write into it; then it stays until the next start.
      guard let slot = try? SlotFile(in: directory, account: identifier) else {
        // The file was cut short while it was made.
        try? SlotFile.delete(in: directory, account: identifier)
        continue
      }
      if (try? slot.lock()) == true { try? SlotFile.delete(in: directory, account: identifier) }
    }
    let names = Set(accounts.map(\.name))
    for name in (try? TokenFiles.accounts(in: directory)) ?? [] where !names.contains(name) {
      _ = try? TokenFiles.remove(account: name, in: directory)
    }
    if let name = try? TokenFiles.defaultAccount(in: directory), !names.contains(name) {
      try? TokenFiles.setDefault(account: nil, in: directory)
    }
  }

  /// Whether nothing was requested for the account; an account that cannot be read counts as
  /// requested.
  private static func isIdle(_ row: AccountRow, in store: Store) -> Bool {
    do throws(StorageError) {
      return try store.intent(account: row.id) == nil
    } catch {
      return false
    }
  }
}
