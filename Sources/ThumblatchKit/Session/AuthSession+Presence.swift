/// Presence checks, and the unlock window that they open.
extension AuthSession {
  /// Whether a person can show presence on this machine, and in which ways.
  public func presenceCapability() async throws(AuthError) -> PresenceCapability {
    try await vault.presenceCapability()
  }

  /// Opens the unlock window for the account, after a presence check.
  ///
  /// It replaces the window of the login session, so that the accounts of other apps are locked.
  ///
  /// - Parameters:
  ///   - duration: how long the window stays open; `nil` for ten minutes after each use, at most
  ///     twelve hours.
  ///   - policy: the ways that count; `nil` for those of the configuration. After an error whose
  ///     `recovery` is `offerPassword` or `usePassword`, go on with `.password`.
  ///   - reason: why the app asks, in its own words. The person sees it.
  /// - Returns: the window as it is now.
  /// - Throws: `presence`, `cancelled`, and the errors of the vault itself.
  @discardableResult
  public func unlock(
    for duration: Duration? = nil,
    policy: PresencePolicy? = nil,
    reason: String? = nil
  ) async throws(AuthError) -> UnlockWindow {
    let check = PresenceCall(self, reason: reason, policy: policy)
    defer { check.end() }
    let window = try await calling(check) { [self] () throws(AuthError) in
      try await vault.unlock(account, for: duration, check.asking)
    }
    await learnChange { $0.windowIs(open: true) }
    return window
  }

  /// Closes the unlock window, and forgets the token in memory.
  ///
  /// The window belongs to the login session. It counts for each program there, and for all
  /// accounts that it was opened for. An unprotected account has no window: then only the token is
  /// forgotten.
  ///
  /// - Throws: the errors of the vault itself. The session is locked even then, until the vault
  ///   answers a call.
  public func lock() async throws(AuthError) {
    let wasFollowing = lockHere()
    try await calling { [self] () throws(AuthError) in try await vault.lock() }
    if lockHere() || wasFollowing { follow() }
  }

  /// Locks the session, whatever the vault still has to report.
  ///
  /// Returns whether the session followed the vault.
  private func lockHere() -> Bool {
    defer {
      forget()
      change { $0.locked() }
    }
    return stopFollowing()
  }

  /// Turns on presence protection for the account.
  ///
  /// This needs a presence check, so that no person locks themselves out.
  ///
  /// The check also opens the unlock window of the account. The session is locked only when that
  /// window closes.
  public func enablePresenceProtection(
    policy: PresencePolicy? = nil,
    reason: String? = nil
  ) async throws(AuthError) {
    try await setProtection(true, policy, reason)
  }

  /// Turns off presence protection, after a presence check.
  public func disablePresenceProtection(
    policy: PresencePolicy? = nil,
    reason: String? = nil
  ) async throws(AuthError) {
    try await setProtection(false, policy, reason)
  }

  /// Runs a presence check that releases nothing.
  ///
  /// The only result is whether it passed.
  ///
  /// A program that decides only by this result can be modified to decide otherwise. If the
  /// person's own programs must not have a secret, put that secret behind a token.
  public func evaluate(_ policy: PresencePolicy, reason: String) async throws(AuthError) {
    let check = PresenceCall(self, reason: reason, policy: policy)
    defer { check.end() }
    try await calling(check) { [self] () throws(AuthError) in
      try await vault.checkPresence(check.asking)
    }
  }

  private func setProtection(
    _ isOn: Bool,
    _ policy: PresencePolicy?,
    _ reason: String?
  ) async throws(AuthError) {
    let check = PresenceCall(self, reason: reason, policy: policy)
    defer { check.end() }
    let found = try await calling(check) { [self] () throws(AuthError) in
      try await vault.setPresenceProtection(isOn, of: account, check.asking)
    }
    await learnChange { $0.saw(found) }
  }
}
