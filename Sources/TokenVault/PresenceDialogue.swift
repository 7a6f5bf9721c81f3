internal import Cryptography
public import Presence
public import SecretMemory
internal import Storage
internal import System

/// How a step of a presence check ended.
public enum CheckStep: Sendable, Equatable {
  /// The password's stack asks something.
  case ask(text: String, hidden: Bool)
  /// Someone is here: repeat the request with the prompt.
  case passed
}

extension Vault {
  /// How long one step of a check may take, in seconds.
  static let checkSeconds: Int64 = 30
  /// What a wrong password costs, in milliseconds.
  ///
  /// No thread is held for it.
  static let passwordDelay: Int64 = 2000

  /// Opens a prompt, and makes the error that tells the caller about it.
  func askForPresence(
    _ question: PromptQuestion,
    account: String?,
    caller: Caller
  ) throws(VaultFailure) -> VaultFailure {
    let name = hexadecimal(try random(16))
    let isLockedOut = try fingerLockout().isPasswordOnly
    let isEnrolled = try !printRows().isEmpty
    guard
      let methods = prompts.open(
        name,
        question: question,
        connection: caller.connection,
        fingerprintPossible: isEnrolled && !isLockedOut,
        at: clock.boot
      )
    else { return .busy("too many prompts are open on this connection") }
    sweep(name)
    return .presenceNeeded(
      PresenceNeed(
        prompt: name,
        requester: caller.requester,
        account: account,
        purpose: question.purpose,
        methods: methods,
        timeout: PromptBook.lifetime
      )
    )
  }

  /// Runs the check of a prompt until it is passed, asks for a password, or fails.
  ///
  /// Cancelling the task stops it: the reader is released, and the prompt stays for another method.
  ///
  /// - Parameters:
  ///   - prompt: its name on this connection.
  ///   - method: how to prove it.
  ///   - caller: who asks.
  ///   - report: gets `ready`, `waiting` and `retry` while a finger is awaited.
  /// - Returns: `passed`, or what the password's stack asks.
  /// - Throws: `presenceFailed` with the methods that may still be tried, `busy`.
  public func check(
    _ prompt: String,
    by method: PresenceMethod,
    caller: Caller,
    report: @Sendable (CheckEvent) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    let arming = try outcome(of: prompt, caller) { () throws(PresenceOutcome) in
      try self.prompts.arm(
        prompt,
        method: method,
        connection: caller.connection,
        at: self.clock.boot
      )
    }
    checks.removeValue(forKey: prompt)?.cancel()
    if case .join(let leader) = arming {
      report(.waiting)
      if let failure = await leaderOutcome(leader, follower: prompt) {
        throw .presenceFailed(failure, methods: [])
      }
      return .passed
    }
    do throws(PresenceOutcome) {
      let conversation =
        switch method {
        case .fingerprint: try await fingerprintCheck()
        case .password: try await check.password(seconds: Self.checkSeconds)
        }
      // The prompt may have been given up while the helper was started.
      guard prompts.isArmed(prompt, method: method, at: clock.boot) else {
        conversation.cancel()
        throw .cancelled
      }
      checks[prompt] = conversation
    } catch {
      throw try failed(prompt, method, error, caller)
    }
    return try await follow(prompt, by: method, caller: caller, report: report)
  }

  /// Answers what the password's stack asked.
  public func respond(
    _ prompt: String,
    text: SharedSecret,
    caller: Caller
  ) async throws(VaultFailure) -> CheckStep {
    guard let conversation = checks[prompt], prompts.contains(prompt),
      prompts.isArmed(prompt, method: .password, at: clock.boot)
    else { throw .presenceFailed(.timedOut, methods: prompts.methods(of: prompt)) }
    prompts.extend(prompt, at: clock.boot)
    await conversation.respond(text)
    return try await follow(prompt, by: .password, caller: caller) { _ in }
  }

  /// Gives a prompt up.
  public func cancel(_ prompt: String, caller: Caller) {
    guard prompts.connection(of: prompt) == caller.connection else { return }
    giveUp(prompt, as: .cancelled)
  }

