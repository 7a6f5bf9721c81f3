internal import AuditLog
internal import Configuration
internal import Storage
internal import System

// T2 for an exchange without tokens in its answer.
extension Vault {
  /// The shortest wait after a lost answer, in seconds; it doubles each time.
  private static let firstWait: Int64 = 2
  static let longestWait: Int64 = 600

  /// The grant is dead: its box is kept and never sent again, and only a login helps.
  ///
  /// `cause` is kept. `message` is for the waiting callers, and is the same if it is `nil`.
  func grantEnded(
    _ settlement: Settlement,
    cause: String? = nil,
    message: String? = nil
  ) throws(VaultFailure) -> VaultFailure {
    let (intent, caller) = (settlement.intent, settlement.caller)
    var row = settlement.account
    // A verdict is about the bytes that were sent: it says nothing about a newer token in the
    // store.
    guard row.generation == intent.generation else {
      return try end(intent, .providerUnavailable("an older token was refused"), caller)
    }
    let isLost = intent.attempts > 1 && !settlement.isRefusedAgain
    let cause = cause ?? (isLost ? "answer lost" : Self.endedCause)
    let isNew = row.state == .signedIn
    row.state = .loginRequired
    row.cause = cause
    let failure = try end(
      intent,
      .loginRequired(account: row.name, message: message ?? cause),
      caller,
      row
    )
    if isNew { noticeLoginRequired(row, at: settlement.provider) }
    return failure
  }

  /// A refusal without a reason that can be read: the second empty one for a token is believed.
  func refusedWithoutReason(
    _ settlement: Settlement,
    _ answer: UnclearAnswer
  ) throws(VaultFailure) -> VaultFailure {
    if answer.kind == .empty, let earlier = settlement.evidence.earlier, earlier.kind == .empty {
      let before = "\(answer.text), after an empty refusal with HTTP \(earlier.status)"
      return try grantEnded(settlement, cause: earlier == answer ? "\(answer.text) twice" : before)
    }
    return try unanswered(
      settlement.intent,
      answer.advice(for: settlement.provider),
      settlement.caller,
      least: Int(Self.longestWait),
      answer: answer
    )
  }

  /// Ends an exchange that was refused or not sent; an account that it would have made is removed.
  func end(
    _ intent: IntentRow,
    _ failure: VaultFailure,
    _ caller: Caller,
    _ changed: AccountRow? = nil
  ) throws(VaultFailure) -> VaultFailure {
    let account = try account(withIdentifier: intent.account)
    // Of many polls, only the one that ends the login gets a record.
    let isQuiet = intent.pendingSignIn?.flow == .device && failure.isTemporary
    let detail = failure.auditDetail
    let entry = AuditEntry(intent.event, .failed, account: account, caller: caller, detail: detail)
    try close(intent, account, changed, isQuiet ? nil : entry)
    return failure
  }

  /// Ends a poll on which the person has not decided yet, as if it had not been made.
  func forget(_ intent: IntentRow) throws(VaultFailure) {
    try close(intent, try account(withIdentifier: intent.account), nil, nil)
  }

  /// Clears an intent that brought nothing.
  ///
  /// An account that it would have made is removed, and a refresh that a login has put aside comes
  /// back.
  func close(
    _ intent: IntentRow,
    _ account: AccountRow,
    _ changed: AccountRow?,
    _ entry: AuditEntry?
  ) throws(VaultFailure) {
    let isNewAccount = intent.purpose != .refresh && account.generation == 0
    let refresh = intent.pendingSignIn?.uncertain
    try change {
      try store.deleteIntent(account: account.id)
      if isNewAccount {
        try store.deleteAccount(id: account.id)
      } else if let changed {
        try store.update(changed)
      }
      if !isNewAccount, let refresh { try store.put(refresh) }
      if let entry { try record(entry) }
    }
    if isNewAccount {
      try stored(try SlotFile.delete(in: directory, account: account.id))
      writeDefaultAccount()
    }
  }

  /// Settles an exchange of which nothing was sent.
  ///
  /// An earlier lost answer is still lost.
  func nothingSent(
    _ intent: IntentRow,
    _ reason: String,
    _ caller: Caller,
    after earlier: UnclearAnswer?
  ) throws(VaultFailure) -> VaultFailure {
    let account = try account(withIdentifier: intent.account)
    let provider = try provider(for: intent, of: account)
    let url = provider.endpoint(.token) ?? provider.issuer.text
    let terms = terms(of: provider)
    guard intent.attempts > 1 else {
      return try end(intent, .notSent(reason, to: url, terms: terms), caller)
    }
    // The earlier answer is still the last one. It still counts only if each try was refused.
    let isRefused = earlier?.leavesNoDoubt == true
    let answer = earlier?.withoutCount
    let failure = try unanswered(
      intent,
      "nothing could be sent (\(reason))",
      caller,
      answer: answer
    )
    guard case .unavailable(_, _, let wait, _) = failure else { return failure }
    let notSent = VaultFailure.notSent(reason, to: url, terms: terms, retryAfter: wait)
    return isRefused ? notSent : notSent.afterLostAnswer
  }

  /// Settles an exchange that may have been sent and has no usable answer, by the retry rule.
  func unanswered(
    _ intent: IntentRow,
    _ why: String,
    _ caller: Caller,
    least: Int? = nil,
    answer: UnclearAnswer? = nil
  ) throws(VaultFailure) -> VaultFailure {
    guard intent.purpose == .refresh else {
      // A password is not kept to be sent again, so the person is asked again.
      let failure = VaultFailure.unavailable(
        .uncertain,
        why,
        retryAfter: nil,
        status: answer?.knownStatus
      )
      return try end(intent, failure, caller)
    }
    var uncertain = intent
    let doubled = intent.waitSeconds == 0 ? Self.firstWait : intent.waitSeconds * 2
    let wait = min(Self.longestWait, max(doubled, Int64(least ?? 0)))
    uncertain.uncertain = true
    uncertain.waitSeconds = wait
    uncertain.bootID = clock.bootIdentifier.bytes
    uncertain.notBefore = clock.boot.advanced(bySeconds: wait).nanoseconds
    let account = try account(withIdentifier: intent.account)
    try change {
      try store.put(uncertain)
      if let answer { try note(answer, intent) }
      let detail = "uncertain: \(answer?.textWithoutCode ?? why)"
      try record(.refresh, .failed, account, by: caller, detail: detail)
    }
    return .unavailable(answer, why, retryAfter: wait)
  }
}

extension VaultFailure {
  /// A refresh whose outcome is not known, because of an unclear answer or none.
  static func unavailable(
    _ answer: UnclearAnswer?,
    _ why: String,
    retryAfter: Int64?
  ) -> VaultFailure {
    let reason: Unavailability = answer?.kind == .empty ? .refusedOnce : .uncertain
    return .unavailable(reason, why, retryAfter: retryAfter, status: answer?.knownStatus)
  }

  /// Whether the same request may succeed a moment later.
  var isTemporary: Bool {
    switch self {
    case .offline, .providerUnavailable, .unavailable: true
    default: false
    }
  }

  /// The text of a failure for the audit log, which never has a provider's own words.
  fileprivate var auditDetail: String {
    switch self {
    case .loginRequired: "login required"
    case .providerUnavailable: "provider unavailable"
    case .unavailable(let why, _, _, _):
      "provider unavailable: " + why.rawValue.replacing("_", with: " ")
    case .offline: "offline"
    case .providerRefused(let status, _, _): "refused, status \(status)"
    case .misconfigured: "misconfigured"
    default: "failed"
    }
  }
}
