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
  ///   - reason: why the app asks, in its own words; shown to the person.
  ///   - policy: the ways that count this time, such as `password` after an error whose `recovery`
  ///     offers it; nil: those of the configuration.
  /// - Returns: the window as it is now.
  /// - Throws: `presence`, `cancelled`, and what the vault itself may fail with.
  @discardableResult
  public func unlock(
    for duration: Duration? = nil,
    reason: String? = nil,
    policy: PresencePolicy? = nil
  ) async throws(AuthError) -> UnlockWindow {
    let check = PresenceCall(self, reason: reason, policy: policy)
    defer { check.end() }
    let window = try await calling(check) { [self] () throws(AuthError) in
      try await vault.unlock(account, for: duration, check.asking)
    }
    change { $0.windowIs(open: true) }
    return window
  }

  /// Closes the unlock window, and forgets the token in memory.
  public func lock() async throws(AuthError) {
    forget()
    try await calling { [self] () throws(AuthError) in try await vault.lock() }
    change { $0.windowIs(open: false) }
  }

  /// Has a presence check guard the account; needs one itself, so that nobody locks himself out.
  public func enablePresenceProtection(
    reason: String? = nil,
    policy: PresencePolicy? = nil
  ) async throws(AuthError) {
    try await setProtection(true, reason, policy)
  }

  /// Ends the protection, after a presence check.
  public func disablePresenceProtection(
    reason: String? = nil,
    policy: PresencePolicy? = nil
  ) async throws(AuthError) {
    try await setProtection(false, reason, policy)
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
    _ reason: String?,
    _ policy: PresencePolicy?
  ) async throws(AuthError) {
    let check = PresenceCall(self, reason: reason, policy: policy)
    defer { check.end() }
    let found = try await calling(check) { [self] () throws(AuthError) in
      let account = try await vault.setPresenceProtection(isOn, of: account, check.asking)
      return try await vault.snapshot(of: account.name)
    }
    change { $0.saw(found) }
  }
}
