internal import Cryptography
internal import Presence
package import PresenceTerms
package import SecretMemory
internal import Storage
internal import System

/// How a step of a presence check ended.
package enum CheckStep: Sendable, Equatable {
  /// The password's stack asks something.
  case ask(text: String, hidden: Bool)
  /// Someone is here: repeat the request with the prompt.
  case passed
  /// The prompt that was waited for is over: show this one, and ask for its check again.
  case free
}

extension Vault {
  /// How long one step of a check may take, in seconds.
  static let checkSeconds: Int64 = 30

  /// Runs the check of a prompt until it is passed, asks for a password, or fails.
  ///
  /// Cancelling the task stops it: the reader is released, and the prompt stays for another method.
  ///
  /// - Parameters:
  ///   - prompt: its name on this connection.
  ///   - method: how to prove it.
  ///   - others: devices that may answer it as well as the device `method`.
  ///   - mayWait: whether to wait while another prompt is armed, rather than to be busy.
  ///   - presenter: the caller that shows the prompt: its own, or an agent.
  ///   - report: gets `waiting` and `retry` while a finger is awaited, `out` for a device that has
  ///     failed while another continues, how long a password has to wait, and `queued`.
  /// - Returns: `passed`, what the password's stack asks, or `free`.
  /// - Throws: `presenceFailed` with the methods that may still be tried, `busy`.
  package func check(
    _ prompt: String,
    by method: PresenceMethod,
    or others: [PresenceMethod] = [],
    mayWait: Bool = false,
    caller presenter: Caller,
    report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    let caller = try owner(of: prompt, presenter)
    try demandOwner(of: prompt, caller)
    noteDesktop(nil, of: prompt)
    prompting.checks.cancel(of: prompt)
    if !method.isDevice { endPrepared(of: prompt) }
    // No reader is armed before the end of the person's time would be seen.
    let ends = await beginGuarding()
    // It proves nothing: the call that names this prompt looks again.
    if isAnswered(prompt) { return answeredElsewhere(prompt) }
    if !method.isDevice {
      await waitOut(report)
      if Task.isCancelled {
        throw .presenceFailed(.cancelled, methods: methods(of: prompt, for: caller))
      }
    }
    guard ends == windowEnds else {
      giveUp(prompt, as: .cancelled)
      throw .presenceFailed(.cancelled, methods: [])
    }
    try await demandSameLocation(prompt, method, caller, shownBy: presenter)
    // The book knows that a device does not count for a prompt, but not why.
    if method.isDevice, question(of: prompt, allows: method),
      !prompts.methods(of: prompt).contains(method),
      let objection = prompting.contexts.context(of: prompt)?.objections[method]
    {
      throw refusal(of: prompt, objection, caller)
    }
    // During the wait, another check may have answered it, or the person may have refused it.
    if isAnswered(prompt) { return answeredElsewhere(prompt) }
    try demandPromptLimit(of: prompt, caller)
    return try await run(prompt, by: method, or: others, mayWait: mayWait, caller, report)
  }

  /// Arms the prompt and runs its check; joins the armed prompt, or waits for it.
  private func run(
    _ prompt: String,
    by method: PresenceMethod,
    or others: [PresenceMethod],
    mayWait: Bool,
    _ caller: Caller,
    _ report: @Sendable (CheckNotice) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    // A finger comes first, whatever the caller named first: its tries are charged to the run.
    let first = isRaced(.fingerprint, of: prompt, by: method, or: others) ? .fingerprint : method
    let arming = try outcome(of: prompt, caller) { () throws(PresenceFailure) in
      try self.prompting.arm(prompt, first, caller, mayWait: mayWait, at: self.clock.boot)
    }
    if case .wait(let other) = arming {
      report(.queued)
      try await waitInQueue(prompt, behind: other, caller)
      return .free
    }
    count(prompt, caller)
    if case .join(let leader) = arming {
      report(.waiting)
      if let failure = await leaderOutcome(leader, for: prompt) {
        throw .presenceFailed(failure, methods: prompts.methods(of: prompt))
      }
      return answeredElsewhere(prompt)
    }
    let rest = prompts.methods(of: prompt).filter { other in
      other != first && isRaced(other, of: prompt, by: method, or: others)
    }
    let run = try await begin(prompt, [first] + rest, caller, report)
    return try await follow(prompt, run, caller, report)
  }

  /// Whether a device is armed for a prompt whose caller named these methods.
  private func isRaced(
    _ device: PresenceMethod,
    of prompt: String,
    by method: PresenceMethod,
    or others: [PresenceMethod]
  ) -> Bool {
    device.isDevice && method.isDevice && (device == method || others.contains(device))
      && prompts.methods(of: prompt).contains(device)
  }

  /// Another check has answered the prompt; its caller waits for an agent that shows it.
  private func answeredElsewhere(_ prompt: String) -> CheckStep {
    endShowing(of: prompt, with: nil)
    return .passed
  }

  /// Waits until the armed prompt has ended.
  func waitInQueue(
    _ prompt: String,
    behind other: String,
    _ caller: Caller
  ) async throws(VaultFailure) {
    _ = await leaderOutcome(other, for: prompt)
    prompting.endWait(prompt, at: clock.boot)
    guard !Task.isCancelled, prompts.contains(prompt) else {
      throw .presenceFailed(.cancelled, methods: methods(of: prompt, for: caller))
    }
  }

