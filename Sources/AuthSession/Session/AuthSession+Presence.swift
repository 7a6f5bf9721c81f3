/// Showing that someone is here.
extension AuthSession {
  /// Whether presence can be shown on this machine, and how.
  public func presenceCapability() async throws(AuthError) -> PresenceCapability {
    try await vault.presenceCapability()
  }

  /// Opens the unlock window for the account, after a presence check.
  ///
  /// - Parameters:
  ///   - duration: how long; nil: ten minutes from each use, at most twelve hours.
  ///   - policy: the ways that count; nil: the configuration's. After an error whose `recovery` is
  ///     `offerPassword` or `usePassword`, go on with `.password`.
  ///   - reason: why the app asks, in its own words; shown to the person.
  /// - Returns: the window as it is now.
  /// - Throws: `presence`, `cancelled`, and what the vault itself may fail with.
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
  /// The window is that of the person, for all accounts and programs. Without protection there is
  /// none: then only the token is forgotten.
  ///
  /// - Throws: what the vault itself may fail with. The session is locked all the same, until a call
  ///   that the vault answers.
  public func lock() async throws(AuthError) {
    let wasFollowing = lockHere()
    try await calling { [self] () throws(AuthError) in try await vault.lock() }
    if lockHere() || wasFollowing { follow() }
  }

  /// Locks the session, whatever the vault has still to tell; whether it was followed.
  private func lockHere() -> Bool {
    defer {
      forget()
      change { $0.locked() }
    }
    return stopFollowing()
  }

  /// Has a presence check guard the account; needs one itself, so that nobody locks himself out.
  ///
  /// The check that turns it on opens the unlock window of the account: the session is not locked
  /// before that closes.
  public func enablePresenceProtection(
    policy: PresencePolicy? = nil,
    reason: String? = nil
  ) async throws(AuthError) {
    try await setProtection(true, policy, reason)
  }

  /// Ends the protection, after a presence check.
  public func disablePresenceProtection(
    policy: PresencePolicy? = nil,
    reason: String? = nil
  ) async throws(AuthError) {
    try await setProtection(false, policy, reason)
  }

  /// Runs a presence check that releases nothing: only whether it passed counts.
  ///
  /// A program that decides by it alone can be changed to decide otherwise: what must be kept from
  /// the person's own programs belongs behind a token.
  public func evaluate(
    _ policy: PresencePolicy,
    reason: String
  ) async throws(AuthError) {
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
