internal import Presence
internal import PresenceTerms
internal import System

/// The open prompts, with all that belongs to one: its check, its waiters and its context.
///
/// `Vault.swift` holds it, and only files of `Presence/` use it, as `Scripts/lint` checks. All
/// other files read `Vault.prompts`, and call the functions of the vault in that folder.
struct Prompting {
  /// The prompts; only the steps below change them.
  private(set) var book = PromptBook()
  /// How often a person may be asked.
  private var limit: PromptLimit
  /// Prompts that another prompt for the same question has answered, with that prompt.
  private var answered: [String: String] = [:]
  /// Whether a task looks for unused prompts.
  private var isSweeping = false
  var contexts = PromptContexts()
  var checks = RunningChecks()
  var prepared = PreparedHelper()
  var waiters = PromptWaiters()
  var attempts: AttemptState

  init(limit: PromptLimit, attempts: AttemptState) {
    self.limit = limit
    self.attempts = attempts
  }

  /// Whether the vault must stay open for a prompt, for its check, or for its limit.
  func mustBeKept(at now: BootInstant) -> Bool {
    !book.isEmpty || !checks.isEmpty || limit.mustBeKept(at: now)
  }

  /// Whether no task looks for unused prompts yet: from here on one does.
  mutating func beginSweeping() -> Bool {
    guard !isSweeping else { return false }
    isSweeping = true
    return true
  }

  /// Whether the task that looks for unused prompts goes on.
  mutating func keepsSweeping() -> Bool {
    isSweeping = !book.isEmpty
    return isSweeping
  }

  // MARK: - Opening

  /// The wait before a prompt is made ready, in seconds; `nil` if it may be made ready.
  func waitToBegin(_ question: PromptQuestion, _ caller: Caller, at now: BootInstant) -> Int64? {
    limit.waitToBegin(
      question,
      isCounted: caller.asking == .atOnce,
      joins: joins(question, caller, at: now),
      at: now
    )
  }

  /// Enters a prompt; `false` if its connection has too many.
  mutating func begin(
    _ name: String,
    _ question: PromptQuestion,
    _ caller: Caller,
    at now: BootInstant
  ) -> Bool {
    book.begin(
      name,
      question: question,
      connection: caller.connection,
      terminal: caller.terminal,
      isCounted: caller.asking == .atOnce,
      at: now
    )
  }

  /// Removes a prompt that was begun and not opened; `looked` is the question that a look was made
  /// for.
  mutating func endBeginning(_ name: String, looked: PromptQuestion?, at now: BootInstant) {
    if let looked { limit.noteUnopened(looked, at: now) }
    book.endBeginning(name)
  }

  /// Takes the right to open a prompt that does not count yet; the wait in seconds if there is
  /// none.
  mutating func takeOpening(_ question: PromptQuestion, at now: BootInstant) -> Int64? {
    limit.takeOpening(question, at: now)
  }

  /// Makes a prompt ready; `nil` if it was given up.
  mutating func open(
    _ name: String,
    location: String,
    impossible: Set<PresenceMethod>,
    at now: BootInstant
  ) -> PromptBook.PromptState? {
    let opening = book.open(name, location: location, impossible: impossible, at: now)
    if case .answered(let leader)? = opening { answered[name] = leader }
    return opening
  }

  /// Takes the right to show an open prompt; without it the prompt is closed.
  ///
  /// - Returns: the wait in seconds; `nil` if the prompt may be shown.
  mutating func takeShowing(
    _ name: String,
    _ question: PromptQuestion,
    _ caller: Caller,
    at now: BootInstant
  ) -> Int64? {
    let joins = joins(question, caller, besides: name, at: now)
    guard let wait = limit.take(question, joins: joins, at: now) else {
      book.count(name, joined: joins)
      return nil
    }
    book.close(name, connection: caller.connection)
    return wait
  }

  /// Whether another connection is asked the same, so that one answer serves both.
  private func joins(
    _ question: PromptQuestion,
    _ caller: Caller,
    besides prompt: String? = nil,
    at now: BootInstant
  ) -> Bool {
    book.isAsked(question, otherwiseThanBy: caller.connection, besides: prompt, at: now)
  }

  /// Makes sure that no device can pass a prompt from here on.
  mutating func refuseDevices(of prompt: String, because failure: PresenceFailure? = nil) {
    book.refuseDevices(prompt)
    guard let failure else { return }
    for device in PresenceMethod.devices {
      contexts.object(to: device, of: prompt, because: failure)
    }
  }

  /// Binds an open prompt to the location at which it is shown; `false` if it is not open any more.
  mutating func move(
    _ prompt: String,
    to location: String,
    impossible: Set<PresenceMethod>,
    at now: BootInstant
  ) -> Bool {
    book.move(prompt, to: location, impossible: impossible, at: now)
  }

  // MARK: - Checks

  /// Arms a prompt, has it join the armed one, or has it wait for that one.
  mutating func arm(
    _ prompt: String,
    _ method: PresenceMethod,
    _ caller: Caller,
    mayWait: Bool,
    at now: BootInstant
  ) throws(PresenceFailure) -> PromptBook.Arming {
    try book.arm(prompt, method: method, connection: caller.connection, mayWait: mayWait, at: now)
  }

