package import Configuration
internal import Presence
internal import PresenceTerms
internal import Storage

// An agent shows the prompt of a caller without a terminal at the person's desktop. The agent's
// session decides whether a finger counts. The proof and the unlock window belong to the caller.
extension Vault {
  /// How long an agent may take to show a prompt, in milliseconds.
  private static let showTime: Int64 = 2000
  /// How long an agent may show a prompt, in milliseconds: a limit above those of its checks.
  private static let longestShowing: Int64 = 120_000
  /// The most agents that are asked to show one prompt.
  private static let mostAgents = 8
  /// Why a prompt that joined another one must ask for itself.
  private static let noDesk = PresenceFailure.notAvailable("no prompt can be shown at the desktop")

  /// The value of `desktop` that holds for a caller under a rule.
  package func desktop(under rule: CallerRule?) throws(VaultFailure) -> Policy.Desktop {
    try machinePolicy().desktop(for: rule, own: try ownRules())
  }

  /// Lets an agent show a prompt at the desktop.
  ///
  /// It returns when the check has passed.
  ///
  /// - Throws: `noDesktop` if no agent may show it or does show it, `presenceFailed`,
  ///   `tooManyPrompts`.
  package func askAtDesktop(_ prompt: String, caller: Caller) async throws(VaultFailure) {
    try demandOwner(of: prompt, caller)
    let rule = try desktop(under: caller.rule)
    guard rule != .off else {
      let isOfCaller = caller.rule?.desktop == .off
      let origin = try isOfCaller ? " (\(caller.rule?.title ?? ""))" : origin(of: .desktop)
      throw .noDesktop(DesktopObjection("desktop = off\(origin)", .off))
    }
    guard prompts.question(of: prompt)?.purpose.allowsDevices == true else {
      throw .noDesktop(
        DesktopObjection("only the system password counts here: use a terminal", .passwordOnly)
      )
    }
    guard let agents = desktopState.agents else {
      throw .noDesktop(DesktopObjection("this engine has no agents"))
    }
    // The caller does not wait for logind or an agent, nor behind the prompt of another caller.
    guard agents.mayShow(for: caller.user) else { throw .noDesktop(.noAgent) }
    let seat = await seat(of: caller)
    if let objection = Self.objection(rule, to: seat) { throw .noDesktop(objection) }
    guard try await takeTurn(prompt, caller) else { return }
    defer { endTurn(prompt) }
    // The person sees the notification before the check begins.
    try demandPromptLimit(of: prompt, caller)
    let objection = try await showByAgents(prompt, of: caller, rule, from: seat)
    guard let objection else { return }
    // The caller may still show it itself.
    _ = try bind(prompt, to: location(at: seat))
    throw .noDesktop(objection)
  }

  /// Tries the agents, the newest first, until one has shown the prompt and its check has passed.
  ///
  /// - Returns: why none has shown it; `nil` if the check has passed.
  private func showByAgents(
    _ prompt: String,
    of caller: Caller,
    _ rule: Policy.Desktop,
    from seat: CallerLocation
  ) async throws(VaultFailure) -> DesktopObjection? {
    let agents = desktopState.agents
    var tried: Set<UInt64> = []
    var objection: DesktopObjection?
    // An agent that has left may be on its way back.
    var mayArrive = true
    while tried.count < Self.mostAgents,
      let agent = await agents?.newest(of: caller.user, besides: tried, mayArrive: mayArrive)
    {
      tried.insert(agent.connection)
      mayArrive = false
      guard try mayShow(agent) else {
        objection =
          objection ?? DesktopObjection("a rule of yours holds for the agent of your session")
        continue
      }
      let desk = await self.seat(of: agent)
      // The check of another prompt may have answered it during the waits.
      if isAnswered(prompt) { return nil }
      if let why = Self.objection(rule, caller: seat, desk: desk) {
        objection = objection ?? why
        continue
      }
      switch try await show(prompt, of: caller, by: agent, at: desk, from: seat) {
      case .passed: return nil
      case .failed(let failure): throw .presenceFailed(failure, methods: [])
      case .left:
        mayArrive = true
        objection = DesktopObjection("the agent of your session has ended")
      case .notShown:
        objection = DesktopObjection("the agent of your session does not show it")
      }
    }
    if Task.isCancelled { throw .presenceFailed(.cancelled, methods: []) }
    return isAnswered(prompt) ? nil : objection ?? .noAgent
  }

  // MARK: The turn

  /// Waits until no other prompt is shown; false if the check of another prompt has answered this
  /// one.
  private func takeTurn(_ prompt: String, _ caller: Caller) async throws(VaultFailure) -> Bool {
    while true {
      if isAnswered(prompt) { return false }
      guard prompts.contains(prompt) else { throw .presenceFailed(.cancelled, methods: []) }
      guard let other = desktopState.current, other != prompt, prompts.contains(other) else {
        desktopState.beginTurn(of: prompt)
        return true
      }
      guard try await waitForTurn(prompt, behind: other, caller, unless: Self.noDesk) else {
        return false
      }
    }
  }

  private func endTurn(_ prompt: String) {
    guard desktopState.current == prompt else { return }
    wakeJoinedWaiters(of: prompt, with: Self.noDesk)
  }

  // MARK: The agent

  /// Whether there may be agents: otherwise the clients show their prompts themselves.
  var hasAgents: Bool { desktopState.agents != nil }

  /// Whether a prompt is shown at the desktop.
  func isShownAtDesktop(_ prompt: String) -> Bool { desktopState.shown?.prompt == prompt }

