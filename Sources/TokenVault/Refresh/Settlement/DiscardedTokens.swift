internal import Configuration
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage

// A sign-in may yield a refresh token that is not kept, because its ID token is refused. A sign-in
// may also replace a refresh token that is still valid. Both would stay valid at the provider, and
// no program could end them. So each is revoked once, and the caller gets the result.

/// A refresh token that the vault does not keep.
struct DiscardedToken: Sendable {
  let provider: Provider
  /// The provider's identifier of the person; `nil` if it is not known.
  let subject: String?
  let token: SharedSecret
}

extension Vault {
  /// Notes the refresh token of an answer that is not kept.
  func discard(
    _ token: SharedSecret?,
    of provider: Provider,
    subject: String?,
    _ intent: IntentRow
  ) {
    guard let token else { return }
    let discarded = DiscardedToken(provider: provider, subject: subject, token: token)
    noteDiscarded(discarded, intent.intent)
  }

  /// Revokes the refresh token of an answer that is not kept.
  ///
  /// - Returns: the result; `nil` if no token was noted.
  func revokeDiscarded(of intent: [UInt8]) async -> Revocation? {
    guard let found = takeDiscarded(intent) else { return nil }
    guard !endsOtherLogins(found.provider, subject: found.subject) else { return .endsOtherLogins }
    return await end(found.token, at: found.provider)
  }

  /// Whether the revocation of a login that is not kept would end the login of an account.
  ///
  /// - Parameters:
  ///   - provider: the provider of the login.
  ///   - subject: the person that signed in; `nil`, which may be anybody, if that is not known.
  /// - Returns: `true` also if that is not known.
  func endsOtherLogins(_ provider: Provider, subject: String?) -> Bool {
    guard let accounts = try? accounts() else { return true }
    return accounts.contains { row in
      guard row.hasUsableToken, let other = try? self.provider(of: row),
        other.issuer == provider.issuer, other.clientID == provider.clientID,
        [provider.revocationEnds, other.revocationEnds].contains(.allLogins)
      else { return false }
      guard let subject, let known = row.subject else { return true }
      return subject.utf8.elementsEqual(known.utf8)
    }
  }

  /// Forgets it; the provider is not notified.
  func dropDiscarded(of intent: [UInt8]) {
    _ = takeDiscarded(intent)
  }

  // MARK: - The previous login

  /// The login that another one is about to replace; `nil` if there is none to end.
  ///
  /// Its refresh token is opened before the exchange, because the box is gone afterwards. A token
  /// that needs a presence check is not opened.
  func signInToReplace(in row: AccountRow, _ caller: Caller) async -> ReplacedSignIn? {
    guard row.sealedRefreshToken != nil, let provider = try? provider(of: row) else { return nil }
    guard row.mayHaveLiveToken else {
      // The token of a dead grant is never sent again. Another token may be valid: the answer that
      // brought it was lost, or the store is an old copy.
      let known = notRevoked(row, row.cause)
      guard known.grant == .unknown else { return nil }
      return ReplacedSignIn(provider: provider, subject: row.subject, token: nil, left: known)
    }
    let location = await locationOfWindow(caller)
    let use = Use(purpose: .refresh, caller: caller)
    guard
      let authority = try? authorityWithoutAsking(for: row, caller, at: location, extending: false),
      let token = try? openRefreshToken(of: row, authority: authority, use: use)
    else { return ReplacedSignIn(provider: provider, subject: row.subject, token: nil) }
    return ReplacedSignIn(provider: provider, subject: row.subject, token: SharedSecret(token))
  }

  /// The same for a login that a killed engine began and this engine finishes.
  func signInToReplace(by intent: IntentRow) async throws(VaultFailure) -> ReplacedSignIn? {
    guard intent.purpose != .refresh, let row = try accountIfAny(withIdentifier: intent.account)
    else { return nil }
    return await signInToReplace(in: row, .engine(owner))
  }

  /// Notes the refresh token of the replaced login.
  ///
  /// If the provider gave the same token again, a revocation would end the new login.
  func noteReplaced(_ login: ReplacedSignIn?, by new: SharedSecret?, _ intent: IntentRow) {
    guard let login, let old = login.token, let new,
      !SecretBytes.constantTimeEqual(old.bytes, new.bytes)
    else { return }
    discard(old, of: login.provider, subject: login.subject, intent)
  }

  /// Ends the login that another one has replaced.
  ///
  /// - Returns: the result; `nil` if there is nothing to end.
  func end(_ login: ReplacedSignIn, replacedBy intent: [UInt8]) async -> Revocation? {
    guard login.token != nil else {
      return login.left ?? Revocation(.valid, "that needs a presence check")
    }
    return await revokeDiscarded(of: intent)
  }
}

/// The login that another login of the account replaces.
struct ReplacedSignIn: Sendable {
  let provider: Provider
  let subject: String?
  /// `nil` if it may not be opened, or must not be sent.
  let token: SharedSecret?
  /// The known result, if the token must not be sent.
  var left: Revocation?
}

extension Revocation {
  /// The token of a login that is not revoked, because other logins would end too.
  static let endsOtherLogins = Revocation(
    .valid,
    "the provider would end other logins with it (revocation_ends = all-logins)"
  )

  private var why: String { reason ?? "it was not asked" }

  /// The text about a refresh token that was not kept.
  var ofDiscarded: String {
    switch grant {
    case .ended, .none: "the refresh token that came with it was revoked"
    case .valid: "the refresh token that came with it stays valid at the provider (\(why))"
    case .unknown: "the refresh token that came with it may stay valid at the provider (\(why))"
    }
  }
}

extension VaultFailure {
  /// The same failure, with the fate of the refresh token that came with it.
  func telling(_ revocation: Revocation?) -> VaultFailure {
    guard let revocation else { return self }
    switch self {
    case .misconfigured(let why): return .misconfigured("\(why); \(revocation.ofDiscarded)")
    case .providerRefused(let status, let why, let details):
      return .providerRefused(status: status, "\(why); \(revocation.ofDiscarded)", details)
    case .presenceFailed(let failure, let methods) where failure.outcome == .denied:
      let why = "\(failure.detail); \(revocation.ofDiscarded)"
      return .presenceFailed(.denied(why), methods: methods)
    default: return self
    }
  }
}
