internal import Configuration
internal import OAuth
internal import SecretMemory
internal import Storage

// T2 by the judgement of an answer.
extension Vault {
  /// Runs T2 for a judgement; returns the failure for the waiting callers.
  func conclude(
    _ settlement: Settlement,
    _ judgement: Judgement
  ) throws(VaultFailure) -> VaultFailure? {
    let (intent, caller) = (settlement.intent, settlement.caller)
    switch judgement {
    case .unexplained, .failing, .misconfigured, .otherError, .signInWanted:
      guard try isRefusalOfEndedToken(settlement) else { break }
      return try grantEnded(settlement, cause: Self.endedTokenRefused(settlement.status))
    default: break
    }
    switch judgement {
    case .tokens(let answer): return try conclude(settlement, answer: answer)
    case .pending: return .unexpected("a pending answer was settled")
    case .invalidGrant where settlement.isSignIn:
      let message = "the code, token or password of the sign-in is not valid"
      return try end(intent, .providerRefused(status: 400, message), caller)
    case .invalidGrant: return try grantEnded(settlement)
    case .unexplained(let status, let isEmpty):
      let answer = UnclearAnswer(status: status, kind: isEmpty ? .empty : .unreadable)
      return try refusedWithoutReason(settlement, answer)
    case .refused(let status, let message, let details):
      return try end(intent, .providerRefused(status: status, message, details), caller)
    case .otherError(let status, let code, let message):
      return try otherError(settlement, status, code, message)
    case .signInWanted(let status, let code, let words):
      return try signInWanted(settlement, status, code, words)
    case .scopeRefused(let status, let words):
      return try endUnlessUncertain(settlement, scopeRefused(status, words, settlement))
    case .rateLimited(let wait): return try rateLimited(settlement, wait)
    case .failing(let status, let wait, let message):
      return try providerFails(settlement, status, wait, message)
    case .misconfigured(let message, let refreshToken, let isSuccess):
      return try misconfigured(settlement, message, refreshToken, isSuccess)
    }
  }

  /// Runs T2 for an answer with tokens; an import that brought no refresh token keeps the one that
  /// it sent.
  private func conclude(
    _ settlement: Settlement,
    answer: TokenAnswer
  ) throws(VaultFailure) -> VaultFailure? {
    guard settlement.isImport, answer.refreshToken == nil else {
      return try conclude(settlement, answer)
    }
    guard let sent = settlement.evidence.sent else {
      // The engine that sent it has ended, and the token is still the other program's.
      return try end(settlement.intent, .importInterrupted, settlement.caller)
    }
    return try conclude(settlement, answer.keeping(sent))
  }

  /// Ends an exchange, unless the answer to an earlier one was lost: this answer says nothing about
  /// that.
  ///
  /// A successful refresh without a readable token may have replaced the refresh token.
  private func endUnlessUncertain(
    _ settlement: Settlement,
    _ failure: VaultFailure,
    isSuccess: Bool = false
  ) throws(VaultFailure) -> VaultFailure {
    guard !settlement.isSignIn, isSuccess || settlement.intent.attempts > 1 else {
      return try end(settlement.intent, failure, settlement.caller)
    }
    let kind: UnclearAnswer.Kind
    if isSuccess {
      kind = .uselessSuccess
    } else if settlement.isRefusedAgain, settlement.isClientError {
      kind = .onlyErrors
    } else {
      kind = settlement.isRefusal ? .otherError : .other
    }
    let answer = UnclearAnswer(status: settlement.status, kind: kind)
    _ = try unanswered(settlement.intent, answer.text, settlement.caller, answer: answer)
    return failure
  }

  /// A refusal that may mean a dead token, if the provider has a word of its own for one.
  private func otherError(
    _ settlement: Settlement,
    _ status: Int,
    _ code: String?,
    _ message: String
  ) throws(VaultFailure) -> VaultFailure {
    let (intent, caller) = (settlement.intent, settlement.caller)
    guard !settlement.isSignIn else { return try end(intent, .misconfigured(message), caller) }
    let isFirst = intent.attempts == 1
    let isOnly = isFirst || settlement.isRefusedAgain
    let answer = UnclearAnswer(status: status, kind: isOnly ? .onlyErrors : .otherError, code: code)
    let advice = answer.advice(message, for: settlement.provider)
    // The error may be about the scopes or the audience of this call.
    guard !isFirst || scopeSet(of: intent).isEmpty else {
      return try end(intent, .misconfigured(advice), caller)
    }
    _ = try unanswered(intent, answer.text, caller, answer: answer)
    return .misconfigured(advice)
  }

  /// A refusal until the person signs in again: the box is kept, and never sent again.
  private func signInWanted(
    _ settlement: Settlement,
    _ status: Int,
    _ code: String,
    _ words: String?
  ) throws(VaultFailure) -> VaultFailure {
    let (intent, caller) = (settlement.intent, settlement.caller)
    let cause = Self.signInWanted(code)
    let message = cause + (words.map { ": \($0)" } ?? "")
    guard !settlement.isSignIn else {
      return try end(intent, .providerRefused(status: status, message), caller)
    }
    // The single token is still valid, and is used until it expires.
    guard !settlement.provider.hasOneToken else {
      return try otherError(settlement, status, code, message)
    }
    // The provider may want the person for these scopes, or for this audience, only.
    guard scopeSet(of: intent).isEmpty else {
      return try endUnlessUncertain(settlement, .providerRefused(status: status, message))
    }
    return try grantEnded(settlement, cause: cause, message: message)
  }

