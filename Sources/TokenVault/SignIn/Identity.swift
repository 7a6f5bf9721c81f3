internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// The identity that an answer with tokens gives.
enum Identity {
  /// The answer has no signed statement: the provider is not OpenID Connect, or sent no ID token.
  case unsaid
  case known(IDToken)
  /// No known key has signed the ID token; newer keys of the provider may help.
  case unknownKey(String)
  case refused(String)
}

// The ID token of an answer (OpenID Connect Core 1.0, sections 3.1.3.7 and 12.2). For a sign-in it
// decides whether the sign-in succeeds. For a refresh it decides only whether the new access token
// may be used, because the refresh token has already been replaced.
extension Vault {
  /// The latest time at which the answer of an exchange came, in seconds of the wall clock.
  ///
  /// An answer is judged by the time at which it came, even if the next engine judges it later.
  func answerMoment(of intent: IntentRow, _ provider: Provider) -> Int64 {
    min(clock.wall.seconds, intent.startedAt + Int64(provider.limits.exchangeHelperLifetime))
  }

  func identity(in answer: TokenAnswer, _ settlement: Settlement) -> Identity {
    let provider = settlement.provider
    guard provider.kind == .oidc, let oauth = provider.oauth, let text = answer.idToken else {
      return .unsaid
    }
    let pending = settlement.pending
    let known =
      settlement.evidence.keys ?? pending?.keys.flatMap { try? KeySet($0) }
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
            // A refresh need not repeat `at_hash` (section 12.2). A provider that repeats an answer
            // within a grace period sends the hash of another access token.
            accessToken: pending == nil || settlement.isImport ? nil : answer.presentedToken,
            now: answerMoment(of: settlement.intent, provider),
            subject: pending == nil ? settlement.account.subject : nil,
            algorithms: Set(oauth.idTokenAlgorithms.map(\.rawValue))
          )
        )
      )
    } catch {
      switch error {
      case .unknownKey, .wrongSignature: return .unknownKey("\(error)")
      case .refused: return .refused("\(error)")
      }
    }
  }

  /// Runs T2 for an answer with tokens.
  ///
  /// Returns the failure for the waiting callers; `nil` if the tokens may be used.
  func conclude(
    _ settlement: Settlement,
    _ answer: TokenAnswer
  ) throws(VaultFailure) -> VaultFailure? {
    let why: String
    switch identity(in: answer, settlement) {
    case .known(let token): return try keepOrHold(answer, token.facts, settlement)
    case .unsaid:
      // A code always brings an ID token (section 3.1.3.3).
      guard settlement.provider.kind == .oidc, settlement.pending?.flow == .browser else {
        return try keepOrHold(answer, answer.user, settlement)
      }
      why = "the provider's answer has no ID token"
    case .refused(let reason): why = reason
    case .unknownKey(let reason):
      if !settlement.isSignIn {
        try withhold(answer, settlement)
        return .providerUnavailable(reason)
      }
      why = reason
    }
    guard !settlement.isSignIn || settlement.isImport else {
      discard(answer.refreshToken, of: settlement.provider, subject: nil, settlement.intent)
      return try end(settlement.intent, .misconfigured(why), settlement.caller)
    }
    try keepRefreshToken(answer.refreshToken, settlement)
    return .misconfigured("\(why); the new access token is not used")
  }

  /// Stores what an answer brought, or holds it if it would replace a protected account.
  private func keepOrHold(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ settlement: Settlement
  ) throws(VaultFailure) -> VaultFailure? {
    if let refusal = try holdReplacement(answer, user, settlement) { return refusal }
    try keep(answer, user, settlement)
    noteReplaced(settlement.evidence.replaced, by: answer.refreshToken, settlement.intent)
    return nil
  }

  /// The provider's current keys, if the keys in a sign-in's intent are too old for the answer in
  /// its slot.
  ///
  /// The answer stays in the slot while this function waits. If the engine ends, the next engine
  /// finds the answer and does the same.
  ///
  /// - Returns: `nil` if none are needed, or if none can ever be read. The refusal of the answer
  ///   then says why.
  /// - Throws: `offline`, `providerUnavailable`, if the keys may be read later.
  func newerKeys(for intent: IntentRow, _ image: [UInt8]) async throws(VaultFailure) -> KeySet? {
    guard intent.purpose != .refresh, !SlotImage.isEmpty(image),
      let found = try? outcome(in: image, of: intent),
      case .answered(let status, let retryAfter, let body) = found
    else { return nil }
    let settlement = try settlement(of: intent, .engine(owner))
    let provider = settlement.provider
    let judgement = ProviderClient(provider: provider).judge(
      status: status,
      retryAfter: retryAfter,
      body: body.bytes,
      for: settlement.tokenPurpose
    )
    guard case .tokens(let answer) = judgement,
      case .unknownKey = identity(in: answer, settlement)
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
  /// Takes in the facts that an answer gives about the person.
  ///
  /// Some sign-in answers do not name the person (a password's does not). The first identifier that
  /// an answer gives is kept from then on.
  ///
  /// - Parameters:
  ///   - user: the facts.
  ///   - isWhole: whether these are all facts that the provider gives, as in the answer to a
  ///     profile request.
  mutating func learn(_ user: UserFacts, isWhole: Bool = false) {
    subject = subject ?? user.id
    email = user.email ?? email
    displayName = user.name ?? displayName
    person.learn(user, isWhole: isWhole)
  }
}