  /// Gives up everything that a connection had open, because it has ended.
  public func disconnect(_ connection: UInt64) {
    for prompt in prompts.names(of: connection) { giveUp(prompt, as: .cancelled) }
    enrollments.removeValue(forKey: connection)?.cancel()
  }

  /// A passed prompt's proof, taken for one use.
  func spendable(
    _ prompt: String,
    question: PromptQuestion,
    caller: Caller
  ) throws(VaultFailure) -> PresenceProof {
    let now = clock.boot
    do throws(PresenceOutcome) {
      let proof = try prompts.takeProof(
        prompt,
        question: question,
        connection: caller.connection,
        at: now
      )
      wakeSpenders(of: prompt)
      return proof
    } catch {
      noteRefusal(error.name, caller)
      throw .presenceFailed(error, methods: prompts.methods(of: prompt))
    }
  }

  /// Where a call names a prompt that joined another: waits until that one's proof was spent, or
  /// will not be.
  ///
  /// True: look again, without the prompt.
  func waitForLeader(
    of prompt: String,
    _ purpose: PresencePurpose,
    _ account: AccountRow?,
    _ caller: Caller
  ) async throws(VaultFailure) -> Bool {
    let question = PromptQuestion(user: caller.user, purpose: purpose, account: account?.id)
    let standing = try outcome(of: prompt, caller) { () throws(PresenceOutcome) in
      try self.prompts.standing(
        of: prompt,
        question: question,
        connection: caller.connection,
        at: self.clock.boot
      )
    }
    switch standing {
    case .passed: return false
    case .open:
      throw .presenceFailed(
        .denied("the check was not passed"),
        methods: prompts.methods(of: prompt)
      )
    case .joined(let leader):
      prompts.close(prompt, connection: caller.connection)
      if prompts.contains(leader) {
        await withCheckedContinuation { spenders[leader, default: []].append($0) }
      }
      return true
    }
  }

