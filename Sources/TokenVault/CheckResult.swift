internal import Presence
internal import Storage
internal import System

// What a check came to: written down first, and only then used or told.
extension Vault {
  /// Writes a success down, and only then uses it.
  func passed(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller,
    confirming set: EnrolledSet?
  ) throws(VaultFailure) {
    if run.method == .fingerprint && tries.lockout.isPasswordOnly {
      throw try failed(prompt, run, .lockedOut, caller)
    }
    let before = (tries, backoff)
    tries.pass(run.number, by: run.method)
    if run.method == .password { backoff = PasswordBackoff() }
    do throws(VaultFailure) {
      try written(prompt) { () throws(VaultFailure) in
        try self.keepTries()
        try self.keepBackoff()
        if let set { try self.confirm(set, caller) }
        try self.record(self.checkEntry(prompt, .done, run.method, caller, detail: nil))
      }
    } catch {
      (tries, backoff) = before
      tries.giveBack(run.number)
      throw error
    }
    checks[prompt] = nil
    prompts.pass(prompt, at: clock.boot)
    wakeFollowers(of: prompt, with: nil)
  }

  /// Writes a failure down, counts it where it counts, and makes the error for it.
  ///
  /// A miss counts even where the check was cancelled meanwhile. What cannot be written counts all
  /// the same while this engine lives, and its charge is on the disk.
  func failed(
    _ prompt: String,
    _ run: CheckRun,
    _ outcome: PresenceOutcome,
    _ caller: Caller,
    isMiss: Bool = false
  ) throws(VaultFailure) -> VaultFailure {
    switch run.method {
    case .fingerprint where isMiss: tries.miss(run.number)
    case .fingerprint: tries.giveBack(run.number)
    case .password: settleBackoff(run, isMiss ? .noMatch : outcome)
    }
    try written(prompt) { () throws(VaultFailure) in
      try self.keepTries()
      try self.keepBackoff()
      try self.record(
        self.checkEntry(prompt, .failed, run.method, caller, detail: outcome.auditName),
        of: isMiss ? .noMatch : outcome
      )
    }
    if run.method == .fingerprint { notes[prompt]?.objection = outcome }
    guard checks[prompt]?.number == run.number else {
      return .presenceFailed(outcome, methods: methods(of: prompt, for: caller))
    }
    checks[prompt] = nil
    let methods = prompts.fail(prompt, with: outcome, lockout: tries.lockout, at: clock.boot)
    return .presenceFailed(outcome, methods: methods)
  }

  /// One transaction about a check; a result that cannot be written down gives its prompt up.
  private func written(
    _ prompt: String,
    _ body: () throws(VaultFailure) -> Void
  ) throws(VaultFailure) {
    do throws(VaultFailure) {
      try change(body)
    } catch {
      giveUp(prompt, as: .cancelled)
      throw error
    }
  }

  private func checkEntry(
    _ prompt: String,
    _ outcome: AuditOutcome,
    _ method: PresenceMethod,
    _ caller: Caller,
    detail: String?
  ) -> AuditEntry {
    let question = prompts.question(of: prompt)
    var entry = AuditEntry(event: .check, outcome: outcome)
    if let id = question?.account, let row = try? store.account(id: id) {
      entry.account = (row.id, row.name)
    }
    entry.method = method.rawValue
    entry.requester = caller.requester
    entry.detail = [question?.purpose.rawValue, detail].compactMap(\.self).joined(separator: ": ")
    return entry
  }
}
