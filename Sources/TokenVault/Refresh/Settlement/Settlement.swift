internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage

/// How an exchange was settled, if it did not fail.
enum Settled: Sendable {
  /// There are new tokens.
  case tokens
  /// The person has not decided at the provider yet, and nothing was changed.
  case pending(slowDown: Bool)
}

/// What an answer is judged with, besides what its intent says.
struct Evidence {
  /// The secret that was sent; `nil` if another engine sent it.
  var sent: SharedSecret?
  /// The provider's keys, if they are newer than those in the intent.
  var keys: KeySet?
  /// The answer to the previous try, if it was unclear.
  var earlier: UnclearAnswer?
  /// Whether the exchange helper stopped reading, because the answer is too large.
  var isTooLarge = false
  /// The login that this one replaces.
  var replaced: ReplacedSignIn?
  /// The account that was refreshed, as it was before.
  var account: AccountContext?
}

/// The settlement of one answer: the exchange that it answers, and what it is judged with.
struct Settlement {
  let intent: IntentRow
  /// The values that a sign-in keeps for its answer; `nil` for a refresh.
  let pending: SignInIntent?
  /// The account as it is before the answer counts.
  let account: AccountRow
  /// The provider that answers.
  let provider: Provider
  let caller: Caller
  /// The HTTP status of the answer.
  var status = 0
  var evidence = Evidence()

  var isSignIn: Bool { intent.purpose != .refresh }
  /// Whether it takes over a login of another program.
  var isImport: Bool { pending?.flow == .importing }
  /// Whether the HTTP status is one of a refusal (400, 401, 403).
  var isRefusal: Bool { [400, 401, 403].contains(status) }
  /// Whether the provider says that the request is at fault.
  var isClientError: Bool { (400...499).contains(status) }
  /// Whether the provider has refused each earlier try, so that no answer was lost.
  var isRefusedAgain: Bool { evidence.earlier?.leavesNoDoubt == true }

  /// The refresh token that was sent; `nil` for a sign-in.
  ///
  /// A sign-in sends a password or a code, so its answer always has a new token. The token that an
  /// import sends is not the account's token yet.
  var sent: SharedSecret? { isSignIn ? nil : evidence.sent }

  /// Whether the earlier access tokens of all sets are no longer usable.
  ///
  /// After a login they may be another person's, of another provider. After a refresh some
  /// providers have ended them.
  var endsAccessTokens: Bool { isSignIn || provider.oauth?.refreshEndsAccessTokens == true }

  /// What was sent to the token endpoint.
  var tokenPurpose: TokenPurpose {
    switch intent.purpose {
    case .refresh: .refresh
    case .register: .register
    case .login:
      switch pending?.flow {
      case .browser: .code
      case .device: .device
      case .importing: .refresh
      case .password, nil: .login
      }
    }
  }
}

extension IntentRow {
  /// The values that a sign-in keeps for its answer; `nil` for a refresh.
  var pendingSignIn: SignInIntent? {
    purpose == .refresh ? nil : SignInIntent(decoding: context, of: account)
  }

  /// The event of the audit log that its exchange is.
  var event: AuditEvent {
    switch purpose {
    case .refresh: .refresh
    case .login: pendingSignIn?.flow == .importing ? .imported : .login
    case .register: .registration
    }
  }
}

// T2. It is the only way in which tokens reach the store: after an exchange, and after a crash.
extension Vault {
  /// Stores the contents of the slot (T2), then empties the slot.
  ///
  /// - Throws: what the provider's answer means for the waiting callers; the store is settled by
  ///   then.
  @discardableResult
  func settle(
    _ intent: IntentRow,
    with image: [UInt8],
    _ slot: borrowing SlotFile,
    caller: Caller,
    evidence: Evidence = Evidence()
  ) throws(VaultFailure) -> Settled {
    let verdict: Result<Settled, VaultFailure>
    do throws(VaultFailure) {
      verdict = try judge(intent, image, caller, evidence)
    } catch {
      throw error.afterRequest
    }
    refreshes.unwritten.drop(of: intent.account)
    // If the slot cannot be written, the stored answer still stands: the next holder finds no
    // intent, and zeroes the slot.
    guard !SlotImage.isEmpty(image) else { return try verdict.get() }
    // While the intent exists, an image in the slot after a crash would be judged again.
    let isSettled = (try? store.intent(account: intent.account) == nil) ?? false
    try? slot.zero(isDurable: !isSettled)
    return try verdict.get()
  }

