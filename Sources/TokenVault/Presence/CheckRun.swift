internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// One check that runs for a prompt.
struct CheckRun {
  /// Distinguishes it from any other check of the same prompt, whose result must not count for this
  /// one.
  ///
  /// A finger that is read again under the same prompt gets another one.
  var number: UInt64
  /// The question of its prompt, which may be closed before the result is written down.
  let question: PromptQuestion?
  /// The method, or the first one of a race.
  var method: PresenceMethod
  /// The helper has said that the reader is armed: from here on a finger may be seen.
  var isArmed = false
  /// The fingers that can pass it, in the order in which they are asked one by one.
  var fingers: [String] = []
  /// What a security key has to answer; `nil` if the check is by another method.
  var key: KeyChallenge?
  /// The only finger that can match, if the reader takes one print at a time.
  var only: String?
  /// The program that must answer an open question, and has no call that could fail; `nil` if none
  /// is open, or if an agent shows it.
  var asked: Peer?
  /// Its helpers; `nil` before the first is started.
  var race: CheckRace?
  /// Whether several devices were armed together.
  var isRaced = false
  /// Whether a finger has missed, and is read again.
  var isRematch = false
  /// Whether a helper has ended without a result.
  var isLost = false
  /// The back-off before and after the charge of a password; `nil` before the charge.
  var backoffBefore: PasswordBackoff?
  var backoffCharged: PasswordBackoff?
}

extension Vault {
  /// Starts the check of a prompt that has just been armed.
  ///
  /// Each method has a helper of its own. If one cannot be started, the others run without it.
  func begin(
    _ prompt: String,
    _ methods: [PresenceMethod],
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) -> CheckRun {
    var run = prompting.checks.begin(prompt, prompts.question(of: prompt), methods)
    let race = CheckRace()
    run.race = race
    for (index, method) in methods.enumerated() {
      do {
        try await enter(method, prompt, &run, race, caller)
      } catch let failure as PresenceFailure {
        let rest = race.methods + methods[(index + 1)...]
        guard !rest.isEmpty, failure.outcome != .cancelled else {
          race.cancel()
          throw try failed(prompt, run, failure, caller, cost: await cost(ofAll: race, &run))
        }
        if method == run.method { giveBack(run, failure) }
        goOn(prompt, &run, without: method, failure, rest: rest, report)
      } catch let failure as VaultFailure {
        // The charge could not be written: the reader was not armed.
        race.cancel()
        giveUp(prompt, as: .cancelled)
        throw failure
      } catch {
        throw .unexpected("the check could not be started: \(error)")
      }
    }
    // The prompt may have been given up, or the check cancelled, while it was started.
    guard isRunning(prompt, run), !Task.isCancelled else {
      race.cancel()
      throw try failed(prompt, run, .cancelled, caller, cost: await cost(ofAll: race, &run))
    }
    prompting.checks.keep(run, of: prompt)
    return run
  }

  /// Starts the helper of a method.
  ///
  /// - Throws: a `PresenceFailure`; a `VaultFailure` if the try cannot be charged.
  func enter(
    _ method: PresenceMethod,
    _ prompt: String,
    _ run: inout CheckRun,
    _ race: CheckRace,
    _ caller: Caller
  ) async throws {
    let attempt = try await attempt(prompt, method, &run, caller)
    if let program = takePrepared(for: prompt) {
      race.enter(method, try await program.start(attempt, of: caller))
    } else {
      race.enter(method, try await check.start(attempt, of: caller))
    }
  }