  /// Waits until the prompt that is shown has ended, or joins it.
  ///
  /// `failure` is the end of that prompt after which this one asks for itself.
  ///
  /// - Returns: false if the check of the shown prompt has answered this one.
  func waitForTurn(
    _ prompt: String,
    behind other: String,
    _ caller: Caller,
    unless failure: PresenceFailure
  ) async throws(VaultFailure) -> Bool {
    switch prompting.queue(prompt, behind: other, at: clock.boot) {
    case .join:
      guard let outcome = await leaderOutcome(other, for: prompt) else { return false }
      guard outcome == failure, !Task.isCancelled else {
        throw .presenceFailed(outcome, methods: prompts.methods(of: prompt))
      }
      prompting.endWait(prompt, at: clock.boot)
    case .run, .wait: try await waitInQueue(prompt, behind: other, caller)
    }
    return true
  }

  /// Answers the question of the password's stack; `report` gets the cost of a wrong answer.
  package func respond(
    _ prompt: String,
    text: SharedSecret,
    caller presenter: Caller,
    report: @Sendable (CheckNotice) -> Void = { _ in }
  ) async throws(VaultFailure) -> CheckStep {
    let caller = try owner(of: prompt, presenter)
    // The answer of another connection is not the answer of the one who sees the question.
    try demandOwner(of: prompt, caller)
    guard let run = prompting.checks.run(of: prompt), run.method.mayAsk,
      prompts.isArmed(prompt, method: run.method, at: clock.boot)
    else { throw refusal(of: prompt, .timedOut, caller) }
    prompting.extend(prompt, at: clock.boot)
    prompting.checks.noteAsked(nil, for: prompt)
    if !run.method.isDevice { try chargePassword(prompt) }
    let charged = prompting.checks.run(of: prompt) ?? run
    await charged.race?.respond(text, to: charged.method)
    return try await follow(prompt, charged, caller, report)
  }

  /// Gives a prompt up.
  package func cancel(_ prompt: String, caller: Caller) {
    let isAgents = isShownAtDesktop(prompt, by: caller.connection)
    guard isAgents || prompts.connection(of: prompt) == caller.connection else { return }
    // The person who denies at the desktop is not at the terminal of the caller.
    giveUp(prompt, as: .cancelled, byCaller: !isAgents)
  }

  /// Gives up everything that a connection had open, because it has ended.
  package func disconnect(_ connection: UInt64) {
    leaveDesktop(connection)
    for prompt in prompts.names(of: connection) {
      wakeJoinedWaiter(prompt)
      giveUp(prompt, as: .cancelled, byCaller: true)
    }
    cancelEnrollment(for: connection)
    closeWindow(at: CallerLocation.aloneName(connection))
    dropPendingSignIns(of: connection)
    dropBackup(from: connection)
  }

  /// The methods that this caller may still try; none of a prompt of another caller.
  func methods(of prompt: String, for caller: Caller) -> [PresenceMethod] {
    prompts.connection(of: prompt) == caller.connection ? prompts.methods(of: prompt) : []
  }

  /// A step of the book, with its outcome in the vault's words.
  func outcome<Value>(
    of prompt: String,
    _ caller: Caller,
    _ body: () throws(PresenceFailure) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(PresenceFailure) {
      return try body()
    } catch {
      throw refusal(of: prompt, error, caller)
    }
  }

  /// Checks the caller's location again.
  ///
  /// The person that sees the prompt must be the person that passes it, and the caller may have
  /// moved.
  private func demandSameLocation(
    _ prompt: String,
    _ method: PresenceMethod,
    _ caller: Caller,
    shownBy presenter: Caller
  ) async throws(VaultFailure) {
    guard hasLocations else { return }
    let location = await location(of: presenter)
    // Enter may cancel this before the reader is armed. The prompt then continues with the
    // password.
    if Task.isCancelled {
      if method.isDevice { prompting.refuseDevices(of: prompt) }
      throw .presenceFailed(.cancelled, methods: methods(of: prompt, for: caller))
    }
    guard let shown = prompts.location(of: prompt) else {
      throw refusal(of: prompt, .denied("no such prompt on this connection"), caller)
    }
    guard shown == location.name else {
      giveUp(prompt, as: .cancelled)
      throw refusal(of: prompt, .denied("the request comes from elsewhere now: ask again"), caller)
    }
    try demandPresenceAllowed(at: location)
    if method.isDevice, let objection = location.objection, question(of: prompt, allows: method) {
      prompting.refuseDevices(of: prompt, because: .notAvailable(noDevice(objection)))
    }
  }

  private func question(of prompt: String, allows method: PresenceMethod) -> Bool {
    prompts.question(of: prompt)?.purpose.methods.contains(method) == true
  }

  func demandOwner(of prompt: String, _ caller: Caller) throws(VaultFailure) {
    guard prompts.connection(of: prompt) == caller.connection else {
      throw refusal(of: prompt, .denied("no such prompt on this connection"), caller)
    }
  }

  func refusal(
    of prompt: String,
    _ failure: PresenceFailure,
    _ caller: Caller
  ) -> VaultFailure {
    // A caller that has already sent its next call gets the reason.
    if isCancelledFromOutside(prompt) { return .presenceFailed(.cancelled, methods: []) }
    // Who is busy is counted where the answer leaves, as for all requests.
    let isBusy = failure.outcome == .busy
    if !isBusy { noteRefusal(failure.outcome.rawValue, by: caller.requester) }
    // An agent that is not asked any more says nothing about the one that is.
    if prompts.connection(of: prompt) == caller.connection { noteDesktop(failure, of: prompt) }
    // A prompt that has just expired ends for those who wait for it, too.
    if !prompts.contains(prompt) || prompts.overdue(at: clock.boot).contains(prompt) {
      giveUp(prompt, as: failure)
    }
    if isBusy { return .busy(failure.detail) }
    return .presenceFailed(failure, methods: methods(of: prompt, for: caller))
  }
}
