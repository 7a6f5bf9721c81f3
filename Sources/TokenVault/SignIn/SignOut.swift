internal import AuditLog
internal import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// Sign-out of one account, and the right to use its refresh token for that.
extension Vault {
  /// Signs out: ends the grant at the provider unless `local`, and erases the tokens here.
  ///
  /// Ending the grant uses the refresh token. So it needs a presence check if the account is
  /// protected and no unlock window is open. Nothing is erased before that check has passed. If the
  /// provider cannot be notified, or the sign-out is `local`, no check is needed. A static secret
  /// has no other copy, so its erasure needs that check, `local` or not.
  ///
  /// The account keeps its name, its protection and its owner. Otherwise a sign-out and a sign-in
  /// would put another person in its place without a check.
  ///
  /// - Returns: the effect on the grant at the provider.
  package func signOut(
    account name: String,
    local: Bool,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> Revocation {
    let account = try account(named: name)
    let needsRight = !local || isOnlyCopy(account)
    let right = needsRight ? try await rightToRevoke(account, prompt, caller) : nil
    return try await signOut(account.id, right, caller)
  }

  /// The right of a sign-out to use a refresh token; asks for a check if the right needs one.
  private func rightToRevoke(
    _ account: AccountRow,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> RightToRevoke {
    guard try needsCheckToRevoke(account) else {
      if let prompt { cancel(prompt, caller: caller) }
      return .withoutCheck
    }
    let question = caller.question(.signOut, about: account.id, detail: shownIdentity(of: account))
    if prompt == nil, let right = try await rightOfWindow(account, caller) { return right }
    let proof = try await proof(of: question, account: account.name, by: prompt, caller)
    return RightToRevoke(authority: Authority(proof), purpose: .signOut)
  }

  /// The right that an open unlock window gives, as for a refresh.
  func rightOfWindow(
    _ account: AccountRow,
    _ caller: Caller
  ) async throws(VaultFailure) -> RightToRevoke? {
    guard isAnyWindowOpen(for: account.id) else { return nil }
    let location = await location(of: caller)
    let authority = try authorityWithoutAsking(for: account, caller, at: location, extending: false)
    return authority.map { RightToRevoke(authority: $0, purpose: .refresh) }
  }

  /// Whether the account has a protected static secret, which no login could restore.
  ///
  /// A record without a readable provider is erased all the same.
  func isOnlyCopy(_ account: AccountRow) -> Bool {
    account.isProtected && account.sealedRefreshToken != nil && keepsSecret(account)
  }

  /// Whether the account keeps a static secret.
  func keepsSecret(_ account: AccountRow) -> Bool {
    (try? provider(of: account))?.kind == .static
  }

  /// Whether a sign-out uses a protected token to notify the provider, or erases the only copy.
  func needsCheckToRevoke(_ account: AccountRow) throws(VaultFailure) -> Bool {
    if isOnlyCopy(account) { return true }
    guard account.mayHaveLiveToken, account.sealedRefreshToken != nil,
      try protectionClass(of: account) == .presence,
      // A record without a readable provider is erased all the same.
      let provider = try? provider(of: account)
    else { return false }
    return provider.canBeToldOfSignOut
  }

  /// Signs out of an account; without a right, the provider is not notified.
  func signOut(
    _ identifier: [UInt8],
    _ right: RightToRevoke?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Revocation {
    await enter(identifier)
    defer { leave(identifier) }
    let slot = try await lockedSlot(identifier)
    try await recover(identifier, slot, isLoginOver: true, asksProvider: right != nil)
    // There was only an earlier sign-in, which had not been finished.
    guard let found = try accountIfAny(withIdentifier: identifier) else {
      return .ofUnfinishedLogin
    }
    if isOnlyCopy(found) { try demandRight(right ?? .withoutCheck, toErase: found, caller) }
    let answer =
      if let right { try await revoke(found, right, slot, caller) } else {
        notRevoked(found, "erased only here, as requested")
      }
    // A refresh during the revocation may have stored another generation.
    var row = try account(withIdentifier: identifier)
    row.signOut()
    do throws(VaultFailure) {
      try removeTokenFile(of: row.name)
      try changeSealed {
        try store.update(row)
        try store.deleteAccessTokens(account: row.id)
        try store.deleteIntent(account: row.id)
        try forgetSteadiness(of: row.id)
        try record(
          .logout,
          .done,
          row,
          by: caller,
          method: right?.authority.method,
          detail: answer.auditDetail
        )
      } committed: {
        forgetTokens(of: row.id)
      }
    } catch {
      throw answer.notErased(error)
    }
    do throws(VaultFailure) { try emptyLog() } catch { throw answer.erased(error) }
    return answer
  }

  /// Refuses to erase the only copy of a secret unless the gate opens it.
  private func demandRight(
    _ right: RightToRevoke,
    toErase account: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) {
    guard right.authority.origin != nil else {
      throw .denied("a presence check is needed now: ask again")
    }
    do throws(VaultFailure) {
      let use = Use(purpose: right.purpose, caller: caller)
      _ = try openRefreshToken(of: account, authority: right.authority, use: use)
    } catch {
      // A damaged box is still erased.
      guard case .vaultUnsafe = error else { throw error }
    }
  }
}

/// The right of a sign-out or a removal to use the refresh token of one account.
struct RightToRevoke: Sendable {
  let authority: Authority
  /// The purpose that its proof was made for, if it has one.
  let purpose: PresencePurpose

  /// The right without a check: the gate refuses it for a protected token.
  static var withoutCheck: RightToRevoke {
    RightToRevoke(authority: Authority(), purpose: .signOut)
  }
}

extension Revocation {
  /// The part of it that goes into the audit log.
  var auditDetail: String {
    switch grant {
    case .ended: "revoked"
    case .valid, .none: "erased here, not revoked"
    case .unknown: "erased here, unknown whether revoked"
    }
  }
}

extension AccountRow {
  /// Whether a presence check guards it; an unknown class counts as guarded.
  var isProtected: Bool { protection != ProtectionClass.none.rawValue }

  /// Leaves nothing of the login in the row.
  mutating func signOut() {
    state = .signedOut
    cause = nil
    sealedRefreshToken = nil
    loginScope = nil
    missingScope = nil
  }
}

extension Provider {
  /// Whether the provider has a way to end a grant.
  var canBeToldOfSignOut: Bool { kind == .passwordBackend || endpoint(.revocation) != nil }

  /// Why it has no such way.
  var whyNotTold: String {
    kind == .static
      ? "a static secret has no login that could be ended: revoke it at \(issuer.host)"
      : "the provider has no revocation_endpoint"
  }
}
