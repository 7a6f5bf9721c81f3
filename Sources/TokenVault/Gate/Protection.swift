internal import AuditLog
internal import Configuration
internal import Cryptography
internal import Presence
package import PresenceTerms
internal import Storage

extension Vault {
  /// Turns presence protection on or off, after a presence check in either case.
  ///
  /// A person that cannot pass a check must not lock the account, and a person that is not here
  /// must not unlock it. The token is sealed again under the other class in one transaction. The
  /// old box in the write-ahead log is overwritten.
  ///
  /// The check that turns it on also opens the unlock window of this account at the location of the
  /// caller. Otherwise the next use would ask for another check at once. The prompt says so.
  ///
  /// The prompt names the owner. If a sign-in gives the account to another one in the meantime, the
  /// check counts for nothing. Before its first sign-in ends, an account has no owner.
  package func setProtection(
    _ isOn: Bool,
    account name: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    let purpose: PresencePurpose = isOn ? .enable : .disable
    let account = try account(named: name)
    if (try protectionClass(of: account) == .presence) == isOn {
      if let prompt { cancel(prompt, caller: caller) }
      return try facts(of: account, at: await locationOfWindow(caller))
    }
    if !isOn { try demandMayBeUnprotected(account.name) }
    let policy = try policy()
    let isOwned = account.generation > 0
    let ownership = try ownership(of: account)
    let location = isOn ? await locationOfNextWindow(prompt, caller) : nil
    let window = shownWindow(prompt, at: location, policy)
    let question = caller.question(
      purpose,
      about: account.id,
      detail: isOn ? (isOwned ? "of \(shownIdentity(of: account)), " : "") + window : nil,
      binding: ownership
    )
    guard let prompt else {
      throw try await askForPresence(question, account: account.name, caller: caller)
    }
    // An earlier use of the account may take a while. Until it has ended, the end of the session is
    // watched for.
    beginOpeningWindow()
    defer { endOpeningWindow() }
    let ends = isOn ? await beginGuarding() : windowEnds
    let authority = Authority(try spendable(prompt, question: question, caller: caller))
    let changed = try await withAccount(account.id) { row throws(VaultFailure) in
      if isOwned, try self.ownership(of: row) != ownership {
        throw .accountChanged
      }
      return try protect(row, isOn, purpose, authority, caller)
    }
    // The window stays closed if the person has gone since.
    if isOn, let location, ends == windowEnds, !hasEndedWhileOpening(at: location) {
      openWindow(of: changed, provenBy: authority.origin, at: location, policy, caller)
    }
    endGuardLater()
    return try facts(of: changed, at: await locationOfWindow(caller))
  }

  /// The location whose unlock window gets the account once the protection is on.
  ///
  /// With a prompt, it is the location at which the prompt opens a window.
  private func locationOfNextWindow(_ prompt: String?, _ caller: Caller) async -> String? {
    if let prompt { return await locationOfWindow(of: prompt, caller) }
    return await locationOfWindow(caller).name
  }

  /// How long the account stays unlocked, for the prompt: an open window gets the account too.
  ///
  /// A shown prompt keeps its text, even if a window opens or closes before its proof is used.
  private func shownWindow(_ prompt: String?, at location: String?, _ policy: Policy) -> String {
    let isOpen = "and unlock it until the open unlock window ends"
    let isNew = "and unlock it until it is idle for \(policy.window) min"
    if let prompt {
      return prompts.question(of: prompt)?.detail?.hasSuffix(isOpen) == true ? isOpen : isNew
    }
    return location.flatMap { window(at: $0, now: clock.boot) } == nil ? isNew : isOpen
  }

  private func protect(
    _ account: AccountRow,
    _ isOn: Bool,
    _ purpose: PresencePurpose,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) -> AccountRow {
    var row = account
    let target: ProtectionClass = isOn ? .presence : .none
    var box: [UInt8]?
    if row.sealedRefreshToken != nil {
      let use = Use(purpose: purpose, caller: caller)
      let token = try openRefreshToken(of: row, authority: authority, use: use)
      box = try seal(token, for: row, protection: target, generation: row.generation)
    }
    row.sealedRefreshToken = box
    row.protection = target.rawValue
    try changeSealed(emptiesLog: true) {
      try store.update(row)
      try record(.protection, .done, row, by: caller, detail: isOn ? "on" : "off")
    }
    return row
  }

  /// Makes a presence check that releases nothing; returns how it was passed.
  package func testPresence(
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> PresenceMethod {
    let question = caller.question(.test)
    return try await spend(question, by: prompt, caller)
  }
}
