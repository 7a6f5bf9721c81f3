internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// The status of an account and of the unlock window at one moment.
package struct WatchFacts: Sendable, Equatable {
  /// The account; `nil` if there is none of that name.
  package let account: AccountFacts?
  /// Whether the unlock window covers it.
  package let isUnlocked: Bool
}

/// The watchers of accounts, each with its continuation; none has a history.
struct WatcherBook {
  struct Watcher {
    /// The account's name; `nil` for the default.
    let account: String?
    /// How long before its end the token is refreshed for this watcher, in seconds; `nil` if it is
    /// not.
    let measure: Int64?
    var wake: CheckedContinuation<Void, Never>?
  }

  /// The limit of watchers, so that other calls find a connection in any case.
  static let most = 64

  private var watchers: [UInt64: Watcher] = [:]
  private var last: UInt64 = 0
  /// Wakes the watchers when the next token or window ends by time.
  var timer: (end: BootInstant, task: Task<Void, Never>)?

  var isEmpty: Bool { watchers.isEmpty }
  var all: some Sequence<Watcher> { watchers.values }

  /// Adds a watcher; `nil` if there are too many.
  mutating func add(_ account: String?, _ measure: Int64?) -> UInt64? {
    guard watchers.count < Self.most else { return nil }
    last += 1
    watchers[last] = Watcher(account: account, measure: measure)
    return last
  }

  mutating func remove(_ number: UInt64) {
    watchers[number] = nil
    guard watchers.isEmpty else { return }
    timer?.task.cancel()
    timer = nil
  }

  mutating func wait(_ number: UInt64, _ wake: CheckedContinuation<Void, Never>) {
    watchers[number]?.wake = wake
  }

  mutating func wake(_ number: UInt64) {
    watchers[number]?.wake?.resume()
    watchers[number]?.wake = nil
  }

  mutating func wakeAll() {
    for number in watchers.keys { wake(number) }
  }
}

// A client watches an account. It is woken by each committed change, by each change of the window,
// and by the clocks. Then it checks whether anything differs. So it misses nothing and gets nothing
// twice, and a slow client gets only the latest state.
extension Vault {
  /// The bounds of a watcher's own refresh time, in seconds.
  static let leastMeasure: Int64 = 60
  static let greatestMeasure: Int64 = 3600
  /// The longest that the timer sleeps, in seconds.
  private static let longestSleep: Int64 = 3600

  /// The present status of an account and of the window of the caller's location.
  package func watchFacts(
    of name: String?,
    caller: Caller
  ) async throws(VaultFailure) -> WatchFacts {
    try look(at: name, from: await locationOfWindow(caller)).facts
  }

  /// Reports the status of an account and of the window of the caller's location, and again after
  /// each change.
  ///
  /// While it lasts, the account's usual access token counts as used. It keeps no window open, and
  /// ends when the task is cancelled.
  ///
  /// - Parameters:
  ///   - name: the account; `nil` for the default. It need not exist.
  ///   - ahead: how long before its end the token is refreshed, in seconds; `nil` for the usual
  ///     time, 0 for no refresh.
  ///   - caller: the caller that watches.
  ///   - tell: gets each changed status, and returns when it can take more; `false` if the client
  ///     is gone.
  /// - Returns: the status at the end.
  /// - Throws: `invalidArgument`, `busy` if there are too many watchers, and failures of the store.
  package func watch(
    account name: String?,
    refreshAhead ahead: Int64?,
    caller: Caller,
    tell: @Sendable (WatchFacts) async -> Bool
  ) async throws(VaultFailure) -> WatchFacts {
    try demandCurrentStore()
    guard (ahead ?? 0) >= 0 else {
      throw .invalidArgument("`refresh_ahead` must be 0 seconds or more")
    }
    let measure =
      ahead == 0 ? nil : min(max(ahead ?? Self.aheadTime, Self.leastMeasure), Self.greatestMeasure)
    guard let number = watchers.add(name, measure) else {
      throw .busy("too many programs watch the vault")
    }
    defer { watchers.remove(number) }
    var told: WatchFacts?
    var location = CallerLocation.everywhere
    var seen: Set<String> = []
    while true {
      // The caller's location is not looked up until a window is opened somewhere. A change in
      // between is seen by the look that follows without a wait.
      while locationsOfWindows != seen {
        seen = locationsOfWindows
        location = await self.location(of: caller)
      }
      let (facts, end) = try look(at: name, from: location)
      if Task.isCancelled { return facts }
      if facts == told {
        await waitForChange(number, before: end)
      } else {
        // A change before this is taken is seen by the next look.
        told = facts
        guard await tell(facts) else { return facts }
      }
    }
  }

  /// How long before its end the watchers of an account want its token refreshed: the longest time;
  /// `nil` if none wants it.
  func watchersMeasure(for account: AccountRow) -> Int64? {
    watchers.all.filter { watcher in
      if let name = watcher.account { return name == account.name }
      return (try? impliedAccount())?.id == account.id
    }.compactMap(\.measure).max()
  }

  /// Wakes all watchers after a change.
  func wakeWatchers() { watchers.wakeAll() }

  // MARK: - One look

  /// The status, and when it ends by time.
  private func look(
    at name: String?,
    from location: CallerLocation
  ) throws(VaultFailure) -> (facts: WatchFacts, end: BootInstant?) {
    let now = clock.boot
    let open = window(at: location.name, now: now)
    let found = if let name { try accountIfAny(named: name) } else { try impliedAccount() }
    guard let row = found else {
      let isUnlocked = open.map { $0.accounts == nil } ?? false
      return (WatchFacts(account: nil, isUnlocked: isUnlocked), open?.closing)
    }
    let account = try facts(of: row, at: location)
    var end = open?.closing
    // A token that is due already causes no further change.
    if account.state == .ready, let token = try token(of: row), let left = secondsLeft(of: token),
      left >= leastLifetime
    {
      let tokenEnd = now.advanced(bySeconds: left - leastLifetime + 1)
      end = end.map { min($0, tokenEnd) } ?? tokenEnd
    }
    let isUnlocked = open?.covers(row.id, at: now) ?? false
    return (WatchFacts(account: account, isUnlocked: isUnlocked), end)
  }

  // MARK: - Waiting

  /// Waits until something may have changed, at most until `end`.
  func waitForChange(_ number: UInt64, before end: BootInstant?) async {
    if let end { wakeLater(end) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // The handler may have run already, before there was a continuation to resume.
        if Task.isCancelled { return wake.resume() }
        watchers.wait(number, wake)
      }
    } onCancel: {
      Task { await self.wakeWatcher(number) }
    }
  }

  private func wakeWatcher(_ number: UInt64) { watchers.wake(number) }

  /// Wakes all watchers at a moment, unless they are woken earlier.
  ///
  /// One task does it, and it does not retain the vault. A window that slides closes later: then
  /// the watchers look once without a change, and wait on.
  private func wakeLater(_ moment: BootInstant) {
    let end = min(moment, clock.boot.advanced(bySeconds: Self.longestSleep))
    if let timer = watchers.timer, timer.end <= end { return }
    watchers.timer?.task.cancel()
    let task = Task { [weak self, clock] in
      let left = end.nanoseconds - clock.boot.nanoseconds
      if left > 0 { await clock.pause(milliseconds: (left + 999_999) / 1_000_000) }
      await self?.timeIsUp(end)
    }
    watchers.timer = (end, task)
  }

  private func timeIsUp(_ end: BootInstant) {
    guard watchers.timer?.end == end else { return }
    watchers.timer = nil
    wakeWatchers()
  }
}
