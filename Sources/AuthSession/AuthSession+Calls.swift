/// What all calls share.
extension AuthSession {
  /// Makes a call for the person: a failure becomes the state `error`, except where the person gave
  /// it up.
  nonisolated(nonsending) func calling<Value: Sendable>(
    _ check: PresenceCall? = nil,
    _ body: nonisolated(nonsending) () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    change { $0.beginCall() }
    defer { change { $0.endCall() } }
    do throws(AuthError) {
      let value = try await body()
      if let check, check.hasPassed { checkHasPassed() }
      return value
    } catch {
      await learn(from: error, check)
      change { facts in
        switch error.recovery {
        case .keepSession, .signIn, .unlock: break
        default: if error.kind != .offline { facts.failed(error) }
        }
      }
      throw error
    }
  }

  /// Takes from an error what it says of the session.
  nonisolated(nonsending) func learn(from error: AuthError, _ check: PresenceCall?) async {
    switch error.kind {
    case .signedOut: hasSignedOut()
    case .loginRequired: change { $0.loginEnded(reason: error.message) }
    case .offline:
      change { $0.providerIs(reachable: false) }
      awaitNetwork()
    default: break
    }
    await countFailures(of: check)
  }

  /// Signs out where too many presence checks failed and the app chose so.
  nonisolated(nonsending) private func countFailures(of check: PresenceCall?) async {
    guard let check, let most = configuration.failedChecksBeforeSignOut else { return }
    guard addFailedChecks(check.failures) >= most else { return }
    _ = try? await vault.signOut(account, locally: false)
    hasSignedOut()
  }

  /// Tries again, without asking anybody, when the network has changed.
  private func awaitNetwork() {
    listen {
      Task { [weak self, network] in
        for await _ in network.changes() {
          guard let self, !Task.isCancelled else { return }
          _ = try? await self.accessToken(TokenRequest(), asksNobody: true)
        }
      }
    }
  }

  /// Follows the vault from now on.
  func follow() {
    guard !isFollowing else { return }
    follow {
      Task { [weak self, vault, account, ahead = configuration.refreshAhead] in
        for await snapshot in vault.changes(of: account, ahead: ahead) {
          guard let self, !Task.isCancelled else { return }
          await self.hasChanged(snapshot)
        }
        // The vault went away; the next call that needs it brings it back.
        guard !Task.isCancelled else { return }
        self?.follow { nil }
      }
    }
  }

  private func hasChanged(_ snapshot: VaultSnapshot) async {
    change { $0.saw(snapshot) }
    guard let end = snapshot.account?.accessTokenExpiresAt, facts.isAuthenticated, !facts.isLocked,
      anyCachedToken.map({ $0.expiresAt != end }) ?? false
    else { return }
    // A refresh made it; whoever asks next is not to wait for it.
    _ = try? await accessToken(TokenRequest(), asksNobody: true)
  }
}