  /// Whether the program of a connection shows a prompt at the desktop, or is about to.
  func isShownAtDesktop(_ prompt: String, by agent: UInt64) -> Bool {
    desktopState.shows(prompt, by: agent)
  }

  /// Lets one agent show a prompt, and waits for the outcome.
  private func show(
    _ prompt: String,
    of caller: Caller,
    by agent: Caller,
    at desk: CallerLocation,
    from seat: CallerLocation
  ) async throws(VaultFailure) -> DesktopOutcome {
    guard let need = try await need(prompt, caller, at: desk, from: seat),
      let agents = desktopState.agents
    else {
      return .failed(.cancelled)
    }
    let number = desktopState.nextShowing()
    let timer = Task { [weak self, clock] in
      await clock.pause(milliseconds: Self.showTime)
      await self?.demandOnScreen(number)
      await clock.pause(milliseconds: Self.longestShowing)
      await self?.demandEnd(number)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        desktopState.show(
          ShownPrompt(
            number: number,
            prompt: prompt,
            caller: caller,
            agent: agent.connection,
            wake: wake
          )
        )
        // From here on the person may see it.
        count(prompt, caller)
        agents.give(need, to: agent.connection)
      }
    } onCancel: {
      Task { await self.giveUp(prompt, as: .cancelled) }
    }
  }

  /// The prompt as the agent shows it, bound to the location of the agent's session from here on;
  /// `nil` if it is over.
  private func need(
    _ prompt: String,
    _ caller: Caller,
    at desk: CallerLocation,
    from seat: CallerLocation
  ) async throws(VaultFailure) -> PresenceNeed? {
    let location = location(at: desk)
    guard let question = prompts.question(of: prompt),
      let eligibility = try bind(prompt, to: location)
    else { return nil }
    // A prompt of a program that was not started from the session says so.
    let requester =
      seat.name == desk.name ? caller.requester : "\(caller.requester), not of your session"
    return PresenceNeed(
      prompt: prompt,
      requester: requester,
      account: try question.account.flatMap { id throws(VaultFailure) in try accountName(id) },
      purpose: question.purpose,
      detail: question.detail,
      methods: prompts.methods(of: prompt),
      timeout: PromptBook.lifetime,
      reason: reason(for: question.purpose, eligibility, at: location),
      scan: lastReader()?.scan,
      statedReason: question.statedReason
    )
  }

  private func accountName(_ id: [UInt8]) throws(VaultFailure) -> String? {
    try stored(try store.account(id: id))?.name
  }

  /// Ends a showing that is not on the screen in time.
  ///
  /// The timer of an ended showing may still run.
  private func demandOnScreen(_ showing: UInt64) {
    guard let shown = desktopState.shown, shown.number == showing, !shown.isOnScreen else { return }
    endShowing(.notShown)
  }

  private func demandEnd(_ showing: UInt64) {
    guard let shown = desktopState.shown, shown.number == showing else { return }
    giveUp(shown.prompt, as: .timedOut)
  }

  /// Ends the showing of a prompt, because its caller, its check or its agent has ended.
  private func endShowing(_ outcome: DesktopOutcome) {
    guard let shown = desktopState.takeShown() else { return }
    desktopState.agents?.withdraw(from: shown.agent)
    shown.wake.resume(returning: outcome)
  }

  /// Tells the agent and the caller of a prompt that it is over; `failure` is `nil` if it passed.
  func endShowing(of prompt: String, with failure: PresenceFailure?) {
    desktopState.endTurn(of: prompt)
    guard let shown = desktopState.shown, shown.prompt == prompt else { return }
    guard let failure else { return endShowing(.passed) }
    // An agent that waits for the person's answer has no call that could fail.
    desktopState.agents?.hangUp(shown.agent)
    let last = shown.failure ?? failure
    // A PAM module's message about a wrong password is for the person, not for the program that
    // asks.
    endShowing(.failed(last.outcome == .noMatch ? .noMatch : last))
  }

  /// The check of another prompt has answered this one: an agent that still shows it need not.
  func endAnsweredShowing(of prompt: String) {
    guard let shown = desktopState.shown, shown.prompt == prompt else { return }
    desktopState.agents?.hangUp(shown.agent)
    endShowing(of: prompt, with: nil)
  }

  /// An agent has ended.
  func leaveDesktop(_ agent: UInt64) {
    guard let shown = desktopState.shown, shown.agent == agent else { return }
    guard shown.isOnScreen else { return endShowing(.left) }
    let failure = PresenceFailure(.cancelled, detail: "the agent at the desktop has ended")
    giveUp(shown.prompt, as: failure)
  }

  // MARK: The calls of an agent

  /// The caller whose prompt a call is about: an agent acts for the caller whose prompt it shows.
  ///
  /// - Throws: `busy` to that caller while its prompt is shown.
  func owner(of prompt: String, _ caller: Caller) throws(VaultFailure) -> Caller {
    guard let shown = desktopState.shown, shown.prompt == prompt else { return caller }
    if desktopState.shows(prompt, by: caller.connection) {
      desktopState.noteOnScreen()
      return shown.caller
    }
    guard shown.caller.connection == caller.connection else { return caller }
    throw .busy("the prompt is shown at the desktop")
  }

  /// Keeps why the last check at the desktop did not pass; `nil` when another one begins.
  func noteDesktop(_ failure: PresenceFailure?, of prompt: String) {
    desktopState.note(failure, of: prompt)
  }
}