  /// Stores the answer to a refresh.
  @discardableResult
  func settle(_ answer: borrowing RefreshAnswer, caller: Caller) throws(VaultFailure) -> Settled {
    try settle(
      answer.intent,
      with: answer.image,
      answer.slot,
      caller: caller,
      evidence: answer.evidence
    )
  }

  /// Runs T2 for one answer; returns what it means for the waiting callers.
  private func judge(
    _ intent: IntentRow,
    _ image: [UInt8],
    _ caller: Caller,
    _ evidence: Evidence
  ) throws(VaultFailure) -> Result<Settled, VaultFailure> {
    guard !SlotImage.isEmpty(image) else {
      guard evidence.isTooLarge else {
        return .failure(try unanswered(intent, "no answer came back", caller))
      }
      return .failure(try tooLarge(try settlement(of: intent, caller, evidence)))
    }
    let outcome: ExchangeOutcome
    do throws(CryptographyError) {
      outcome = try self.outcome(in: image, of: intent)
    } catch {
      // Torn, or of another exchange: nothing can be taken from it.
      return .failure(try unanswered(intent, "the answer in the slot cannot be used", caller))
    }
    switch consume outcome {
    case .notSent(let reason):
      return .failure(try nothingSent(intent, reason, caller, after: evidence.earlier))
    case .answered(let status, let retryAfter, let body):
      var settlement = try settlement(of: intent, caller, evidence)
      settlement.status = status
      let judgement = ProviderClient(provider: settlement.provider).judge(
        status: status,
        retryAfter: retryAfter,
        body: body.bytes,
        for: settlement.tokenPurpose,
        sent: evidence.sent
      )
      if case .pending(let slowDown) = judgement {
        try forget(intent)
        return .success(.pending(slowDown: slowDown))
      }
      do throws(VaultFailure) {
        let failure = try conclude(settlement, judgement)
        return failure.map { .failure($0) } ?? .success(.tokens)
      } catch {
        // An interrupted import begins again, without the answer.
        throw settlement.isImport ? error : error.withKeptAnswer
      }
    }
  }

  /// The settlement of the answer to an intent, with the account as it is now.
  func settlement(
    of intent: IntentRow,
    _ caller: Caller,
    _ evidence: Evidence = Evidence()
  ) throws(VaultFailure) -> Settlement {
    let account = try account(withIdentifier: intent.account)
    let known = intent.purpose == .refresh ? evidence.account?.provider(for: account) : nil
    let provider = if let known { known } else { try provider(for: intent, of: account) }
    return Settlement(
      intent: intent,
      pending: intent.pendingSignIn,
      account: account,
      provider: provider,
      caller: caller,
      evidence: evidence
    )
  }

  /// The outcome that the exchange helper has left in the slot.
  func outcome(
    in image: [UInt8],
    of intent: IntentRow
  ) throws(CryptographyError) -> ExchangeOutcome {
    try SlotImage.open(
      image,
      using: try storeState.keys.secret.derived(for: "answer", context: intent.intent),
      context: try answerContext(intent)
    )
  }

  /// The provider that an exchange goes to: a sign-in keeps its own in the intent.
  func provider(for intent: IntentRow, of account: AccountRow) throws(VaultFailure) -> Provider {
    guard let pending = intent.pendingSignIn else { return try provider(of: account) }
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
}
