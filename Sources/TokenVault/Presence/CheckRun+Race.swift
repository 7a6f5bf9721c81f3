internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// How the devices of one prompt run against each other. The first that passes wins. A device that
// fails is out, and a finger that missed is read again, while another device still waits.
extension Vault {
  /// A method has answered: cancels the other devices, and only `method` can pass the run from now
  /// on.
  ///
  /// The cost of an armed finger is settled when its helper has reported how it ended.
  func win(
    _ prompt: String,
    _ run: inout CheckRun,
    by method: PresenceMethod,
    _ race: CheckRace,
    _ caller: Caller
  ) {
    for other in race.methods where other != method {
      guard let entrant = race.leave(other) else { continue }
      entrant.cancel()
      guard other == run.method else { continue }
      let loser = run
      Task { await self.settle(prompt, loser, entrant, caller) }
    }
    goOn(prompt, &run, by: method)
  }

  /// A try has failed: the check ends, or continues with the other devices.
  ///
  /// - Throws: the failure of the check, if it has ended.
  func lose(
    _ prompt: String,
    _ run: inout CheckRun,
    by method: PresenceMethod,
    _ failure: PresenceFailure,
    _ last: CheckEvent,
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) {
    guard let race = run.race else { throw try failed(prompt, run, failure, caller) }
    let isFirst = method == run.method
    guard race.methods.count > 1, failure.endsOneDevice(run) else {
      race.cancel()
      let cost = isFirst ? cost(of: last, run) : await cost(ofAll: race, &run)
      let error = try failed(prompt, run, failure, caller, cost: cost)
      if !run.method.isDevice && failure.outcome == .noMatch { await waitOut(report) }
      throw error
    }
    race.leave(method)
    let isMiss = isFirst && last.isMiss
    if isMiss {
      try writeFailure(prompt, run, failure, caller, .miss)
      if fingerLockout.isPasswordOnly {
        race.cancel()
        throw ended(prompt, run, failure, caller)
      }
      run.isRematch = true
      report(.out(method, failure, goesOnBy: [method] + race.methods))
      return try await readAgain(prompt, &run, method, race, caller, report)
    }
    var loser = run
    loser.method = method
    let cost = isFirst ? cost(of: last, run) : .nothing
    // A missing device is not recorded as a failed try.
    if cost != .nothing || isFirst && run.isArmed || failure.outcome != .notAvailable {
      try writeFailure(prompt, loser, failure, caller, cost)
    } else {
      giveBack(loser, failure)
    }
    goOn(prompt, &run, without: method, failure, rest: race.methods, report)
  }

  /// Refunds the charge of a check in which no finger was read.
  func giveBack(_ run: CheckRun, _ failure: PresenceFailure) {
    settle(run, failure, .nothing)
    // A charge that stays on the disk counts only if the engine is killed.
    try? change { try keepTries() }
  }

  /// Arms the reader again after a finger that missed, as a try of its own.
  private func readAgain(
    _ prompt: String,
    _ run: inout CheckRun,
    _ method: PresenceMethod,
    _ race: CheckRace,
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) {
    prompting.checks.renumber(&run, of: prompt)
    run.isArmed = false
    prompting.extend(prompt, at: clock.boot)
    do {
      try await enter(method, prompt, &run, race, caller)
    } catch let failure as PresenceFailure {
      guard failure.outcome != .cancelled, isRunning(prompt, run) else {
        race.cancel()
        throw try failed(prompt, run, .cancelled, caller)
      }
      giveBack(run, failure)
      goOn(prompt, &run, without: method, failure, rest: race.methods, report)
    } catch let failure as VaultFailure {
      race.cancel()
      giveUp(prompt, as: .cancelled)
      throw failure
    } catch {
      throw .unexpected("the check could not be started: \(error)")
    }
    // The loop of `follow` waits for the last events.
    if !isRunning(prompt, run) || Task.isCancelled { race.cancel() }
  }

  /// Continues with the other devices.
  func goOn(
    _ prompt: String,
    _ run: inout CheckRun,
    without method: PresenceMethod,
    _ failure: PresenceFailure,
    rest: [PresenceMethod],
    _ report: @Sendable (CheckNotice) -> Void
  ) {
    prompting.goOn(prompt, without: method, because: failure)
    if method == run.method, let next = rest.first { goOn(prompt, &run, by: next) }
    report(.out(method, failure, goesOnBy: rest))
  }

  /// Makes another method the first one of a run.
  private func goOn(_ prompt: String, _ run: inout CheckRun, by method: PresenceMethod) {
    guard method != run.method else { return }
    run.method = method
    run.isArmed = false
    run.fingers = []
    run.only = nil
    prompting.goOn(prompt, &run, by: method)
  }

  /// Waits until all helpers have ended, and returns the cost of the first method's try.
  func cost(ofAll race: CheckRace, _ run: inout CheckRun) async -> CheckCost {
    var found = CheckCost.nothing
    for method in race.methods {
      guard let (last, wasArmed) = await race.entrant(method)?.ended(), method == run.method
      else { continue }
      run.isArmed = run.isArmed || wasArmed
      found = cost(of: last, run)
    }
    return found
  }

  /// Settles the try of a device that was cancelled because another one has answered.
  private func settle(
    _ prompt: String,
    _ loser: CheckRun,
    _ entrant: CheckRace.Entrant,
    _ caller: Caller
  ) async {
    let (last, wasArmed) = await entrant.ended()
    var loser = loser
    loser.isArmed = loser.isArmed || wasArmed
    let cost = cost(of: last, loser)
    guard cost == .nothing else {
      return (try? writeFailure(prompt, loser, .cancelled, caller, cost)) ?? ()
    }
    giveBack(loser, .cancelled)
  }
}

extension PresenceFailure {
  /// Whether the other devices of a race go on after it.
  fileprivate func endsOneDevice(_ run: CheckRun) -> Bool {
    switch outcome {
    case .noMatch, .notAvailable, .notEnrolled, .busy, .denied: true
    // Each step of a prompt has its own time; after a miss the finger's began later.
    case .timedOut: run.isRematch
    case .cancelled, .passwordChosen, .lockedOut: false
    }
  }
}
