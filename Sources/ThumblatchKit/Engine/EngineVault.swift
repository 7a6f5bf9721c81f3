internal import PresenceTerms
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The vault of this machine: the person's own engine, which is started if it does not run.
///
/// Each call uses a connection of its own. Hanging up cancels the call.
public struct EngineVault: AuthVault {
  /// Makes a client of the machine's vault.
  public init() {
    SecretBytes.keepNoMemory()
  }

  /// The state of the account, in one round trip.
  nonisolated(nonsending) public func snapshot(
    of account: String
  ) async throws(AuthError) -> VaultSnapshot {
    // `GetStatus` would look for the reader, which starts a program. So ask with `Watch`.
    let call = WatchCall(account: account)
    do throws(AuthError) {
      if let facts = try EngineCall.atOnce(call) { return VaultSnapshot(facts) }
      return VaultSnapshot(try await EngineCall.run { _ in call })
    } catch {
      guard let cause = error.cause as? VaultClientError, cause.forbidsTheMethod else {
        throw error
      }
      return try await restrictedSnapshot(of: account)
    }
  }

  /// The state of the account for a caller that may not watch: behind a restricted socket, or under
  /// a rule of the administrator.
  private func restrictedSnapshot(of account: String) async throws(AuthError) -> VaultSnapshot {
    do throws(AuthError) {
      let reply = try await EngineCall.run { _ in GetAccountCall(account: account) }
      return VaultSnapshot(account: reply.account.map(AccountSnapshot.init), isUnlocked: false)
    } catch {
      guard error.kind == .signedOut else { throw error }
      return VaultSnapshot(account: nil, isUnlocked: false)
    }
  }

