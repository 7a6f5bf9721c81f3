internal import Presence
internal import System

/// Sees what ends the unlock window and the open prompts from outside: the end of the time in which
/// the person who opened them sits here.
public protocol WindowGuard: Sendable {
  /// Begins to look, where it does not already.
  ///
  /// Returns once nothing is missed any more, or it is clear that nothing can be seen. `end` is
  /// called with the reason, and returns when the windows and the prompts are gone and their readers are
  /// released: once for all of them (nil), and before that as often as a place of that name is left, for
  /// those there. Where the
  /// time is over already, it is called before this returns.
  func begin(_ end: @escaping @Sendable (_ place: String?, _ why: String) async -> Void) async
  /// Neither a window nor a prompt is open any more.
  func rest()
  /// Why nothing can be seen; `nil` if it can.
  func flaw() async -> String?
}

extension Vault {
  /// Has the guard look, before a window is opened or a reader is armed.
  ///
  /// - Returns: a number that `endWindows` changes: what is opened in its place is too late then.
  func beginGuarding() async -> UInt64 {
    guard let windowGuard else { return windowEnds }
    windowsBeginning += 1
    defer { windowsBeginning -= 1 }
    let ends = windowEnds
    await windowGuard.begin { [weak self] place, why in
      await self?.endWindows(at: place, because: why)
      // The computer must not fall asleep with an armed reader.
      await self?.readersReleased()
    }
    return ends
  }

  /// Closes the windows and gives up what is asked, because of what happened outside.
  ///
  /// They are closed before that is written down, and in any case.
  ///
  /// - Parameters:
  ///   - place: the name of the one place that has come to an end; nil: the person is gone.
  ///   - why: for the trail.
  public func endWindows(at place: String? = nil, because why: String) {
    let wasOpen: Bool
    if let place {
      // Whoever is about to open one there has a prompt there.
      for prompt in prompts.names(at: place) { giveUp(prompt, as: .cancelled) }
      endEnrollments { $0.place == place }
      wasOpen = windows.close(at: place, now: clock.boot)
    } else {
      windowEnds += 1
      // The touch of whoever comes to a locked screen must not release what was asked before.
      for prompt in prompts.names { giveUp(prompt, as: .cancelled) }
      endEnrollments { _ in true }
      wasOpen = windows.closeAll(now: clock.boot)
    }
    guard wasOpen else { return }
    let entry = AuditEntry(.lock, .done, account: nil, caller: .engine(owner), detail: why)
    try? change { () throws(VaultFailure) in try self.record(entry) }
  }

  private func endEnrollments(where isOver: (EnrollmentRun) -> Bool) {
    for (connection, run) in enrollments where isOver(run) {
      enrollments[connection] = nil
      run.conversation?.cancel()
    }
  }

  /// Lets the guard rest where nothing is open; the server calls it each minute.
  public func restGuard() {
    guard windowsBeginning == 0, !isHoldingWindow, prompts.isEmpty, enrollments.isEmpty else {
      return
    }
    windowGuard?.rest()
  }

  /// The same once this step is over, which may open what its prompt was for.
  func restGuardLater() {
    guard windowGuard != nil, prompts.isEmpty else { return }
    Task { [weak self] in await self?.restGuard() }
  }

  func examineGuard() async -> [VaultFinding] {
    guard let windowGuard else { return [] }
    guard let flaw = await windowGuard.flaw() else {
      return [
        VaultFinding(
          "login-events",
          .ok,
          "a locked screen, sleep, another session at the seat and a logout end the unlock window"
            + " and open prompts"
        )
      ]
    }
    return [
      VaultFinding(
        "login-events",
        .warning,
        "login events are not watched: \(flaw)",
        remedy: "the unlock window ends by time, or by: thumblatch lock"
      )
    ]
  }
}
