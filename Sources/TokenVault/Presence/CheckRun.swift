internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// One check that runs for a prompt.
struct CheckRun {
  /// Tells it from any other check of the same prompt, whose result must not count for this one.
  let number: UInt64
  let method: PresenceMethod
  /// The helper has said that the reader is armed: from here on a finger may be seen.
  var isArmed = false
  /// The fingers that can pass it, in the order in which they are asked one by one.
  var fingers: [String] = []
  /// What a security key has to answer; `nil` if the check is by another method.
  var key: KeyChallenge?
  /// The only finger that can match, if the reader takes one print at a time.
  var only: String?
  /// The program that must answer an open question, and has no call that could fail; `nil` if none is
  /// open, or if an agent shows it.
  var asked: Peer?
  /// `nil` while it is being started.
  var conversation: (any CheckConversation)?
  /// The back-off before and after the charge of a password; `nil` before the charge.
  var backoffBefore: PasswordBackoff?
  var backoffCharged: PasswordBackoff?
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
      let attempt = try await attempt(prompt, &run, caller)
      conversation =
        if let program = takePrepared(for: prompt) {
          try await program.start(attempt, of: caller)
        } else {
          try await check.start(attempt, of: caller)
        }
    } catch let failure as PresenceFailure {
      throw try failed(prompt, run, failure, caller)
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

  /// What arms the reader for the fingers that the system password has confirmed.
  ///
  /// These are the own ones as they are now, and the desktop's as they were seen with the prompt. The
  /// helper arms it only if the desktop's are still the same, and looks while the reader is claimed.
  ///
  /// - Throws: a `PresenceFailure`; a `VaultFailure` where the try cannot be charged.
  func fingerRequest(
    _ prompt: String,
    _ run: inout CheckRun,
    _ caller: Caller
  ) async throws -> FingerRequest {
    let eligibility: FingerEligibility
    do throws(VaultFailure) {
      if let look = notes[prompt]?.look {
        eligibility = try fingerEligibility(look)
      } else {
        eligibility = try await fingerEligibility(for: caller)
      }
    } catch {
      // Prints that cannot be read never switch protection off: they lead to the password.
      throw PresenceFailure.notAvailable("the enrolled prints cannot be read")
    }
    if let objection = eligibility.objection(tries.lockout) {
      // At a location where a finger counts, or no finger would be asked for.
      if notes[prompt] != nil { note(prompt, eligibility, at: .everywhere) }
      throw objection
    }
    guard isRunning(prompt, run), !Task.isCancelled else { throw PresenceFailure.cancelled }
    // A caller that hangs up gets no further try while the end of its last one is not known.
    guard tries.stored < FingerLockout.limit else {
      throw PresenceFailure.busy("the last check has not ended yet")
    }
    run.fingers = eligibility.fingers
    try charge(run)
    return FingerRequest(
      prints: eligibility.prints,
      desktop: eligibility.desktop,
      first: nextFinger.flatMap { run.fingers.contains($0) ? $0 : nil },
      seconds: Self.checkSeconds
    )
  }

  /// A reader that takes one print at a time is given that of another finger after a miss, and the
  /// same one after a match.
  private func turnFingers(_ run: CheckRun, after event: CheckEvent) {
    guard let only = run.only, let index = run.fingers.firstIndex(of: only) else {
      if run.isArmed { nextFinger = nil }
      return
    }
    switch event {
    case .failed(.noMatch): nextFinger = run.fingers[(index + 1) % run.fingers.count]
    case .matched: nextFinger = only
    default: break
    }
  }

  /// Whether a check is the one whose result counts: for its prompt, not late, not given up.
  private func isRunning(_ prompt: String, _ run: CheckRun) -> Bool {
    checks[prompt]?.number == run.number
      && prompts.isArmed(prompt, method: run.method, at: clock.boot)
  }

  /// How a check ended that was given up; the vault serves other calls during the wait.
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
        event == .matched && !run.method.isDevice
        ? await unconfirmedSet(of: prompt, for: caller) : nil
      guard isRunning(prompt, run) else {
        conversation.cancel()
        let isLate = checks[prompt]?.number == run.number
        // A prompt that is given up after the reader saw the finger still costs its try: the result
        // may be on its way.
        let last = await lastEvent(event, of: conversation, &run)
        throw try failed(
          prompt,
          run,
          isLate ? .timedOut : .cancelled,
          caller,
          cost: cost(of: last, run)
        )
      }
      if !run.fingers.isEmpty { turnFingers(run, after: event) }
      switch event {
      case .reader(let reader, let only): noteReader(reader, only, &run, report)
      case .ready: run.isArmed = true
      case .waiting: report(.waiting)
      case .retry(let hint): report(.retry(hint))
      case .ask(let text, let hidden):
        prompts.extend(prompt, at: clock.boot)
        if desktop.shown?.prompt != prompt { checks[prompt]?.asked = caller.peer }
        return .ask(text: text, hidden: hidden)
      case .matched, .touched, .made:
        guard isProof(event, run) else { throw try failed(prompt, run, .noMatch, caller) }
        try passed(prompt, run, caller, confirming: confirmed)
        return .passed
      case .failed(.notEnrolled) where !run.fingers.isEmpty:
        throw try await fingersChanged(prompt, run, caller)
      case .failed(let failure):
        let error = try failed(prompt, run, failure, caller, cost: cost(of: event, run))
        if !run.method.isDevice && failure == .noMatch { await waitOut(report) }
        throw error
      case .lost(let reason):
        let failure = Task.isCancelled ? PresenceFailure.cancelled : .notAvailable(reason)
        throw try failed(prompt, run, failure, caller, cost: cost(of: event, run))
      }
    }
  }

  private func noteReader(
    _ reader: SeenReader?,
    _ only: String?,
    _ run: inout CheckRun,
    _ report: @Sendable (CheckNotice) -> Void
  ) {
    run.only = only
    let shown = lastReader()?.scan ?? .press
    if let reader { remember(reader) }
    // What the prompt does not say, or has got wrong.
    if only != nil || reader.map({ $0.scan != shown }) == true {
      report(.touch(finger: only, reader?.scan))
    }
  }

  /// The helper has found other fingers than were seen with the prompt: says how they have changed.
  private func fingersChanged(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller
  ) async throws(VaultFailure) -> VaultFailure {
    let eligibility = try? await fingerEligibility(for: caller)
    let objection = eligibility?.objection(tries.lockout)
    if let eligibility, objection != nil, notes[prompt] != nil {
      note(prompt, eligibility, at: .everywhere)
    }
    return try failed(prompt, run, objection ?? .notEnrolled, caller)
  }
}
