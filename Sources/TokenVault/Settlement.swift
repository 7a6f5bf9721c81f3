internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// Never sooner than this after a lost answer, in seconds; doubled each time.
  private static let firstWait: Int64 = 2
  private static let longestWait: Int64 = 600

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

  // MARK: - T2, one for each kind of answer

  /// New tokens: box n+1, access token, intent cleared, in one transaction.
  private func keep(
    _ answer: TokenAnswer,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ sent: SharedSecret?
  ) throws(VaultFailure) {
    let now = clock.wall.seconds
    var row = try signedIn(account, intent, provider, answer.user)
    let rotation = try rotate(&row, to: answer.refreshToken, from: account, sent: sent)
    row.refreshedAt = now
    let changed = row
    let token = AccessTokenRow(
      account: account.id,
      token: answer.accessToken,
      tokenType: answer.tokenType,
      expiresAt: answer.expiresIn.map { now + Int64($0) },
      storedAt: now
    )
    let isMadeExportable = intent.purpose != .refresh && changed.exportable
    // After a login it may be someone else's token, and someone else's provider.
    if intent.purpose != .refresh { try removeTokenFile(of: account.name) }
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.update(changed)
        try self.store.deleteAccessTokens(account: account.id)
        try self.store.put(token)
        try self.store.deleteIntent(account: account.id)
      }
      try self.noteSteadiness(intent.purpose == .refresh ? rotation : .unknown, of: changed)
      if rotation.changesBox { try self.countBoxChange() }
      try self.record(
        AuditEntry(
          event(of: intent),
          .done,
          account: changed,
          caller: caller,
          detail: "generation \(changed.generation)" + (isMadeExportable ? ", exportable" : "")
        )
      )
    }
    if rotation.changesBox { try raiseMark() }
    writeTokenFile(of: changed, token)
    writeDefaultAccount()
  }

  /// A refresh token in an answer that is otherwise of no use: the one before it is dead already.
  private func keepRefreshToken(
    _ token: SharedSecret,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller,
    _ sent: SharedSecret?
  ) throws(VaultFailure) {
    var row = try signedIn(account, intent, provider, nil)
    let rotation = try rotate(&row, to: token, from: account, sent: sent)
    let changed = row
    let isSignIn = intent.purpose != .refresh
    if isSignIn { try removeTokenFile(of: account.name) }
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.update(changed)
        if isSignIn { try self.store.deleteAccessTokens(account: account.id) }
        try self.store.deleteIntent(account: account.id)
      }
      if rotation.changesBox {
        // That a useless answer brought the same token shows nothing.
        try self.noteSteadiness(isSignIn ? .unknown : rotation, of: changed)
        try self.countBoxChange()
      }
      try self.record(
        AuditEntry(
          event(of: intent),
          .failed,
          account: changed,
          caller: caller,
          detail: "generation \(changed.generation), no usable access token"
        )
      )
    }
    if rotation.changesBox { try raiseMark() }
  }

  /// The grant is dead: kept, never sent again, and only a login helps.
  private func grantEnded(
    _ intent: IntentRow,
    _ account: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) -> VaultFailure {
    // A verdict is about the bytes that were sent: if a newer token is stored, it says nothing.
    guard account.generation == intent.generation else {
      return try end(
        intent,
        .providerUnavailable("an older token was refused", retryAfter: nil),
        caller
      )
    }
    var row = account
    row.state = .loginRequired
    row.cause = intent.attempts > 1 ? "answer lost" : "the provider has ended the grant"
    let changed = row
    return try end(
      intent,
      .loginRequired(
        account: account.name,
        message: changed.cause ?? ""
      ),
      caller,
      changed
    )
  }

  /// A clear no, or nothing sent: the intent is over, and so is an account that it would have made.
  private func end(
    _ intent: IntentRow,
    _ failure: VaultFailure,
    _ caller: Caller,
    _ changed: AccountRow? = nil
  ) throws(VaultFailure) -> VaultFailure {
    let account = try account(withIdentifier: intent.account)
    let isHusk = intent.purpose != .refresh && account.generation == 0
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.deleteIntent(account: account.id)
        if isHusk {
          _ = try self.store.deleteAccount(id: account.id)
        } else if let changed {
          try self.store.update(changed)
        }
      }
      try self.record(
        AuditEntry(
          event(of: intent),
          .failed,
          account: account,
          caller: caller,
          detail: failure.auditDetail
        )
      )
    }
    if isHusk {
      try stored { () throws(StorageError) in
        try SlotFile.delete(in: self.directory, account: account.id)
      }
      writeDefaultAccount()
    }
    return failure
  }

  /// Provably nothing was sent.
  ///
  /// An earlier answer that was lost is still lost.
  private func nothingSent(
    _ intent: IntentRow,
    _ reason: String,
    _ caller: Caller
  ) throws(VaultFailure) -> VaultFailure {
    guard intent.attempts > 1 else {
      return try end(
        intent,
        .providerUnavailable("the provider cannot be reached (\(reason))", retryAfter: nil),
        caller
      )
    }
    return try unanswered(intent, "the provider cannot be reached (\(reason))", caller)
  }

  /// Something may have been sent, and nobody knows what became of it: the retry rule.
  private func unanswered(
    _ intent: IntentRow,
    _ why: String,
    _ caller: Caller,
    least: Int? = nil
  ) throws(VaultFailure) -> VaultFailure {
    guard intent.purpose == .refresh else {
      // A password is not kept to be sent again; the person is asked once more.
      return try end(intent, .providerUnavailable(why, retryAfter: nil), caller)
    }
    var row = intent
    let doubled = intent.waitSeconds == 0 ? Self.firstWait : intent.waitSeconds * 2
    let wait = min(Self.longestWait, max(doubled, Int64(least ?? 0)))
    row.uncertain = true
    row.waitSeconds = wait
    row.bootID = clock.bootIdentifier.bytes
    row.notBefore = clock.boot.advanced(bySeconds: wait).nanoseconds
    let uncertain = row
    let account = try account(withIdentifier: intent.account)
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in try self.store.put(uncertain) }
      try self.record(
        AuditEntry(.refresh, .failed, account: account, caller: caller, detail: "uncertain: \(why)")
      )
    }
    return .providerUnavailable(why, retryAfter: wait)
  }

  // MARK: - Rows

  /// The account as it is once tokens are there; a login brings its provider along.
  private func signedIn(
    _ account: AccountRow,
    _ intent: IntentRow,
    _ provider: Provider,
    _ user: UserFacts?
  ) throws(VaultFailure) -> AccountRow {
    var row = account
    row.state = .signedIn
    row.cause = nil
    if let pending = pending(intent) {
      row.provider = pending.providerName
      row.providerSettings = pending.providerSettings
      row.exportable = pending.exportable
      row.binding = try bindingOf(provider.canonicalForm, exportable: pending.exportable)
      row.subject = user?.id
      row.email = user?.email ?? pending.email
      row.displayName = user?.name
    } else if let user {
      row.email = user.email ?? row.email
      row.displayName = user.name ?? row.displayName
    }
    return row
  }

  private func provider(
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

  private func pending(_ intent: IntentRow) -> PendingSignIn? {
    intent.purpose == .refresh ? nil : PendingSignIn(decoding: intent.context)
  }

  private func event(of intent: IntentRow) -> AuditEvent {
    switch intent.purpose {
    case .refresh: .refresh
    case .login: .login
    case .register: .registration
    }
  }
}

extension VaultFailure {
  /// What of a failure goes into the trail: never a provider's own words.
  fileprivate var auditDetail: String {
    switch self {
    case .loginRequired: "login required"
    case .providerUnavailable: "provider unavailable"
    case .providerRefused(let status, _): "refused, status \(status)"
    case .misconfigured: "misconfigured"
    default: "failed"
    }
  }
}
