internal import Presence
internal import Storage
internal import System

/// One check that runs for a prompt.
struct CheckRun {
  /// Tells it from any other check of the same prompt, whose result must not count for this one.
  let number: UInt64
  let method: PresenceMethod
  /// The helper has said that the reader is armed: from here on a finger may be seen.
  var isArmed = false
  /// Nil while it is being started.
  var conversation: (any CheckConversation)?
  /// What a password's check was charged on top of, and what that came to; nil before it is.
  var backoffBefore: PasswordBackoff?
  var backoffCharged: PasswordBackoff?

  init(number: UInt64, method: PresenceMethod) {
    self.number = number
    self.method = method
  }
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
    let conversation: any CheckConversation
    do {
      switch method {
      case .fingerprint: conversation = try await fingerprintCheck(prompt, run, caller)
      case .password:
        conversation = try await check.password(of: caller, seconds: Self.checkSeconds)
      }
    } catch let outcome as PresenceOutcome {
      throw try failed(prompt, run, outcome, caller)
    } catch let failure as VaultFailure {
      // The charge could not be written: the reader was not armed.
      giveUp(prompt, as: .cancelled)
      throw failure
    } catch {
      throw .unexpected("the check could not be started: \(error)")
    }
    // The prompt may have been given up, or the check cancelled, while it was started.
    guard isRunning(prompt, run), !Task.isCancelled else {
      conversation.cancel()
      let last = await lastEvent(of: conversation, &run)
      throw try failed(prompt, run, .cancelled, caller, cost: cost(of: last, run))
    }
    run.conversation = conversation
    checks[prompt] = run
    return run
  }

  /// Arms the reader for the fingers that the system password has confirmed, as they are now.
  ///
  /// - Throws: a `PresenceOutcome`; a `VaultFailure` where the try cannot be charged.
  private func fingerprintCheck(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller
  ) async throws -> any CheckConversation {
    let standing: FingerStanding
    do throws(VaultFailure) {
      standing = try await fingerStanding(for: caller)
    } catch {
      // Prints that cannot be read never switch protection off: they lead to the password.
      throw PresenceOutcome.notAvailable("the enrolled prints cannot be read")
    }
    if let objection = standing.objection(tries.lockout) {
      // At a place where one counts, or none would be asked.
      if notes[prompt] != nil { note(prompt, standing, at: .everywhere) }
      throw objection
    }
    guard isRunning(prompt, run), !Task.isCancelled else { throw PresenceOutcome.cancelled }
    // Whoever hangs up gets no further try while the end of the last one left is not known.
    guard tries.stored < FingerLockout.limit else {
      throw PresenceOutcome.busy("the last check has not ended yet")
    }
    try charge(run)
    return try await check.fingerprint(
      standing.prints,
      desktop: standing.desktop,
      of: caller,
      seconds: Self.checkSeconds
    )
  }

  /// Whether a check is the one whose result counts: for its prompt, not late, not given up.
  private func isRunning(_ prompt: String, _ run: CheckRun) -> Bool {
    checks[prompt]?.number == run.number
      && prompts.isArmed(prompt, method: run.method, at: clock.boot)
  }

  /// How a check ended that was given up; the vault serves others meanwhile.
  private func lastEvent(
    _ first: CheckEvent? = nil,
    of conversation: any CheckConversation,
    _ run: inout CheckRun
  ) async -> CheckEvent {
    var event = first
    while true {
      if event == .ready { run.isArmed = true }
      if let event, event.isLast { return event }
      event = await conversation.next()
    }
  }

  /// Takes what a check reports, until it has ended or asks something.
  func follow(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    var run = run
    guard let conversation = run.conversation else {
      throw try failed(prompt, run, .cancelled, caller)
    }
    while true {
      let event = await withTaskCancellationHandler {
        await conversation.next()
      } onCancel: {
        conversation.cancel()
      }
      // The password confirms the fingers that were shown, if they are still the same.
      let confirmed =
        event == .matched && run.method == .password
        ? await unconfirmedSet(of: prompt, for: caller) : nil
      guard isRunning(prompt, run) else {
        conversation.cancel()
        let isLate = checks[prompt]?.number == run.number
        // Whoever gives a prompt up once the finger was seen does not get that try for nothing:
        // what it came to may be on its way still.
        let last = await lastEvent(event, of: conversation, &run)
        throw try failed(
          prompt,
          run,
          isLate ? .timedOut : .cancelled,
          caller,
          cost: cost(of: last, run)
        )
      }
      switch event {
      case .ready: run.isArmed = true
      case .waiting: report(.waiting)
      case .retry(let hint): report(.retry(hint))
      case .ask(let text, let hidden):
        prompts.extend(prompt, at: clock.boot)
        return .ask(text: text, hidden: hidden)
      case .matched:
        try passed(prompt, run, caller, confirming: confirmed)
        return .passed
      case .failed(let outcome):
        let failure = try failed(prompt, run, outcome, caller, cost: cost(of: event, run))
        if run.method == .password && outcome == .noMatch { await waitOut(report) }
        throw failure
      case .lost(let reason):
        let outcome = Task.isCancelled ? PresenceOutcome.cancelled : .notAvailable(reason)
        throw try failed(prompt, run, outcome, caller, cost: cost(of: event, run))
      }
    }
  }
}
