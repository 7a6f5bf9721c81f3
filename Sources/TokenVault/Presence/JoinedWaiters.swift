internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// The joined waiters wait for the check of another prompt, or for the use of its proof. Each wait
// has an end.
extension Vault {
  /// How often the vault looks for unused prompts, in milliseconds.
  private static let sweepInterval: Int64 = 5000

  /// If a prompt has joined another one, waits until that proof is spent, or cannot be.
  ///
  /// It returns true if the caller must try again without the prompt.
  func waitForLeader(
    of prompt: String,
    _ question: PromptQuestion,
    _ caller: Caller
  ) async throws(VaultFailure) -> Bool {
    let eligibility = try outcome(of: prompt, caller) { () throws(PresenceFailure) in
      try self.prompts.status(
        of: prompt,
        question: question,
        connection: caller.connection,
        at: self.clock.boot
      )
    }
    switch eligibility {
    case .passed: return false
    case .open:
      if let leader = prompting.leader(of: prompt) { return await lookAgain(prompt, after: leader) }
      throw .presenceFailed(
        .denied("the check was not passed"),
        methods: prompts.methods(of: prompt)
      )
    case .joined(let leader): return await lookAgain(prompt, after: leader)
    }
  }

  /// Gives up a prompt that another one answers, and waits until that one's proof was spent.
  private func lookAgain(_ prompt: String, after leader: String) async -> Bool {
    giveUp(prompt, as: .cancelled)
    if prompts.contains(leader) {
      await withCheckedContinuation { prompting.waiters.waitForProof(of: leader, $0) }
    }
    return true
  }

  /// The failure of a leader's check; `nil` if it passed.
  func leaderOutcome(_ leader: String, for prompt: String) async -> PresenceFailure? {
    guard prompts.contains(leader) else { return .cancelled }
    let number = prompting.waiters.next()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // The handler may have run already, before there was anything to wake.
        if Task.isCancelled { return wake.resume(returning: .cancelled) }
        prompting.waiters.join(leader, JoinedWaiter(number: number, prompt: prompt, wake: wake))
      }
    } onCancel: {
      // It may run after this wait has ended, when the prompt may wait again.
      Task { await self.endWait(number) }
    }
  }

  func wakeJoinedWaiters(of leader: String, with failure: PresenceFailure?) {
    endShowing(of: leader, with: failure)
    prompting.waiters.wakeJoined(leader, with: failure)
  }

  /// Ends the wait of a joined caller, without affecting the leader.
  func wakeJoinedWaiter(_ prompt: String) { prompting.waiters.cancelWaits(of: prompt) }

  private func endWait(_ number: UInt64) { prompting.waiters.cancelWait(number) }

  /// Ends everything that a prompt has begun: its check, and the wait of the callers that joined
  /// it.
  ///
  /// `byCaller` distinguishes a Ctrl-C at the caller's own terminal from a prompt without an
  /// answer.
  func giveUp(_ prompt: String, as failure: PresenceFailure, byCaller: Bool = false) {
    prompting.checks.cancel(of: prompt)
    discardHeld(by: prompt)
    endPrepared(of: prompt)
    prompting.close(prompt, byCaller: byCaller, at: clock.boot)
    wakeJoinedWaiters(of: prompt, with: failure)
    prompting.waiters.wakeForProof(of: prompt)
    endGuardLater()
  }

  /// Gives up a prompt whose person may be gone.
  ///
  /// A program that waits for the person's answer learns of it by the end of its connection.
  func hangUp(_ prompt: String) {
    prompting.checks.run(of: prompt)?.asked?.socket.shutDown()
    giveUp(prompt, as: .cancelled)
  }

  /// Gives up prompts that are not used in time.
  ///
  /// One task does it for all, and it does not keep the vault.
  func sweepLater() {
    guard prompting.beginSweeping() else { return }
    Task { [weak self, clock] in
      while true {
        await clock.pause(milliseconds: Self.sweepInterval)
        guard await self?.sweep() == true else { return }
      }
    }
  }

  /// Gives up the prompts that are overdue.
  ///
  /// - Returns: whether others are open.
  @discardableResult
  func sweep() -> Bool {
    for prompt in prompts.overdue(at: clock.boot) { giveUp(prompt, as: .timedOut) }
    return prompting.keepsSweeping()
  }
}