  /// Has a prompt wait for another one, or join it.
  mutating func queue(
    _ prompt: String,
    behind other: String,
    at now: BootInstant
  ) -> PromptBook.Arming {
    book.queue(prompt, behind: other, at: now)
  }

  /// Reopens a prompt whose wait has ended.
  mutating func endWait(_ prompt: String, at now: BootInstant) { book.endWait(prompt, at: now) }

  /// The wait before the check of a prompt may begin, in seconds; `nil` if it may begin.
  func waitToCheck(_ prompt: String, _ caller: Caller, at now: BootInstant) -> Int64? {
    guard !book.wasArmed(prompt), let question = book.question(of: prompt) else { return nil }
    if book.isCounted(prompt) { return limit.pause(of: question, at: now) }
    let joins = joins(question, caller, besides: prompt, at: now)
    return limit.wait(for: question, joins: joins, at: now)
  }

  /// Makes a prompt count whose check begins.
  mutating func count(_ prompt: String, _ caller: Caller, at now: BootInstant) {
    guard !book.isCounted(prompt), let question = book.question(of: prompt) else { return }
    let joins = joins(question, caller, besides: prompt, at: now)
    _ = limit.take(question, joins: joins, at: now)
    book.count(prompt, joined: joins)
  }

  /// Gives the person time for the next step.
  mutating func extend(_ prompt: String, at now: BootInstant) { book.extend(prompt, at: now) }

  /// Makes another method the first one of a check.
  mutating func goOn(_ prompt: String, _ run: inout CheckRun, by method: PresenceMethod) {
    book.go(on: prompt, by: method)
    checks.renumber(&run, of: prompt)
  }

  /// Continues with an armed prompt, without a device that has failed.
  mutating func goOn(
    _ prompt: String,
    without method: PresenceMethod,
    because failure: PresenceFailure
  ) {
    contexts.object(to: method, of: prompt, because: failure)
    if !failure.outcome.leavesDevice { book.rule(out: method, of: prompt) }
  }

  /// Ends a check that has failed; the prompt stays for another method.
  ///
  /// - Returns: the methods that may still be tried; `nil` if another check of the prompt runs.
  mutating func fail(
    _ prompt: String,
    _ run: CheckRun,
    with failure: PresenceFailure,
    at now: BootInstant
  ) -> [PresenceMethod]? {
    guard checks.isCurrent(run, of: prompt) else { return nil }
    checks.end(of: prompt)
    if !failure.outcome.leavesDevice {
      for device in run.race?.methods ?? [] where device.isDevice {
        book.rule(out: device, of: prompt)
      }
    }
    return book.fail(
      prompt,
      with: failure.outcome,
      isLost: run.isLost,
      lockout: attempts.tries.lockout,
      at: now
    )
  }

  /// Ends a check that has passed, which also answers the prompts for the same request.
  ///
  /// - Returns: these other prompts.
  mutating func pass(_ prompt: String, at now: BootInstant) -> [String] {
    checks.end(of: prompt)
    book.pass(prompt, at: now)
    if let question = book.question(of: prompt) { limit.notePassed(question) }
    answered = answered.filter { book.contains($0.key) }
    let others = book.sameRequests(of: prompt)
    for other in others { answered[other] = prompt }
    return others
  }

  // MARK: - The end of a prompt

  /// The prompt whose check has answered another prompt; `nil` if none has.
  func leader(of prompt: String) -> String? { answered[prompt] }

  /// Closes a prompt that is given up.
  ///
  /// `byCaller` distinguishes a Ctrl-C at the caller's own terminal from a prompt without an
  /// answer.
  mutating func close(_ prompt: String, byCaller: Bool, at now: BootInstant) {
    // One that another's check has answered was not refused.
    if answered.removeValue(forKey: prompt) == nil,
      let question = book.unansweredQuestion(of: prompt)
    {
      let terminal = byCaller ? book.terminal(of: prompt) : nil
      let joined = book.hasJoined(prompt)
      limit.noteRefused(question, cancelledAt: terminal, joined: joined, at: now)
    }
    if let connection = book.connection(of: prompt) { book.close(prompt, connection: connection) }
  }

  // MARK: - Proofs

  /// Takes the proof of a passed prompt, which ends with it.
  mutating func takeProof(
    _ prompt: String,
    _ question: PromptQuestion,
    _ caller: Caller,
    at now: BootInstant
  ) throws(PresenceFailure) -> PresenceProof {
    try book.takeProof(prompt, question: question, connection: caller.connection, at: now)
  }

  /// Takes the proofs of a passed prompt that named several accounts, which ends with them.
  mutating func takeProofs(
    _ prompt: String,
    _ question: PromptQuestion,
    _ caller: Caller,
    at now: BootInstant,
    each body: (_ account: [UInt8], _ proof: consuming PresenceProof) -> Void
  ) throws(PresenceFailure) {
    try book.takeProofs(
      prompt,
      question: question,
      connection: caller.connection,
      at: now,
      each: body
    )
  }
}
