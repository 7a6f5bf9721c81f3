internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// What an answer with tokens says about who they are for.
enum Identity {
  /// Nothing that was signed.
  case unsaid
  case known(IDToken)
  /// Newer keys may help.
  case unknownKey(String)
  case refused(String)
}

// The ID token of an answer (OpenID Connect Core 1.0, sections 3.1.3.7 and 12.2). Of a login it
// decides whether there is one; of a refresh only whether the new access token may be used, for
// the refresh token has been replaced already.
extension Vault {
  /// When the answer of an exchange came, at the latest, in seconds of the wall clock: it is judged by
  /// the time at which it came, though the next engine may do so later.
  func answerMoment(of intent: IntentRow, _ provider: Provider) -> Int64 {
    min(clock.wall.seconds, intent.startedAt + Int64(provider.limits.courierLifetime))
  }

  func identity(
    in answer: TokenAnswer,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ keys: KeySet?
  ) -> Identity {
    guard provider.kind == .oidc, let oauth = provider.oauth, let text = answer.idToken else {
      return .unsaid
    }
    let pending = pending(intent)
    let known =
      keys ?? pending?.keys.flatMap { try? KeySet($0) }
      ?? (pending == nil ? keysAtHand(of: provider) : nil)
    guard let known else {
      guard pending == nil, keySource(of: provider) != nil else {
        return .refused("the provider names no keys for its ID tokens (jwks_uri)")
      }
      return .unknownKey("the provider's keys are not read yet")
    }
    do throws(IDTokenError) {
      return .known(
        try IDToken.check(
          text,
          keys: known,
          expectations: IDToken.Expectations(
            issuer: provider.issuer.text,
            clientID: oauth.clientID,
            nonce: pending?.nonce,
            // Of a refresh it is not demanded (section 12.2), and a provider that gives the same answer
            // again within a time of grace has the hash of another one in it.
            accessToken: pending == nil ? nil : answer.presentedToken,
            now: answerMoment(of: intent, provider),
            subject: pending == nil ? account.subject : nil,
            algorithms: Set(oauth.idTokenAlgorithms.map(\.rawValue))
          )
        )
      )
    } catch {
      if case .unknownKey = error { return .unknownKey("\(error)") }
      return .refused("\(error)")
    }
  }

  /// T2 for an answer with tokens; what it means for whoever waits, nil if they may be used.
  func conclude(
    _ intent: IntentRow,
    _ answer: TokenAnswer,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ evidence: Evidence
  ) throws(VaultFailure) -> VaultFailure? {
    let isSignIn = intent.purpose != .refresh
    let sent = refreshTokenSent(for: intent, evidence)
    let why: String
    switch identity(in: answer, intent, account, provider, evidence.keys) {
    case .known(let token):
      return try keepOrHold(answer, token.facts, intent, account, provider, caller, evidence)
    case .unsaid:
      // A code brings one, always (section 3.1.3.3).
      guard provider.kind == .oidc, pending(intent)?.flow == .browser else {
        return try keepOrHold(answer, answer.user, intent, account, provider, caller, evidence)
      }
      why = "the provider's answer has no ID token"
    case .refused(let reason): why = reason
    case .unknownKey(let reason):
      if !isSignIn {
        try withhold(answer, intent, account, provider, caller, sent)
        return .providerUnavailable(reason, retryAfter: nil)
      }
      why = reason
    }
    guard !isSignIn else {
      discard(answer.refreshToken, of: provider, intent)
      return try end(intent, .misconfigured(why), caller)
    }
    try keepRefreshToken(answer.refreshToken, intent, account, provider, caller, sent)
    return .misconfigured("\(why); the new access token is not used")
  }

  /// Stores what an answer brought, or holds it if it would replace a protected account.
  private func keepOrHold(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ evidence: Evidence
  ) throws(VaultFailure) -> VaultFailure? {
    if let refusal = try holdReplacement(answer, user, intent, account, provider, caller) {
      return refusal
    }
    let sent = refreshTokenSent(for: intent, evidence)
    try keep(answer, user, intent, account, provider, caller, sent)
    noteReplaced(evidence.replaced, by: answer.refreshToken, intent)
    return nil
  }

  /// The refresh token that an exchange sent.
  ///
  /// A login sends a password or a code; what it brings is always another token.
  private func refreshTokenSent(for intent: IntentRow, _ evidence: Evidence) -> SharedSecret? {
    intent.purpose == .refresh ? evidence.sent : nil
  }

  /// The keys as they are by now, where those of a login's intent are too old for the answer in its
  /// slot.
  ///
  /// It waits while the answer lies there, durable: the next engine finds it, and does the same.
  ///
  /// - Returns: `nil` if none are needed, or none can ever be read: why it is refused is told there.
  /// - Throws: `offline`, `providerUnavailable`, where they may be read later.
  func newerKeys(for intent: IntentRow, _ image: [UInt8]) async throws(VaultFailure) -> KeySet? {
    guard intent.purpose != .refresh, !SlotImage.isEmpty(image),
      let found = try? outcome(in: image, of: intent),
      case .answered(let status, let retryAfter, let body) = found
    else { return nil }
    let account = try account(withIdentifier: intent.account)
    let provider = try provider(for: intent, of: account)
    let judgement = ProviderClient(provider: provider).judge(
      status: status,
      retryAfter: retryAfter,
      body: body.bytes,
      for: tokenPurpose(of: intent)
    )
    guard case .tokens(let answer) = judgement,
      case .unknownKey = identity(in: answer, intent, account, provider, nil)
    else { return nil }
    do throws(VaultFailure) {
      return try await keys(of: provider, isMissingOne: true)
    } catch {
      let waits = "the login is finished by the next call that can read the provider's keys"
      switch error {
      case .offline(let why, let wait, _): throw .offline("\(waits): \(why)", retryAfter: wait)
      case .unavailable(let kind, let why, let wait, let status):
        throw .unavailable(kind, "\(waits): \(why)", retryAfter: wait, status: status)
      case .providerUnavailable(let why, let wait, let status):
        throw .providerUnavailable("\(waits): \(why)", retryAfter: wait, status: status)
      default: return nil
      }
    }
  }
}

extension AccountRow {
  /// Takes in what a refresh says of the person.
  ///
  /// Not every login's answer says who it was for (a password's does not): the first that does holds
  /// from then on.
  ///
  /// - Parameters:
  ///   - user: what it says.
  ///   - isWhole: whether that is all that the provider tells, as an answer to the question who this is.
  mutating func learn(_ user: UserFacts, isWhole: Bool = false) {
    subject = subject ?? user.id
    email = user.email ?? email
    displayName = user.name ?? displayName
    person.learn(user, isWhole: isWhole)
  }
}
