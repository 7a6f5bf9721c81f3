internal import AuditLog
internal import Presence
internal import PresenceTerms

/// Watches for the events that end the unlock window and the open prompts from outside.
///
/// They end the time in which the person of the window or the prompt sits here.
package protocol SessionEvents: Sendable {
  /// Begins to watch, if it does not already.
  ///
  /// It returns once no event can be missed, or it is clear that none can be seen. `end` is called
  /// with the reason, and returns when the windows and the prompts are gone and their readers are
  /// released. It is called once for all locations (`nil`). Before that, it is called each time
  /// that a location of that name is left, for those there. If such an event has already happened,
  /// `end` is called before this returns.
  func begin(_ end: @escaping @Sendable (_ location: String?, _ why: String) async -> Void) async
  /// Informs the guard that neither a window nor a prompt is open any more.
  func rest()
  /// Why no event can be seen; `nil` if events can be seen.
  func flaw() async -> String?
}

extension Vault {
  /// Lets the guard watch, before a window is opened or a reader is armed.
  ///
  /// - Returns: a number that `endWindows` changes. After a change it is too late to open the
  ///   window.
  func beginGuarding() async -> UInt64 {
    guard let windowGuard = windowState.sessions.events else { return windowState.ends }
    windowState.begin()
    defer { windowState.endBeginning() }
    let ends = windowState.ends
    await windowGuard.begin { [weak self] location, why in
      await self?.endWindows(at: location, because: why)
      // The computer must not fall asleep with an armed reader.
      await self?.readersReleased()
    }
    return ends
  }

  /// A window may be opened once the account is free: its end from outside counts until then.
  func beginOpeningWindow() { windowState.begin() }

  func endOpeningWindow() { windowState.endBeginning() }

  /// Whether windows at a location were ended from outside since then.
  func hasEndedWhileOpening(at location: String) -> Bool { windowState.hasEnded(at: location) }

  /// Closes the windows and cancels the open prompts, because of an event outside.
  ///
  /// The windows are closed before that is recorded, and in any case.
  ///
  /// - Parameters:
  ///   - location: the name of the one location that has come to an end; `nil` if the person is
  ///     gone.
  ///   - why: the reason, for the audit log.
  package func endWindows(at location: String? = nil, because why: String) {
    let wasOpen: Bool
    // A caller that is about to open a window at a location has a prompt there. On a locked screen,
    // the touch of another person must not release an earlier request.
    let open = location.map { prompts.names(at: $0) } ?? prompts.readyNames
    windowState.noteCancelled(open)
    for prompt in open { hangUp(prompt) }
    if let location {
      windowState.noteEnd(at: location)
      cancelEnrollments(at: location)
      wasOpen = closeWindow(at: location)
    } else {
      windowState.noteEnd()
      cancelEnrollments(at: nil)
      wasOpen = closeWindows()
    }
    guard wasOpen else { return }
    let entry = AuditEntry(.lock, .done, account: nil, caller: .engine(owner), detail: why)
    try? change { try record(entry) }
  }

  /// Lets the guard rest if nothing is open; the server calls it each minute.
  package func endGuard() {
    guard !windowState.isBeginning, !isHoldingWindow, prompts.isEmpty, !isAnyEnrolling else {
      return
    }
    restGuard()
  }

  /// Informs the guard that nothing is open any more.
  func restGuard() { windowState.sessions.events?.rest() }

  /// The same once the present step is over, because that step may still open a window.
  func endGuardLater() {
    guard windowState.sessions.events != nil, prompts.isEmpty else { return }
    Task { [weak self] in await self?.endGuard() }
  }

  func examineGuard() async -> [VaultFinding] {
    guard let windowGuard = windowState.sessions.events else { return [] }
    var found = Findings("login-events")
    if let flaw = await windowGuard.flaw() {
      found.warning(
        "login events are not watched: \(flaw)",
        remedy: "the unlock window ends by time, or by: thumblatch lock"
      )
    } else {
      found.ok(
        "a locked screen, sleep, another session at the seat and a logout end the unlock window"
          + " and open prompts"
      )
    }
    return found.all
  }
}