  /// A valid access token.
  public func accessToken(
    of account: String,
    _ request: TokenRequest,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccessToken {
    let reply: AccessTokenReply
    do throws(AuthError) {
      reply = try await ask(account, request, asking)
    } catch {
      // For the engine's error, a signed-out account differs from a missing one, but not from an
      // ended sign-in. The snapshot distinguishes the last two.
      guard error.kind == .loginRequired, let found = try? await snapshot(of: account),
        found.account?.status == .signedOut
      else { throw error }
      throw AuthError(.signedOut, AuthError.noUser, recoverySuggestion: "sign in")
    }
    // A token with control characters could split a header in two (header injection).
    guard !reply.accessToken.isEmpty, reply.accessToken.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F })
    else {
      throw AuthError(
        .providerUnavailable(retryAfter: nil, status: nil),
        "the provider gave no usable token"
      )
    }
    return AccessToken(
      reply.accessToken,
      type: reply.tokenType,
      expiresAt: reply.expiresAt.map { Int64($0) },
      scopes: reply.scope.map { $0.split(separator: " ").map(String.init) },
      isShorterThanRequested: reply.shorterThanRequested
    )
  }

  private func ask(
    _ account: String,
    _ request: TokenRequest,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccessTokenReply {
    try await EngineCall.remote(again: .always, asking) { prompt in
      AccessTokenCall(
        account: account,
        minimumLifetime: wholeSeconds(request.minimumLifetime),
        rejected: request.rejected,
        prompt: prompt,
        scope: request.scopes?.joined(separator: " "),
        audience: request.audience,
        // Do not send `remember`: consent that this app gives must not count for another program.
        narrow: request.mayNarrowLogin ? true : nil,
        reason: asking.statedReason
      )
    }
  }

  /// Signs out: ends the sign-in at the provider unless `locally`, and erases the tokens here.
  public func signOut(
    _ account: String,
    locally: Bool,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> SignOutOutcome {
    // A call that may wait for a person must not delay calls that never do.
    let threads = locally || !asking.isPossible ? BlockingWork.ending : .long
    let reply = try await EngineCall.remote(on: threads, again: .never, asking) { prompt in
      LogoutCall(account: account, local: locally, prompt: prompt)
    }
    let grant: SignOutOutcome.Grant =
      switch reply.grant {
      case .ended: .ended
      case .valid: .valid
      case .unknown: .unknown
      case Optional.some(.none): .none
      // An engine without the member `grant` says only whether the provider confirmed.
      case nil: reply.revoked ? .ended : .unknown
      }
    return SignOutOutcome(grant, reason: reply.reason)
  }

  /// Asks the provider for the user.
  public func fetchUser(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    let reply = try await EngineCall.remote(again: .always, asking) { prompt in
      WhoAmICall(account: account, prompt: prompt)
    }
    return AccountSnapshot(reply.account)
  }

  /// Asks the provider whether it still accepts the account's access token.
  public func verify(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> (TokenVerification, AccountSnapshot) {
    let reply = try await EngineCall.remote(asking) {
      VerifyTokenCall(account: account, prompt: $0)
    }
    let verification = TokenVerification(
      isAccepted: reply.accepted,
      expiresAt: reply.expiresAt.map { Int64($0) }
    )
    return (verification, AccountSnapshot(reply.account))
  }

  // MARK: Presence

  /// Turns presence protection on or off.
  public func setPresenceProtection(
    _ isOn: Bool,
    of account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    guard isOn else {
      let reply = try await EngineCall.remote(asking) {
        DisablePresenceCall(account: account, prompt: $0)
      }
      return AccountSnapshot(reply.account)
    }
    let reply = try await EngineCall.remote(asking) {
      EnablePresenceCall(account: account, prompt: $0)
    }
    return AccountSnapshot(reply.account)
  }

  /// Opens the unlock window.
  public func unlock(
    _ account: String,
    for duration: Duration?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> UnlockWindow {
    let reply = try await EngineCall.run(on: .long, asking) { prompt in
      UnlockCall(accounts: [account], duration: duration.map(wholeSeconds), prompt: prompt)
    }
    return UnlockWindow(duration: .seconds(reply.unlockedFor), accounts: reply.unlockedAccounts)
  }

  /// Closes the unlock window.
  public func lock() async throws(AuthError) {
    _ = try await EngineCall.run { _ in LockCall() }
  }

  /// Why a person can be asked neither for a finger nor for the password; `nil` if they can be
  /// asked.
  ///
  /// Only the programs of a private engine are in the directories that the app searches. The app
  /// may reach another engine from a sandbox that has no such program.
  static var presenceFlaw: String? {
    guard (try? VaultLocation(privately: false)) == .privateVault else { return nil }
    do throws(InstalledProgram.Flaw) {
      _ = try InstalledProgram(forApp: "thumblatch-presence")
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Whether a person can show presence on this machine.
  public func presenceCapability() async throws(AuthError) -> PresenceCapability {
    let fingers = try await EngineCall.run { _ in ListFingersCall() }
    let status = try await EngineCall.run { _ in GetStatusCall() }
    if let reason = Self.presenceFlaw { return .none(reason: reason) }
    if status.fingerprintLockedOut { return .passwordOnly(reason: "too many fingers failed") }
    guard let reason = Self.fingerFlaw(fingers) else {
      return .fingerprint(fingers: fingers.fingers + (fingers.desktopFingers ?? []))
    }
    let keys = status.enrolledKeys ?? []
    return keys.isEmpty ? .passwordOnly(reason: reason) : .securityKey(names: keys)
  }

  /// Why no finger counts; `nil` if one does.
  private static func fingerFlaw(_ fingers: ListFingersReply) -> String? {
    if let reason = fingers.fingerReason { return reason }
    guard fingers.reader.available else {
      return fingers.reader.reason ?? "there is no fingerprint reader"
    }
    let isEnrolled = !fingers.fingers.isEmpty || fingers.desktopFingers?.isEmpty == false
    return isEnrolled ? nil : "no finger is enrolled"
  }

  /// Runs a presence check that releases nothing.
  public func checkPresence(_ asking: PresenceAsking) async throws(AuthError) {
    _ = try await EngineCall.run(on: .long, asking) { TestPresenceCall(prompt: $0) }
  }
}

extension VaultClientError {
  /// Whether a rule forbids the method, if the engine refuses it for no other reason.
  var forbidsTheMethod: Bool { if case .refused(.refused) = self { true } else { false } }
}

extension VaultSnapshot {
  /// Makes a snapshot from the engine's answer about an account and the window.
  init(_ facts: WatchReply) {
    self.init(account: facts.account.map(AccountSnapshot.init), isUnlocked: facts.unlocked)
  }
}

extension AccountSnapshot {
  /// Makes a snapshot from the engine's answer about an account.
  init(_ account: VaultAccount) {
    let status: Status =
      switch account.state {
      case .signedOut: .signedOut
      case .loginRequired: .loginRequired(reason: account.cause)
      case .ready, .locked, .expired, .refreshing, .uncertain: .signedIn
      }
    self.init(
      name: account.name,
      user: User(
        id: account.subject,
        email: account.email,
        isEmailVerified: account.emailVerified,
        name: account.displayName,
        role: account.role,
        createdAt: account.createdAt.map { Int64($0) },
        issuer: account.issuer,
        claims: account.claims.map(ClaimValue.members) ?? [:]
      ),
      status: status,
      isProtected: account.presenceProtection,
      accessTokenExpiresAt: account.accessTokenExpiresAt.map { Int64($0) },
      refreshedAt: account.refreshedAt.map { Int64($0) }
    )
  }
}

/// A duration in whole seconds, rounded up and cut to the range of `Int`.
func wholeSeconds(_ duration: Duration) -> Int {
  let (seconds, attoseconds) = duration.components
  return Int(clamping: attoseconds > 0 && seconds < .max ? seconds + 1 : seconds)
}
