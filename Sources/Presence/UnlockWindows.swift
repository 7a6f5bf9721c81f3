package import System

/// The unlock windows of one user: one for each location of the user's callers.
///
/// A location is a session, or the unit of a caller without a session. A window of one
/// location does not open another. So a remote caller cannot use the window of the person at the
/// machine.
///
/// Pure: no clock, no I/O.
package struct UnlockWindows: Sendable, Equatable {
  private var windows: [String: UnlockWindow] = [:]

  /// Makes a value without open windows.
  package init() {}

  /// Opens a window and replaces the location's previous one.
  package mutating func open(_ window: UnlockWindow, at location: String, now: BootInstant) {
    windows = windows.filter { $0.value.isOpen(at: now) }
    windows[location] = window
  }

  /// Opens a window for one more account: an open window stays and covers it too.
  ///
  /// Replacing the window would lock the accounts that are already unlocked.
  package mutating func add(
    _ window: UnlockWindow,
    for account: [UInt8],
    at location: String,
    now: BootInstant
  ) {
    guard let open = self.window(at: location, now: now) else {
      return self.open(window, at: location, now: now)
    }
    windows[location] = open.including(account)
  }

  /// The open window of a location.
  package func window(at location: String, now: BootInstant) -> UnlockWindow? {
    windows[location].flatMap { $0.isOpen(at: now) ? $0 : nil }
  }

  /// Whether a window is open at any location.
  package func isAnyOpen(now: BootInstant) -> Bool {
    windows.values.contains { $0.isOpen(at: now) }
  }

  /// Whether an open window of any location covers an account.
  package func isAnyOpen(for account: [UInt8], now: BootInstant) -> Bool {
    windows.values.contains { $0.covers(account, at: now) }
  }

  /// The locations with a window, open or expired.
  package var locations: Set<String> { Set(windows.keys) }

  /// A proof for one use by a caller at a location, or `nil`; it may move the end of a sliding
  /// window.
  package mutating func proof(
    at location: String,
    account: [UInt8],
    connection: UInt64,
    now: BootInstant,
    extending: Bool
  ) -> PresenceProof? {
    windows[location]?.proof(
      account: account,
      connection: connection,
      at: now,
      extending: extending
    )
  }

  /// A proof for one refresh ahead of time, for a covered account; it moves no window's end.
  package mutating func proofAhead(
    account: [UInt8],
    connection: UInt64,
    now: BootInstant
  ) -> PresenceProof? {
    guard let location = windows.first(where: { $0.value.covers(account, at: now) })?.key else {
      return nil
    }
    return windows[location]?.proof(
      account: account,
      connection: connection,
      at: now,
      extending: false
    )
  }

  /// Closes the window of a location; returns whether it was open.
  @discardableResult
  package mutating func close(at location: String, now: BootInstant) -> Bool {
    windows.removeValue(forKey: location)?.isOpen(at: now) ?? false
  }

  /// Closes all windows; returns whether one was open.
  @discardableResult
  package mutating func closeAll(now: BootInstant) -> Bool {
    let wasOpen = isAnyOpen(now: now)
    windows = [:]
    return wasOpen
  }

  /// Closes the windows that cover only a deleted account.
  package mutating func forget(_ account: [UInt8]) {
    windows = windows.filter { $0.value.accounts != [account] }
  }
}
