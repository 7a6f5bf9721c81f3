internal import Presence
internal import System

/// The unlock windows, their ends from outside, and the windows that are about to be opened.
struct WindowState {
  let sessions: UserSessions
  private(set) var windows = UnlockWindows()
  /// How often all windows were ended from outside.
  private(set) var ends: UInt64 = 0
  private var beginnings = 0
  /// The locations at which windows were ended while one may be opened in a moment.
  private var endedLocations: Set<String> = []
  /// The prompts that the last end from outside has cancelled, at which a question may still be
  /// shown.
  private var cancelled: Set<String> = []

  init(sessions: UserSessions) { self.sessions = sessions }

  mutating func change<Value: ~Copyable>(_ body: (inout UnlockWindows) -> Value) -> Value {
    body(&windows)
  }

  /// Whether a window may be opened in a moment.
  var isBeginning: Bool { beginnings > 0 }

  mutating func noteEnd() { ends += 1 }

  mutating func noteEnd(at location: String) {
    if isBeginning { endedLocations.insert(location) }
  }

  /// Whether windows at a location were ended since the first of the present beginnings.
  func hasEnded(at location: String) -> Bool { endedLocations.contains(location) }

  /// Remembers the prompts that such an end cancels, so that their callers are told why.
  mutating func noteCancelled(_ prompts: [String]) {
    if !prompts.isEmpty { cancelled = Set(prompts) }
  }

  func hasCancelled(_ prompt: String) -> Bool { cancelled.contains(prompt) }

  mutating func begin() { beginnings += 1 }

  mutating func endBeginning() {
    beginnings -= 1
    if !isBeginning { endedLocations = [] }
  }
}

// The part of the windows that other folders see and change.
extension Vault {
  /// Whether the engine holds something that a restart would lose.
  package var isHoldingWindow: Bool { windowState.windows.isAnyOpen(now: clock.boot) }

  /// Whether an open window of any location covers an account.
  func isAnyWindowOpen(for account: [UInt8]) -> Bool {
    windowState.windows.isAnyOpen(for: account, now: clock.boot)
  }

  /// The open window of a location.
  func window(at location: String, now: BootInstant) -> UnlockWindow? {
    windowState.windows.window(at: location, now: now)
  }

  /// The locations with a window, open or expired.
  var locationsOfWindows: Set<String> { windowState.windows.locations }

  /// Whether a window may be opened in a moment.
  var isOpeningWindow: Bool { windowState.isBeginning }

  /// How often all windows were ended from outside.
  var windowEnds: UInt64 { windowState.ends }

  /// Whether an end from outside has cancelled a prompt.
  func isCancelledFromOutside(_ prompt: String) -> Bool { windowState.hasCancelled(prompt) }

  /// Changes the windows, and wakes the watchers.
  func changeWindows<Value: ~Copyable>(_ body: (inout UnlockWindows) -> Value) -> Value {
    defer { wakeWatchers() }
    return windowState.change(body)
  }

  /// Closes the windows of all locations; returns whether one was open.
  @discardableResult
  func closeWindows() -> Bool {
    let now = clock.boot
    return changeWindows { $0.closeAll(now: now) }
  }

  /// Closes the window of a location; returns whether it was open.
  @discardableResult
  func closeWindow(at location: String) -> Bool {
    let now = clock.boot
    return changeWindows { $0.close(at: location, now: now) }
  }

  /// Closes the windows that cover only a deleted account.
  func closeWindows(ofDeleted account: [UInt8]) { changeWindows { $0.forget(account) } }

  /// A proof of the window at a location, or `nil`; it may move the end of a sliding window.
  func proofOfWindow(
    at location: String,
    for account: [UInt8],
    _ caller: Caller,
    extending: Bool
  ) -> PresenceProof? {
    let now = clock.boot
    return changeWindows {
      $0.proof(
        at: location,
        account: account,
        connection: caller.connection,
        now: now,
        extending: extending
      )
    }
  }

  /// A proof for one refresh ahead of time, for a covered account; it moves no window's end.
  func proofOfWindowAhead(for account: [UInt8], _ engine: Caller) -> PresenceProof? {
    let now = clock.boot
    return changeWindows {
      $0.proofAhead(account: account, connection: engine.connection, now: now)
    }
  }
}
