internal import Storage
internal import System

// T2 for an exchange that brought no tokens.
extension Vault {
  /// Never sooner than this after a lost answer, in seconds; doubled each time.
  private static let firstWait: Int64 = 2
  static let longestWait: Int64 = 600

  /// The grant is dead: kept, never sent again, and only a login helps.
  func grantEnded(
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
  func end(
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
  func nothingSent(
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
  func unanswered(
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
