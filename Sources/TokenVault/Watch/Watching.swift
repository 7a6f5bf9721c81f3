internal import Presence
internal import Storage
internal import System

/// How an account and the unlock window stand at one moment.
public struct WatchFacts: Sendable, Equatable {
  /// The account; nil: there is none of that name.
  public let account: AccountFacts?
  /// Whether the unlock window covers it.
  public let isUnlocked: Bool
}

/// Those who follow an account, each with what it waits by; none has a history.
struct WatcherBook {
  /// One of them.
  struct Watcher {
    /// The account's name; nil: the default.
    let account: String?
    /// How long before its end the token is replaced for it, in seconds; nil: not for it.
    let measure: Int64?
    var wake: CheckedContinuation<Void, Never>?
  }

  /// The most at once: whoever only asks finds a connection in any case.
  static let most = 64

  private var watchers: [UInt64: Watcher] = [:]
  private var last: UInt64 = 0
  /// Wakes them when the next thing ends by time.
  var timer: (end: BootInstant, task: Task<Void, Never>)?

  var isEmpty: Bool { watchers.isEmpty }
  var all: some Sequence<Watcher> { watchers.values }

  /// Takes one in; `nil` if there are too many.
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

// A client follows an account: it is woken by each committed change, by each change of the window,
// and by the clocks, and looks for itself whether anything differs. So it misses nothing, hears
// nothing twice, and where it is slow it hears the latest alone.
extension Vault {
  /// The bounds of a watcher's own measure, in seconds.
  static let leastMeasure: Int64 = 60
  static let greatestMeasure: Int64 = 3600
  /// The longest that the timer sleeps, in seconds.
  private static let longestSleep: Int64 = 3600

  /// How an account and the window of the caller's place stand now.
  public func watchFacts(
    of name: String?,
    caller: Caller
  ) async throws(VaultFailure) -> WatchFacts {
    try look(at: name, from: await placeOfWindow(caller)).facts
  }

  /// Tells how an account and the window of the caller's place stand, and again each time that
  /// differs.
  ///
  /// While it lasts, the account's usual access token counts as used. It keeps no window open, and
  /// ends when the task is cancelled.
  ///
  /// - Parameters:
  ///   - name: the account; nil: the default. It need not exist.
  ///   - ahead: how long before its end the token is refreshed, in seconds; nil: as for anyone, 0:
  ///     not for this.
  ///   - caller: who listens.
  ///   - tell: gets what differs, and returns when more can be taken; false: nobody listens.
  /// - Returns: how they stand at the end.
  /// - Throws: `invalidArgument`, `busy` where too many watch, and what the store cannot do.
  public func watch(
    account name: String?,
    refreshAhead ahead: Int64?,
    caller: Caller,
    tell: @Sendable (WatchFacts) async -> Bool
  ) async throws(VaultFailure) -> WatchFacts {
    try demandCurrentStore()
    guard (ahead ?? 0) >= 0 else {
      throw .invalidArgument("a token cannot be refreshed after its end: give 0 or more seconds")
    }
    let measure =
      ahead == 0 ? nil : min(max(ahead ?? Self.aheadTime, Self.leastMeasure), Self.greatestMeasure)
    guard let number = watchers.add(name, measure) else {
      throw .busy("too many programs watch the vault")
    }
    defer { watchers.remove(number) }
    var told: WatchFacts?
    var place = CallerPlace.everywhere
    var seen: Set<String> = []
    while true {
      // Nobody is asked where the caller sits until a window is opened somewhere. What changes
      // meanwhile is seen by the look that follows without a wait.
      while windows.places != seen {
        seen = windows.places
        place = await self.place(of: caller)
      }
      let (facts, end) = try look(at: name, from: place)
      if Task.isCancelled { return facts }
      if facts == told {
        await waitForChange(number, before: end)
      } else {
        // Whatever changes until this is taken is seen by the next look.
        told = facts
        guard await tell(facts) else { return facts }
      }
    }
  }

  /// How long before its end those who watch an account want its token replaced: the longest; nil
  /// where nobody wants it.
  func watchersMeasure(for account: AccountRow) -> Int64? {
    watchers.all.filter { watcher in
      if let name = watcher.account { return name == account.name }
      return (try? impliedAccount())?.id == account.id
    }.compactMap(\.measure).max()
  }

  /// Something has changed.
  func wakeWatchers() { watchers.wakeAll() }

  // MARK: - One look

  /// How they stand, and when that ends by itself.
  private func look(
    at name: String?,
    from place: CallerPlace
  ) throws(VaultFailure) -> (facts: WatchFacts, end: BootInstant?) {
    let now = clock.boot
    let open = windows.window(at: place.name, now: now)
    guard let row = try row(of: name) else {
      let isUnlocked = open.map { $0.accounts == nil } ?? false
      return (WatchFacts(account: nil, isUnlocked: isUnlocked), open?.closing)
    }
    let account = try facts(of: row, at: place)
    var end = open?.closing
    // A token that is due already ends nothing more.
    if account.state == .ready, let token = try token(of: row), let left = secondsLeft(of: token),
      left >= leastLifetime
    {
      let tokenEnd = now.advanced(bySeconds: left - leastLifetime + 1)
      end = end.map { min($0, tokenEnd) } ?? tokenEnd
    }
    let isUnlocked = open?.covers(row.id, at: now) ?? false
    return (WatchFacts(account: account, isUnlocked: isUnlocked), end)
  }

  /// The account, where there is one.
  private func row(of name: String?) throws(VaultFailure) -> AccountRow? {
    guard let name else { return try impliedAccount() }
    do throws(VaultFailure) {
      return try account(named: name)
    } catch {
      guard case .noSuchAccount = error else { throw error }
      return nil
    }
  }

  // MARK: - Waiting

  private func waitForChange(_ number: UInt64, before end: BootInstant?) async {
    if let end { wakeLater(end) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        // The handler may have run already, before there was anything to wake.
        if Task.isCancelled { return wake.resume() }
        watchers.wait(number, wake)
      }
    } onCancel: {
      Task { await self.wakeWatcher(number) }
    }
  }

  private func wakeWatcher(_ number: UInt64) { watchers.wake(number) }

  /// Wakes all at a moment, unless they are woken before.
  ///
  /// One task does it, and it does not keep the vault. A window that slides closes later: then they
  /// look for nothing once, and wait on.
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