  /// The cause of an account that a provider refuses until the person signs in again.
  static func signInWanted(_ code: String) -> String {
    "the provider wants you to sign in again (\(code))"
  }

  private func rateLimited(
    _ settlement: Settlement,
    _ wait: Int?
  ) throws(VaultFailure) -> VaultFailure {
    let (intent, caller) = (settlement.intent, settlement.caller)
    guard intent.attempts == 1 else {
      let why = "the provider asks to wait"
      // The provider has not used the token: earlier refusals stay what they are.
      let known = settlement.isRefusedAgain ? settlement.evidence.earlier : nil
      let answer = known ?? UnclearAnswer(status: 429, kind: .other)
      return try unanswered(intent, why, caller, least: wait, answer: answer)
    }
    if !settlement.isSignIn { noteRetryAfter(wait, of: intent.account) }
    return try end(intent, .retryAfter(retryAfter: wait.map(Int64.init)), caller)
  }

  private func providerFails(
    _ settlement: Settlement,
    _ status: Int,
    _ wait: Int?,
    _ message: String
  ) throws(VaultFailure) -> VaultFailure {
    let (intent, caller) = (settlement.intent, settlement.caller)
    let isRefusal = settlement.isClientError
    guard settlement.isSignIn else {
      // A refusal that says nothing is taken as "out of order", and tried at most every 10 minutes.
      let least = isRefusal ? Int(Self.longestWait) : wait
      let isSuccess = (200...299).contains(status)
      let answer = UnclearAnswer(status: status, kind: isSuccess ? .garbledSuccess : .other)
      let why = isSuccess ? answer.advice(for: settlement.provider) : message
      return try unanswered(intent, why, caller, least: least, answer: answer)
    }
    // A refusal says that it did nothing. Any other answer leaves open whether it signed in, or
    // made the user.
    let wait = wait.map(Int64.init)
    let failure: VaultFailure =
      isRefusal
      ? .providerUnavailable(message, retryAfter: wait, status: status)
      : .unavailable(.uncertain, message, retryAfter: wait, status: status)
    return try end(intent, failure, caller)
  }

  /// The answer to a refresh is larger than the exchange helper reads, so its status is not known.
  func tooLarge(_ settlement: Settlement) throws(VaultFailure) -> VaultFailure {
    let answer = UnclearAnswer(status: 0, kind: .tooLarge)
    let advice = answer.advice(for: settlement.provider)
    return try unanswered(settlement.intent, advice, settlement.caller, answer: answer)
  }

  /// The answer is not what the provider's settings say; it may have brought a refresh token.
  private func misconfigured(
    _ settlement: Settlement,
    _ message: String,
    _ refreshToken: SharedSecret?,
    _ isSuccess: Bool
  ) throws(VaultFailure) -> VaultFailure {
    let provider = settlement.provider
    // An answer without an ID token does not say whose it is. A token that the settings deny is not
    // kept either. An import has used up the token before.
    if let refreshToken, !settlement.isSignIn || settlement.isImport || provider.kind != .oidc,
      provider.oauth == nil || !provider.hasOneToken, try mayKeep(settlement, nil)
    {
      try keepRefreshToken(refreshToken, settlement)
      noteReplaced(settlement.evidence.replaced, by: refreshToken, settlement.intent)
      return .misconfigured(message)
    }
    if settlement.isSignIn { discard(refreshToken, of: provider, subject: nil, settlement.intent) }
    let isUsed = isSuccess && !settlement.isSignIn
    let why = isUsed ? "\(message); \(UnclearAnswer.mayBeUsed)" : message
    return try endUnlessUncertain(settlement, .misconfigured(why), isSuccess: isSuccess)
  }

  /// The provider does not grant the scopes that a person typed, or those of its file.
  private func scopeRefused(
    _ status: Int,
    _ words: String?,
    _ settlement: Settlement
  ) -> VaultFailure {
    let typed =
      settlement.isSignIn
      ? settlement.pending?.scope ?? ""
      : ScopeRequest(key: scopeSet(of: settlement.intent))?.scopes.joined(separator: " ") ?? ""
    guard typed.isEmpty || !settlement.isSignIn else { return .scopeRefused(status, words, typed) }
    let said = VaultFailure.invalidScope(words)
    let test =
      "thumblatch provider test \(settlement.provider.name.text) shows those that it offers"
    guard typed.isEmpty else {
      return .invalidArgument(
        "the provider does not grant the scopes that were asked for, \(typed) (\(said)); \(test)"
      )
    }
    return .misconfigured("the provider does not grant the scopes of its file (\(said)); \(test)")
  }
}

extension VaultFailure {
  /// A sign-in whose scopes the provider does not grant.
  static func scopeRefused(_ status: Int, _ words: String?, _ scopes: String) -> VaultFailure {
    .providerRefused(status: status, "\(invalidScope(words)) (asked for: \(scopes))")
  }

  fileprivate static func invalidScope(_ words: String?) -> String {
    "invalid_scope" + (words.map { ": \($0)" } ?? "")
  }
}

extension AccountRow {
  /// Whether the provider may still accept the refresh token: no answer says that it is dead.
  var mayHaveLiveToken: Bool {
    let start = Vault.signInWanted("").dropLast()
    return state == .signedIn || state == .loginRequired && cause?.hasPrefix(start) == true
  }
}
