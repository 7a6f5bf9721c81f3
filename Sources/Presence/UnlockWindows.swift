public import System

/// The unlock windows of one user: one for each place from which this user asks.
///
/// A place is where a person sits: a login session, or for what belongs to none its unit. What was
/// opened at one is not open at another: whoever comes over the network does not walk through the
/// window of the person at the desk.
///
/// Pure: no clock, no I/O.
public struct UnlockWindows: Sendable, Equatable {
  private var windows: [String: UnlockWindow] = [:]

  /// None is open.
  public init() {}

  /// Opens one, in place of the one that was open there.
  public mutating func open(_ window: UnlockWindow, at place: String, now: BootInstant) {
    windows = windows.filter { $0.value.isOpen(at: now) }
    windows[place] = window
  }

  /// Opens one for a further account: the one that is open there stays, and covers it as well.
  ///
  /// Without that the accounts which are unlocked already would be locked by it.
  public mutating func add(
    _ window: UnlockWindow,
    for account: [UInt8],
    at place: String,
    now: BootInstant
  ) {
    guard let open = self.window(at: place, now: now) else {
      return self.open(window, at: place, now: now)
    }
    windows[place] = open.including(account)
  }

  /// The one that is open at a place.
  public func window(at place: String, now: BootInstant) -> UnlockWindow? {
    windows[place].flatMap { $0.isOpen(at: now) ? $0 : nil }
  }

  /// Whether one is open anywhere.
  public func isAnyOpen(now: BootInstant) -> Bool {
    windows.values.contains { $0.isOpen(at: now) }
  }

  /// Whether one covers an account, wherever it is open.
  public func isAnyOpen(for account: [UInt8], now: BootInstant) -> Bool {
    windows.values.contains { $0.covers(account, at: now) }
  }

  /// The places that have one, open or closed by time.
  public var places: Set<String> { Set(windows.keys) }

  /// A proof for one use that somebody at a place asks for, or nil; it may move the end of a window
  /// that slides.
  public mutating func proof(
    at place: String,
    account: [UInt8],
    connection: UInt64,
    now: BootInstant,
    extending: Bool
  ) -> PresenceProof? {
    windows[place]?.proof(account: account, connection: connection, at: now, extending: extending)
  }

  /// A proof for one refresh that nobody asks for, of an account that a window covers; it moves none.
  public mutating func proofAhead(
    account: [UInt8],
    connection: UInt64,
    now: BootInstant
  ) -> PresenceProof? {
    guard let place = windows.first(where: { $0.value.covers(account, at: now) })?.key else {
      return nil
    }
    return windows[place]?.proof(
      account: account,
      connection: connection,
      at: now,
      extending: false
    )
  }

  /// Closes the one of a place; whether it was open.
  @discardableResult
  public mutating func close(at place: String, now: BootInstant) -> Bool {
    windows.removeValue(forKey: place)?.isOpen(at: now) ?? false
  }

  /// Closes all; whether one was open.
  @discardableResult
  public mutating func closeAll(now: BootInstant) -> Bool {
    let wasOpen = isAnyOpen(now: now)
    windows = [:]
    return wasOpen
  }

  /// Closes those for an account alone, which is no more.
  public mutating func forget(_ account: [UInt8]) {
    windows = windows.filter { $0.value.accounts != [account] }
  }
}
