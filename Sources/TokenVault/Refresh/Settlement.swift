internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// How an exchange was settled, where it did not fail.
enum Settled: Sendable {
  /// There are new tokens.
  case tokens
  /// Nobody has said yes or no at the provider yet: nothing was changed.
  case pending(slowDown: Bool)
}

extension Vault {
  /// What an answer is judged with, besides what the intent says.
  struct Evidence {
    /// The secret that was sent; `nil` if another engine sent it.
    var sent: SharedSecret?
    /// The provider's keys, where they are newer than those in the intent.
    var keys: KeySet?
    /// The status with which the try before this one was refused, if its answer was empty.
    var refused: Int?
    /// The refresh token of the login that this one replaces, and its provider.
    var replaced: ReplacedSignIn?
  }

  /// Takes what lies in the slot into the store (T2), then empties the slot.
  ///
  /// It is the one way in which tokens reach the store: after an exchange, and after a crash.
  ///
  /// - Throws: what the provider's answer means for whoever waits; the store is settled by then.
  @discardableResult
  func settle(
    _ intent: IntentRow,
    with image: [UInt8],
    _ slot: borrowing SlotFile,
    caller: Caller,
    evidence: Evidence = Evidence()
  ) throws(VaultFailure) -> Settled {
    let verdict = try judge(intent, image, caller, evidence)
    // What is in the store by now is not undone by a slot that cannot be written: the next holder
    // finds no intent, and zeroes it.
    guard !SlotImage.isEmpty(image) else { return try verdict.get() }
    // Where the intent stays, what a crash brings back would be judged again.
    var isSettled = false
    if case .success(nil) = Result(catching: { try store.intent(account: intent.account) }) {
      isSettled = true
    }
    try? slot.zero(isDurable: !isSettled)
    return try verdict.get()
  }

  /// Takes the answer to a refresh into the store.
  @discardableResult
  func settle(
    _ answer: borrowing RefreshAnswer,
    caller: Caller
  ) throws(VaultFailure) -> Settled {
    try settle(
      answer.intent,
      with: answer.image,
      answer.slot,
      caller: caller,
      evidence: answer.evidence
    )
  }

  /// T2 for one answer; what it means for whoever waits.
  private func judge(
    _ intent: IntentRow,
    _ image: [UInt8],
    _ caller: Caller,
    _ evidence: Evidence
  ) throws(VaultFailure) -> Result<Settled, VaultFailure> {
    guard !SlotImage.isEmpty(image) else {
      return .failure(try unanswered(intent, "no answer came back", caller))
    }
    let outcome: ExchangeOutcome
    do throws(CryptographyError) {
      outcome = try self.outcome(in: image, of: intent)
    } catch {
      // Torn, or of another exchange: nothing can be taken from it.
      return .failure(
        try unanswered(intent, "the answer in the slot cannot be used", caller)
      )
    }
    switch consume outcome {
    case .notSent(let reason):
      return .failure(try nothingSent(intent, reason, caller))
    case .answered(let status, let retryAfter, let body):
      let account = try account(withIdentifier: intent.account)
      let provider = try provider(for: intent, of: account)
      let judgement = ProviderClient(provider: provider).judge(
        status: status,
        retryAfter: retryAfter,
        body: body.bytes,
        for: tokenPurpose(of: intent),
        sent: evidence.sent
      )
      if case .pending(let slowDown) = judgement {
        try forget(intent)
        return .success(.pending(slowDown: slowDown))
      }
      let failure = try conclude(intent, judgement, account, provider, caller, evidence)
      return failure.map { .failure($0) } ?? .success(.tokens)
    }
  }

  /// What the exchange helper of an exchange has left in the slot.
  func outcome(
    in image: [UInt8],
    of intent: IntentRow
  ) throws(CryptographyError) -> ExchangeOutcome {
    try SlotImage.open(
      image,
      using: try deviceSecret.derived(for: "answer", context: intent.intent),
      context: try answerContext(intent)
    )
  }

