internal import Presence
internal import Storage
internal import System

/// One check that runs for a prompt.
struct CheckRun {
  /// Tells it from any other check of the same prompt, whose result must not count for this one.
  let number: UInt64
  let method: PresenceMethod
  /// Nil while it is being started.
  var conversation: (any CheckConversation)?
}

extension Vault {
  /// Starts the check of a prompt that has just been armed.
  func begin(
    _ prompt: String,
    _ method: PresenceMethod,
    _ caller: Caller
  ) async throws(VaultFailure) -> CheckRun {
    checkCount += 1
    var run = CheckRun(number: checkCount, method: method)
    checks[prompt] = run
    do throws(PresenceOutcome) {
      let conversation =
        switch method {
        case .fingerprint: try await fingerprintCheck()
        case .password: try await check.password(seconds: Self.checkSeconds)
        }
      // The prompt may have been given up, or the check cancelled, while it was started.
      guard isRunning(prompt, run), !Task.isCancelled else {
        conversation.cancel()
        throw .cancelled
      }
      run.conversation = conversation
      checks[prompt] = run
      return run
    } catch {
      throw try failed(prompt, run, error, caller)
    }
  }

  private func fingerprintCheck() async throws(PresenceOutcome) -> any CheckConversation {
    let prints: [LoadedPrint]
    let isPasswordOnly: Bool
    do throws(VaultFailure) {
      isPasswordOnly = try fingerLockout().isPasswordOnly
      prints = try isPasswordOnly ? [] : loadedPrints()
    } catch {
      // A print that does not open never switches protection off: it leads to the password.
      throw .notAvailable("the enrolled prints cannot be opened")
    }
    guard !isPasswordOnly else { throw .lockedOut }
    guard !prints.isEmpty else { throw .notEnrolled }
    return try await check.fingerprint(prints, desktop: nil, seconds: Self.checkSeconds)
  }

  /// Whether a check is the one whose result counts: for its prompt, not late, not given up.
  private func isRunning(_ prompt: String, _ run: CheckRun) -> Bool {
    checks[prompt]?.number == run.number
      && prompts.isArmed(prompt, method: run.method, at: clock.boot)
  }

  /// Takes what a check reports, until it has ended or asks something.
  func follow(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller,
    _ report: @Sendable (CheckEvent) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    guard let conversation = run.conversation else {
      throw try failed(prompt, run, .cancelled, caller)
    }
    while true {
      let event = await withTaskCancellationHandler {
        await conversation.next()
      } onCancel: {
        conversation.cancel()
      }
      guard isRunning(prompt, run) else {
        conversation.cancel()
        let isLate = checks[prompt]?.number == run.number
        // Whoever gives a prompt up once the finger was seen does not get that try for nothing.
        throw try failed(
          prompt,
          run,
          isLate ? .timedOut : .cancelled,
          caller,
          counting: event == .failed(.noMatch)
        )
      }
      switch event {
      case .ready, .waiting, .retry: report(event)
      case .ask(let text, let hidden):
        prompts.extend(prompt, at: clock.boot)
        return .ask(text: text, hidden: hidden)
      case .matched:
        try passed(prompt, run, caller)
        return .passed
      case .failed(let outcome):
        let isMiss = outcome == .noMatch
        let failure = try failed(prompt, run, outcome, caller, counting: isMiss)
        if run.method == .password && isMiss { await punish() }
        throw failure
      }
    }
  }

  /// Writes a success down, and only then uses it.
  private func passed(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller
  ) throws(VaultFailure) {
    var lockout = try fingerLockout()
    lockout.recordSuccess(by: run.method)
    if run.method == .fingerprint && lockout.isPasswordOnly {
      throw try failed(prompt, run, .lockedOut, caller)
    }
    try written(prompt) { () throws(VaultFailure) in
      try self.keep(lockout)
      try self.record(self.checkEntry(prompt, .done, run.method, caller, detail: nil))
    }
    unsavedFailures = 0
    checks[prompt] = nil
    prompts.pass(prompt, at: clock.boot)
    wakeFollowers(of: prompt, with: nil)
  }

  /// Writes a failure down, counts it where it counts, and makes the error for it.
  private func failed(
    _ prompt: String,
    _ run: CheckRun,
    _ outcome: PresenceOutcome,
    _ caller: Caller,
    counting: Bool = false
  ) throws(VaultFailure) -> VaultFailure {
    var lockout = try fingerLockout()
    let isMiss = counting && run.method == .fingerprint
    if isMiss {
      lockout.recordNoMatch()
      // Until it is on the disk it is known here: a full disk gives nobody further tries.
      unsavedFailures += 1
    }
    try written(prompt) { () throws(VaultFailure) in
      try self.keep(lockout)
      try self.record(
        self.checkEntry(prompt, .failed, run.method, caller, detail: outcome.auditName),
        of: counting ? .noMatch : outcome
      )
    }
    unsavedFailures = 0
    guard checks[prompt]?.number == run.number else {
      return .presenceFailed(outcome, methods: methods(of: prompt, for: caller))
    }
    checks[prompt] = nil
    let methods = prompts.fail(prompt, with: outcome, lockout: lockout, at: clock.boot)
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

  // MARK: - Wrong passwords

  /// A wrong password costs time, whoever tries the next one, and no thread is held for it.
  private func punish() async {
    let end = BootInstant(nanoseconds: clock.boot.nanoseconds + Self.passwordDelay * 1_000_000)
    nextPassword = max(nextPassword, end)
    await clock.pause(milliseconds: Self.passwordDelay)
  }

  /// Waits until a password may be tried again.
  func passwordTurn() async throws(VaultFailure) {
    while clock.boot < nextPassword {
      if Task.isCancelled { throw .presenceFailed(.cancelled, methods: []) }
      let left = nextPassword.nanoseconds - clock.boot.nanoseconds
      await clock.pause(milliseconds: max(1, left / 1_000_000))
    }
  }
}