  /// What arms the reader for the fingers that the system password has confirmed.
  ///
  /// These are the own ones as they are now, and the desktop's as they were seen with the prompt.
  /// The helper arms it only if the desktop's are still the same, and looks while the reader is
  /// claimed.
  ///
  /// - Throws: a `PresenceFailure`; a `VaultFailure` where the try cannot be charged.
  func fingerRequest(
    _ prompt: String,
    _ run: inout CheckRun,
    _ caller: Caller
  ) async throws -> FingerRequest {
    let eligibility: FingerEligibility
    do throws(VaultFailure) {
      if let look = prompting.contexts.context(of: prompt)?.look {
        eligibility = try fingerEligibility(look)
      } else {
        eligibility = try await fingerEligibility(for: caller)
      }
    } catch {
      // Prints that cannot be read never switch protection off: they lead to the password.
      throw PresenceFailure.notAvailable("the enrolled prints cannot be read")
    }
    if let objection = eligibility.objection(fingerLockout) {
      // At a location where a finger counts, or no finger would be asked for.
      noteAgain(prompt, eligibility)
      throw objection
    }
    guard isRunning(prompt, run), !Task.isCancelled else { throw PresenceFailure.cancelled }
    // A caller that hangs up gets no further try while the end of its last one is not known.
    guard prompting.attempts.tries.stored < FingerLockout.limit else {
      throw PresenceFailure.busy("the last check has not ended yet")
    }
    run.fingers = eligibility.fingers
    try charge(run)
    return FingerRequest(
      prints: eligibility.prints,
      desktop: eligibility.desktop,
      first: prompting.checks.nextFinger.flatMap { run.fingers.contains($0) ? $0 : nil },
      seconds: Self.checkSeconds
    )
  }

  /// Whether a check is the one whose result counts: for its prompt, not late, not given up.
  func isRunning(_ prompt: String, _ run: CheckRun) -> Bool {
    prompting.checks.isCurrent(run, of: prompt)
      && prompts.isArmed(prompt, method: run.method, at: clock.boot)
  }

  /// Takes what a check reports, until it has ended or asks something.
  func follow(
    _ prompt: String,
    _ run: CheckRun,
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    var run = run
    guard let race = run.race else {
      throw try failed(prompt, run, .cancelled, caller)
    }
    while true {
      let (method, event) = await withTaskCancellationHandler {
        await race.next()
      } onCancel: {
        race.cancel()
      }
      // The password confirms the fingers that were shown, if they are still the same.
      let confirmed =
        event == .matched && !run.method.isDevice
        ? await unconfirmedSet(of: prompt, for: caller) : nil
      guard isRunning(prompt, run) else {
        race.cancel()
        let isLate = prompting.checks.isCurrent(run, of: prompt)
        // A prompt that is given up after the reader saw the finger still costs its try: the result
        // may be on its way.
        let failure = isLate ? PresenceFailure.timedOut : .cancelled
        throw try failed(prompt, run, failure, caller, cost: await cost(ofAll: race, &run))
      }
      prompting.checks.turnFingers(run, after: event, by: method)
      switch event {
      case .reader(let reader, let only): noteReader(reader, only, &run, report)
      case .ready: if method == run.method { run.isArmed = true }
      case .waiting: report(.waiting)
      case .retry(let hint): report(.retry(hint))
      case .ask(let text, let hidden):
        win(prompt, &run, by: method, race, caller)
        prompting.extend(prompt, at: clock.boot)
        if !isShownAtDesktop(prompt) { prompting.checks.noteAsked(caller.peer, for: prompt) }
        return .ask(text: text, hidden: hidden)
      case .says(let text): report(.says(text))
      case .matched, .touched, .made:
        if let objection = objection(to: event, of: method, &run) {
          try await lose(prompt, &run, by: method, objection, event, caller, report)
          continue
        }
        win(prompt, &run, by: method, race, caller)
        try passed(prompt, run, caller, confirming: confirmed)
        return .passed
      case .failed(.notEnrolled) where !run.fingers.isEmpty && method == run.method:
        let failure = await fingersChanged(prompt, caller)
        try await lose(prompt, &run, by: method, failure, event, caller, report)
      case .failed(let failure):
        try await lose(prompt, &run, by: method, failure, event, caller, report)
      case .lost(let reason):
        run.isLost = true
        let failure = Task.isCancelled ? PresenceFailure.cancelled : .notAvailable(reason)
        try await lose(prompt, &run, by: method, failure, event, caller, report)
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
    // A text that the prompt lacks, or has wrong.
    if only != nil || reader.map({ $0.scan != shown }) == true {
      report(.touch(finger: only, reader?.scan))
    }
  }

  /// The helper has found other fingers than were seen with the prompt: says how they have changed.
  private func fingersChanged(_ prompt: String, _ caller: Caller) async -> PresenceFailure {
    let eligibility = try? await fingerEligibility(for: caller)
    let objection = eligibility?.objection(fingerLockout)
    if let eligibility, objection != nil { noteAgain(prompt, eligibility) }
    return objection ?? .notEnrolled
  }
}