  private func conclude(
    _ intent: IntentRow,
    _ judgement: Judgement,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ evidence: Evidence
  ) throws(VaultFailure) -> VaultFailure? {
    let isSignIn = intent.purpose != .refresh
    // A login sends a password or a code; what it brings is always another token.
    let sent = isSignIn ? nil : evidence.sent
    switch judgement {
    case .tokens(let answer):
      return try conclude(intent, answer, account, provider, caller, evidence)
    case .pending: return .unexpected("a pending answer was settled")
    case .invalidGrant where isSignIn:
      return try end(intent, .providerRefused(status: 400, "the provider refused"), caller)
    case .invalidGrant:
      return try grantEnded(intent, account, caller)
    case .unexplained(let status):
      return try refusedWithoutReason(intent, status, account, caller, evidence)
    case .refused(let status, let message, let details):
      return try end(intent, .providerRefused(status: status, message, details), caller)
    case .scopeRefused(_, let words):
      let failure = scopeRefused(words, intent, provider)
      guard !isSignIn, intent.attempts > 1 else { return try end(intent, failure, caller) }
      _ = try unanswered(intent, "the provider refused the scopes", caller)
      return failure
    case .rateLimited(let wait):
      guard intent.attempts == 1 else {
        return try unanswered(
          intent,
          "the provider asks for patience",
          caller,
          least: wait,
          status: 429
        )
      }
      if !isSignIn { noteRetryAfter(wait, of: account.id) }
      return try end(intent, .retryAfter(retryAfter: wait.map(Int64.init)), caller)
    case .failing(let status, let wait, let message):
      if isSignIn {
        let wait = wait.map(Int64.init)
        // A refusal says that it did nothing. Any other answer leaves open whether it signed in, or
        // made the user.
        return try end(
          intent,
          (400...499).contains(status)
            ? .providerUnavailable(message, retryAfter: wait, status: status)
            : .unavailable(.uncertain, message, retryAfter: wait, status: status),
          caller
        )
      }
      // A refusal that says nothing is taken as "out of order", and asked at most every 10 min.
      let least = (400...499).contains(status) ? Int(Self.longestWait) : wait
      return try unanswered(intent, message, caller, least: least, status: status)
    case .misconfigured(let message, let refreshToken):
      // Whose it is, an answer without an ID token does not say.
      // Nor is one kept that the file says there is none of.
      if let refreshToken, !isSignIn || provider.kind != .oidc,
        provider.oauth == nil || !provider.hasOneToken,
        try pending(intent).map({ pending throws(VaultFailure) in
          try mayKeep(pending, nil, account, provider)
        }) ?? true
      {
        try keepRefreshToken(refreshToken, intent, account, provider, caller, sent)
        noteReplaced(evidence.replaced, by: refreshToken, intent)
        return .misconfigured(message)
      }
      if isSignIn { discard(refreshToken, of: provider, intent) }
      guard !isSignIn, intent.attempts > 1 else {
        return try end(intent, .misconfigured(message), caller)
      }
      // It says nothing about the answer that was lost before.
      _ = try unanswered(intent, "the provider's answer is not what was expected", caller)
      return .misconfigured(message)
    }
  }

  /// The provider does not grant the scopes: those that were typed just now, or those of its file.
  private func scopeRefused(
    _ words: String?,
    _ intent: IntentRow,
    _ provider: Provider
  ) -> VaultFailure {
    let said = "invalid_scope" + (words.map { ": \($0)" } ?? "")
    let typed =
      intent.purpose == .refresh
      ? ScopeRequest(key: scopeSet(of: intent))?.scopes.joined(separator: " ") ?? ""
      : pending(intent)?.scope ?? ""
    let test = "thumblatch provider test \(provider.name.text) shows those that it offers"
    guard typed.isEmpty else {
      return .invalidArgument(
        "the provider does not grant the scopes that were asked for, \(typed) (\(said)); \(test)"
      )
    }
    return .misconfigured("the provider does not grant the scopes of its file (\(said)); \(test)")
  }

  // MARK: - Rows

  func provider(
    for intent: IntentRow,
    of account: AccountRow
  ) throws(VaultFailure) -> Provider {
    guard let pending = pending(intent) else { return try provider(of: account) }
    let form = pending.providerSettings
    let secret = try clientSecret(pending.sealedClientSecret, beside: form, of: account)
    return try mappingErrors(to: .damaged("the provider of an unfinished login cannot be read")) {
      try Provider(
        name: try ProviderName(pending.providerName),
        canonicalForm: form,
        clientSecret: secret
      )
    }
  }

  func pending(_ intent: IntentRow) -> SignInIntent? {
    intent.purpose == .refresh
      ? nil : SignInIntent(decoding: intent.context, of: intent.account)
  }

  func tokenPurpose(of intent: IntentRow) -> TokenPurpose {
    switch intent.purpose {
    case .refresh: .refresh
    case .register: .register
    case .login:
      switch pending(intent)?.flow {
      case .browser: .code
      case .device: .device
      case .password, nil: .login
      }
    }
  }

  func event(of intent: IntentRow) -> AuditEvent {
    switch intent.purpose {
    case .refresh: .refresh
    case .login: .login
    case .register: .registration
    }
  }
}
