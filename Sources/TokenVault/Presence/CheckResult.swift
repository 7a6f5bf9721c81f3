internal import AuditLog
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// The cost of a check that was not passed.
enum CheckCost {
  /// Nothing: the helper itself says that it was no try, or there was none yet.
  case nothing
  /// A wrong finger, or a wrong password.
  case miss
  /// The charge made at the start stays, because the end is not known.
  case charge
}

// The result of a check: it is stored first, and only then used or reported.
extension Vault {
  /// What a check costs, by the last event of its helper.
  ///
  /// A person that sees the finger fail can kill the helper before it reports that. Therefore a
  /// helper that ends without a report costs a try once the reader was armed or a password was
  /// given. A crash costs one too.
  func cost(of last: CheckEvent, _ run: CheckRun) -> CheckCost {
    switch last {
    case _ where last.isMiss: .miss
    case .lost where run.isArmed || run.backoffCharged != nil: .charge
    default: .nothing
    }
  }

  /// Writes a success down, and only then uses it.
  func passed(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller,
    confirming set: EnrolledSet?
  ) throws(VaultFailure) {
    if run.method.isDevice && fingerLockout.isPasswordOnly {
      throw try failed(prompt, run, .lockedOut, caller)
    }
    let before = prompting.attempts
    prompting.attempts.pass(run)
    do throws(VaultFailure) {
      try written(prompt) {
        try keepTries()
        try keepBackoff()
        if let set { try confirm(set, caller) }
        if let key = run.key?.answered, key.counter > 0 { try keepCounter(of: key) }
        try record(checkEntry(run, .done, caller, detail: nil))
      }
    } catch {
      prompting.attempts = before
      prompting.attempts.giveBack(run)
      throw error
    }
    // A caller that was about to make the same request uses this result, so one touch is enough.
    let sameRequests = prompting.pass(prompt, at: clock.boot)
    if let question = prompts.question(of: prompt) {
      noticePassed(question, by: run.method, caller)
    }
    remindOfSecrets()
    for sameRequest in sameRequests { endAnsweredShowing(of: sameRequest) }
    wakeJoinedWaiters(of: prompt, with: nil)
  }

  /// Writes a failure down, counts it where it counts, and makes the error for it.
  ///
  /// The cost counts even if the check has been cancelled. A cost that cannot be written counts
  /// while this engine runs, and its charge is on the disk.
  func failed(
    _ prompt: String,
    _ run: CheckRun,
    _ failure: PresenceFailure,
    _ caller: Caller,
    cost: CheckCost = .nothing
  ) throws(VaultFailure) -> VaultFailure {
    try writeFailure(prompt, run, failure, caller, cost)
    return ended(prompt, run, failure, caller)
  }

  /// Ends a check whose failure is written down, and makes the error for it.
  func ended(
    _ prompt: String,
    _ run: CheckRun,
    _ failure: PresenceFailure,
    _ caller: Caller
  ) -> VaultFailure {
    noteDesktop(failure, of: prompt)
    let methods = prompting.fail(prompt, run, with: failure, at: clock.boot)
    return .presenceFailed(failure, methods: methods ?? self.methods(of: prompt, for: caller))
  }

  /// Writes a failure down, and counts it where it counts.
  func writeFailure(
    _ prompt: String,
    _ run: CheckRun,
    _ failure: PresenceFailure,
    _ caller: Caller,
    _ cost: CheckCost
  ) throws(VaultFailure) {
    settle(run, failure, cost)
    // A miss is recorded as one, even if the caller left before it heard of it.
    let recorded = cost == .miss ? PresenceFailure.noMatch : failure
    try written(prompt) {
      try keepTries()
      try keepBackoff()
      try record(
        checkEntry(run, .failed, caller, detail: recorded.auditText),
        of: cost == .nothing ? failure : .noMatch
      )
    }
    if run.method.isDevice {
      prompting.contexts.object(to: run.method, of: prompt, because: failure)
    }
  }

  /// One transaction about a check; a result that cannot be written down gives its prompt up.
  private func written(_ prompt: String, _ body: () throws -> Void) throws(VaultFailure) {
    do throws(VaultFailure) {
      try change(body)
    } catch {
      giveUp(prompt, as: .cancelled)
      throw error
    }
  }

  private func checkEntry(
    _ run: CheckRun,
    _ outcome: AuditOutcome,
    _ caller: Caller,
    detail: String?
  ) -> AuditEntry {
    let question = run.question
    var entry = AuditEntry(event: .check, outcome: outcome)
    if let id = question?.account, let row = try? store.account(id: id) {
      entry.account = (row.id, row.name)
    }
    entry.method = run.method.rawValue
    entry.requester = caller.requester
    // The person has seen the reason of the question, whichever program's check this is.
    entry.detail = Self.withReason(
      [question?.purpose.rawValue, detail].compactMap(\.self).joined(separator: ": "),
      question?.statedReason
    )
    return entry
  }
}
