/// Steps that all calls share.
extension AuthSession {
  /// Makes a call for the person.
  ///
  /// A failure becomes the state `error`, unless the person gave the call up.
  nonisolated(nonsending) func calling<Value: Sendable>(
    _ check: PresenceCall? = nil,
    _ body: nonisolated(nonsending) () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let begin = change { facts in
      facts.beginCall()
      return facts.moment
    }
    defer { change { $0.endCall() } }
    do throws(AuthError) {
      let value = try await body()
      if let check, check.hasPassed { checkHasPassed() }
      return value
    } catch {
      await learn(from: error, check, since: begin)
      change { facts in
        switch error.recovery {
        case .keepSession, .signIn, .unlock: break
        default: if !error.isUnreached { facts.failed(error) }
        }
      }
      throw error
    }
  }

  /// Updates the facts from an error, unless the session knows something newer.
  nonisolated(nonsending) func learn(
    from error: AuthError,
    _ check: PresenceCall?,
    since begin: SessionFacts.Moment
  ) async {
    switch error.kind {
    case .signedOut: await hasSignedOut(since: begin)
    case .loginRequired:
      let isTaken = change { facts in
        guard facts.news == begin.news else { return false }
        facts.signInEnded(reason: error.message)
        return true
      }
      // The vault has sent news since the call began: the failed refresh itself, or a later change.
      guard !isTaken else { break }
      await learnChange { _ in }
    case .offline, .notAnswering:
      change { $0.missedProvider(since: begin) }
      awaitNetwork()
    default: break
    }
    await countFailures(of: check)
  }

  /// Signs out after too many failed presence checks, if the app chose that.
  nonisolated(nonsending) private func countFailures(of check: PresenceCall?) async {
    guard let check, let most = configuration.failedChecksBeforeSignOut else { return }
    if check.hasPassed { return checkHasPassed() }
    guard check.failures > 0, addFailedChecks(check.failures) >= most else { return }
    // The task that asked may be cancelled; the sign-out must not be. The provider is notified only
    // if that needs no check, because too many checks have just failed.
    let (isLocked, begin) = (facts.isLocked, facts.moment)
    let ended = await Task { [self] in await signOutUnasked(locally: isLocked) }.value
    // The caller must not assume a sign-out that did not happen.
    if let ended {
      change { $0.failed(ended) }
    } else {
      await hasSignedOut(since: begin)
    }
  }

  /// Signs out without a presence check.
  ///
  /// If notifying the provider needs a check after all, it is not notified: the vault may be locked
  /// without the session's knowledge.
  ///
  /// - Returns: the error if the account is still signed in.
  private func signOutUnasked(locally: Bool) async -> AuthError? {
    let silent = PresenceAsking(policy: .fingerprintOrPassword, isPossible: false) { _ in false }
    do throws(AuthError) {
      _ = try await vault.signOut(account, locally: locally, silent)
      return nil
    } catch {
      switch error.kind {
      case .signedOut: return nil
      case .presence where !locally: return await signOutUnasked(locally: true)
      default: return error
      }
    }
  }

  /// Tries again without a prompt when the network has changed.
  private func awaitNetwork() {
    guard !isListening else { return }
    // Open the stream before the task starts, so that it misses no change from now on.
    let changes = network.changes()
    listen {
      Task { [weak self] in
        for await _ in changes {
          guard let self, !Task.isCancelled else { return }
          _ = try? await self.token(TokenRequest(), asksNobody: true)
        }
      }
    }
  }

  /// Reads the state of the account after a call that changed it, and follows the account from
  /// there.
  ///
  /// News from another call that arrives during the question is newer than the answer to it.
  func learnChange(_ expected: (inout SessionFacts) -> Void) async {
    let wasFollowing = stopFollowing()
    defer { if wasFollowing || facts.isAuthenticated { follow() } }
    for _ in 0..<3 {
      let news = facts.news
      let snapshot = try? await vault.snapshot(of: account)
      let isTaken = change { facts in
        guard facts.news == news else { return false }
        if let snapshot { facts.saw(snapshot) } else { expected(&facts) }
        return true
      }
      if isTaken { return }
    }
  }

  /// Follows the vault from now on.
  func follow() {
    guard !isFollowing else { return }
    follow { number in
      Task { [weak self, vault, account, ahead = configuration.refreshAhead] in
        var pause = 1
        while !Task.isCancelled {
          for await snapshot in vault.changes(of: account, ahead: ahead) {
            guard let self, !Task.isCancelled else { return }
            self.hasChanged(snapshot, watch: number)
            pause = 1
          }
          guard !Task.isCancelled else { return }
          await self?.vaultWentAway(watch: number)
          // A call during the pause starts the watch again at once.
          try? await Task.sleep(for: .seconds(pause))
          pause = min(pause * 2, 60)
          self?.hears(true, watch: number)
        }
      }
    }
  }

  /// The engine ended, and its unlock window with it.
  ///
  /// The watch over the next engine soon reports the changes that this one missed. An engine that
  /// refuses one more watch still has its window.
  private func vaultWentAway(watch number: UInt64) async {
    hears(false, watch: number)
    change { if $0.watch == number { $0.locked() } }
    let news = facts.news
    guard let snapshot = try? await vault.snapshot(of: account), snapshot.isUnlocked else { return }
    change { if $0.watch == number, $0.news == news { $0.saw(snapshot) } }
  }

  private func hasChanged(_ snapshot: VaultSnapshot, watch number: UInt64) {
    let counts = change { facts in
      guard facts.watch == number else { return false }
      facts.heard(snapshot)
      return true
    }
    guard counts, facts.tokenHolder != nil, let token = anyCachedToken else { return }
    let end = snapshot.account?.accessTokenExpiresAt
    guard token.expiresAt != end else { return }
    Task { [weak self] in
      guard let self else { return }
      var newest = end
      if end == nil {
        // A missing token has expired, or a server refused it. But the message may also be older
        // than the token. The vault's answer to a new question is not.
        newest = (try? await vault.snapshot(of: account))?.account?.accessTokenExpiresAt
        guard token.expiresAt != newest else { return }
      }
      guard newest != nil else { return drop(token) }
      // A refresh made the token. Fetch it now, so that the next caller does not wait for it.
      _ = try? await self.token(TokenRequest(), asksNobody: true)
    }
  }
}