  // MARK: - One check

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
    return try await check.fingerprint(prints, seconds: Self.checkSeconds)
  }

  private func follow(
    _ prompt: String,
    by method: PresenceMethod,
    caller: Caller,
    report: @Sendable (CheckEvent) -> Void
  ) async throws(VaultFailure) -> CheckStep {
    guard let conversation = checks[prompt] else {
      throw try failed(prompt, method, .cancelled, caller)
    }
    while true {
      let event = await withTaskCancellationHandler {
        await conversation.next()
      } onCancel: {
        conversation.cancel()
      }
      // A result counts only for the prompt that is armed now: one that comes late, after a cancel
      // or for another method, releases nothing.
      guard prompts.isArmed(prompt, method: method, at: clock.boot) else {
        conversation.cancel()
        throw try failed(prompt, method, prompts.contains(prompt) ? .timedOut : .cancelled, caller)
      }
      switch event {
      case .ready, .waiting, .retry: report(event)
      case .ask(let text, let hidden):
        prompts.extend(prompt, at: clock.boot)
        return .ask(text: text, hidden: hidden)
      case .matched:
        checks[prompt] = nil
        try passed(prompt, method, caller)
        return .passed
      case .failed(let outcome):
        checks[prompt] = nil
        let failure = try failed(prompt, method, outcome, caller)
        if method == .password && outcome == .noMatch {
          await clock.pause(milliseconds: Self.passwordDelay)
        }
        throw failure
      }
    }
  }

  /// Writes a success down, and only then uses it.
  private func passed(
    _ prompt: String,
    _ method: PresenceMethod,
    _ caller: Caller
  ) throws(VaultFailure) {
    var lockout = try fingerLockout()
    lockout.recordSuccess(by: method)
    if method == .fingerprint && lockout.isPasswordOnly {
      throw try failed(prompt, method, .lockedOut, caller)
    }
    try change { () throws(VaultFailure) in
      try self.keep(lockout)
      try self.record(self.checkEntry(prompt, .done, method, caller, detail: nil))
    }
    prompts.pass(prompt, at: clock.boot)
    wakeFollowers(of: prompt, with: nil)
  }

  /// Writes a failure down, counts it where it counts, and makes the error for it.
  private func failed(
    _ prompt: String,
    _ method: PresenceMethod,
    _ outcome: PresenceOutcome,
    _ caller: Caller
  ) throws(VaultFailure) -> VaultFailure {
    var lockout = try fingerLockout()
    if method == .fingerprint && outcome == .noMatch { lockout.recordNoMatch() }
    try change { () throws(VaultFailure) in
      try self.keep(lockout)
      try self.record(
        self.checkEntry(prompt, .failed, method, caller, detail: outcome.auditName)
      )
    }
    let methods = prompts.fail(prompt, with: outcome, lockout: lockout, at: clock.boot)
    if case .busy(let message) = outcome, methods == [.fingerprint] { return .busy(message) }
    return .presenceFailed(outcome, methods: methods)
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

  // MARK: - Those who wait

  private func leaderOutcome(_ leader: String, follower: String) async -> PresenceOutcome? {
    guard prompts.contains(leader) else { return .cancelled }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // The handler may have run already, before there was anything to wake.
        if Task.isCancelled { return continuation.resume(returning: .cancelled) }
        followers[leader, default: [:]][follower] = continuation
      }
    } onCancel: {
      Task { await self.wakeFollower(follower, of: leader) }
    }
  }

  private func wakeFollowers(of prompt: String, with outcome: PresenceOutcome?) {
    for waiting in (followers.removeValue(forKey: prompt) ?? [:]).values {
      waiting.resume(returning: outcome)
    }
  }

  private func wakeFollower(_ follower: String, of leader: String) {
    followers[leader]?.removeValue(forKey: follower)?.resume(returning: .cancelled)
  }

  private func wakeSpenders(of prompt: String) {
    for waiting in spenders.removeValue(forKey: prompt) ?? [] { waiting.resume() }
  }

  private func giveUp(_ prompt: String, as outcome: PresenceOutcome) {
    checks.removeValue(forKey: prompt)?.cancel()
    if let connection = prompts.connection(of: prompt) {
      prompts.close(prompt, connection: connection)
    }
    wakeFollowers(of: prompt, with: outcome)
    wakeSpenders(of: prompt)
  }

  /// Removes a prompt when nobody has used it in time, so that nobody waits for it for ever.
  private func sweep(_ prompt: String) {
    Task { [clock] in
      while true {
        await clock.pause(milliseconds: (PromptBook.lifetime + 1) * 1000)
        guard self.hasExpired(prompt) else { continue }
        return
      }
    }
  }

  private func hasExpired(_ prompt: String) -> Bool {
    guard let deadline = prompts.deadline(of: prompt) else {
      wakeFollowers(of: prompt, with: .cancelled)
      wakeSpenders(of: prompt)
      return true
    }
    guard deadline < clock.boot else { return false }
    giveUp(prompt, as: .timedOut)
    return true
  }

  private func outcome<Value>(
    of prompt: String,
    _ caller: Caller,
    _ body: () throws(PresenceOutcome) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(PresenceOutcome) {
      return try body()
    } catch {
      noteRefusal(error.name, caller)
      if case .busy(let message) = error { throw .busy(message) }
      throw .presenceFailed(error, methods: prompts.methods(of: prompt))
    }
  }
}

extension PresenceOutcome {
  /// The stable name of an outcome.
  public var name: String {
    switch self {
    case .cancelled: "cancelled"
    case .passwordChosen: "password_chosen"
    case .notAvailable: "not_available"
    case .notEnrolled: "not_enrolled"
    case .lockedOut: "locked_out"
    case .noMatch: "no_match"
    case .timedOut: "timed_out"
    case .busy: "busy"
    case .denied: "denied"
    }
  }

  var auditName: String {
    switch self {
    case .notAvailable(let why), .busy(let why), .denied(let why): "\(name) (\(why))"
    default: name
    }
  }
}
