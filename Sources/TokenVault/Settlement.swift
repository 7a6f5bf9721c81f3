internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// Takes what lies in the slot into the store (T2), then empties the slot.
  ///
  /// It is the one way in which tokens reach the store: after an exchange, and after a crash.
  ///
  /// - Throws: what the provider's answer means for whoever waits; the store is settled by then.
  func settle(
    _ intent: IntentRow,
    with image: [UInt8],
    _ slot: borrowing SlotFile,
    caller: Caller,
    sent: SharedSecret? = nil
  ) throws(VaultFailure) {
    let failure = try judge(intent, image, caller, sent)
    // What is in the store by now is not undone by a slot that cannot be written: the next holder
    // finds no intent, and zeroes it.
    if !SlotImage.isEmpty(image) { try? slot.zero() }
    if let failure { throw failure }
  }

  /// T2 for one answer; what it means for whoever waits, nil if there is a new access token.
  private func judge(
    _ intent: IntentRow,
    _ image: [UInt8],
    _ caller: Caller,
    _ sent: SharedSecret?
  ) throws(VaultFailure) -> VaultFailure? {
    guard !SlotImage.isEmpty(image) else {
      return try unanswered(intent, "no answer came back", caller)
    }
    let outcome: ExchangeOutcome
    do throws(CryptographyError) {
      let key = try deviceSecret.derived(for: "answer", context: intent.intent)
      outcome = try SlotImage.open(image, using: key, context: try answerContext(intent))
    } catch {
      // Torn, or of another exchange: nothing can be taken from it.
      return try unanswered(intent, "the answer in the slot cannot be used", caller)
    }
    switch consume outcome {
    case .notSent(let reason):
      return try nothingSent(intent, reason, caller)
    case .answered(let status, let retryAfter, let body):
      let account = try account(withIdentifier: intent.account)
      let provider = try provider(for: intent, of: account)
      let judgement = ProviderClient(provider: provider).judge(
        status: status,
        retryAfter: retryAfter,
        body: body.bytes,
        for: TokenPurpose(rawValue: intent.purpose.rawValue) ?? .refresh,
        sent: sent
      )
      // A login sends a password; what it brings is always another token.
      let token = intent.purpose == .refresh ? sent : nil
      return try conclude(intent, judgement, account, provider, caller, token)
    }
  }

  private func conclude(
    _ intent: IntentRow,
    _ judgement: Judgement,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ sent: SharedSecret?
  ) throws(VaultFailure) -> VaultFailure? {
    let isSignIn = intent.purpose != .refresh
    switch judgement {
    case .tokens(let answer):
      try keep(answer, intent, account, provider, caller, sent)
      return nil
    case .invalidGrant where isSignIn:
      return try end(intent, .providerRefused(status: 400, "the provider refused"), caller)
    case .invalidGrant:
      return try grantEnded(intent, account, caller)
    case .refused(let status, let message):
      return try end(intent, .providerRefused(status: status, message), caller)
    case .rateLimited(let wait):
      let failure = VaultFailure.providerUnavailable(
        "the provider asks for patience (429)",
        retryAfter: wait.map(Int64.init)
      )
      return intent.attempts > 1
        ? try unanswered(intent, "the provider asks for patience", caller, least: wait)
        : try end(intent, failure, caller)
    case .failing(let status, let wait, let message):
      if isSignIn {
        return try end(
          intent,
          .providerUnavailable(message, retryAfter: wait.map(Int64.init)),
          caller
        )
      }
      // A refusal that says nothing is taken as "out of order", and asked at most every 10 min.
      let least = (400...499).contains(status) ? Int(Self.longestWait) : wait
      return try unanswered(intent, message, caller, least: least)
    case .misconfigured(let message, let refreshToken):
      if let refreshToken {
        try keepRefreshToken(refreshToken, intent, account, provider, caller, sent)
        return .misconfigured(message)
      }
      guard !isSignIn, intent.attempts > 1 else {
        return try end(intent, .misconfigured(message), caller)
      }
      // It says nothing about the answer that was lost before.
      _ = try unanswered(intent, "the provider's answer is not what was expected", caller)
      return .misconfigured(message)
    case .pending:
      // An answer to a device code, which is not asked for through an intent of this kind.
      return try end(intent, .misconfigured("the provider answers a question not asked"), caller)
    }
  }

  // MARK: - Rows

  func provider(
    for intent: IntentRow,
    of account: AccountRow
  ) throws(VaultFailure) -> Provider {
    guard let pending = pending(intent) else { return try provider(of: account) }
    do throws(ConfigurationError) {
      return try Provider(
        name: try ProviderName(pending.providerName),
        canonicalForm: pending.providerSettings
      )
    } catch {
      throw .vaultUnsafe("the provider of an unfinished login cannot be read: \(error)", hint: nil)
    }
  }

  func pending(_ intent: IntentRow) -> PendingSignIn? {
    intent.purpose == .refresh ? nil : PendingSignIn(decoding: intent.context)
  }

  func event(of intent: IntentRow) -> AuditEvent {
    switch intent.purpose {
    case .refresh: .refresh
    case .login: .login
    case .register: .registration
    }
  }
}
