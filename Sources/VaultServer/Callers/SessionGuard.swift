internal import LoginEvents
internal import Synchronization
internal import System
internal import TokenVault

/// Follows the user's sessions on a thread of its own, for as long as an unlock window or a prompt
/// may be open.
///
/// An engine without either does not load libsystemd and opens no connection to the bus.
final class SessionGuard: SessionEvents {
  /// How long the opening of a window waits for the bus, in nanoseconds.
  private static let timeout: UInt64 = 3_000_000_000
  /// How long the computer's sleep waits for the end of the window, in milliseconds.
  ///
  /// The limit of logind itself is five seconds.
  private static let sleepTimeout: Int32 = 4000

  private enum State {
    case resting
    case beginning(UInt64, [CheckedContinuation<Void, Never>])
    case looking(UInt64, Wake)
  }

  private let user: UInt32
  private let address: String?
  private let state = Mutex((state: State.resting, last: UInt64(0)))

  /// Makes a guard of a user's sessions, with the bus at an address; `nil` for the machine's bus.
  init(user: UInt32, address: String?) {
    self.user = user
    self.address = address
  }

  func begin(_ end: @escaping @Sendable (String?, String) async -> Void) async {
    await withCheckedContinuation { ready in
      enum Step {
        case go
        case wait
        case start(UInt64)
      }
      let step = state.withLock { content -> Step in
        switch content.state {
        case .looking: return .go
        case .beginning(let number, let waiting):
          content.state = .beginning(number, waiting + [ready])
          return .wait
        case .resting:
          content.last += 1
          content.state = .beginning(content.last, [ready])
          return .start(content.last)
        }
      }
      switch step {
      case .go: ready.resume()
      case .wait: break
      case .start(let number): start(number, end)
      }
    }
  }

  func rest() {
    let wake = state.withLock { content -> Wake? in
      guard case .looking(_, let wake) = content.state else { return nil }
      content.state = .resting
      return wake
    }
    wake?.event.signal()
  }

  func flaw() async -> String? {
    let isLooking = state.withLock { content in
      if case .looking = content.state { true } else { false }
    }
    if isLooking { return nil }
    return await withCheckedContinuation { answer in
      let once = Once(answer)
      do throws(SystemError) {
        try startThread { [user, address] in
          do throws(LoginFailure) {
            let watch = try SessionWatch(user: user, address: address, delaysSleep: true)
            once.resume(watch.sleepFailure.map { "sleep cannot be delayed: \($0)" })
          } catch {
            once.resume("\(error)")
          }
        }
      } catch {
        once.resume("\(error)")
      }
      Task {
        try? await Task.sleep(nanoseconds: Self.timeout)
        once.resume("the system bus does not answer")
      }
    }
  }

  // MARK: - The thread

  private func start(_ number: UInt64, _ end: @escaping @Sendable (String?, String) async -> Void) {
    do {
      let wake = try Wake()
      try startThread { self.run(number, wake, end) }
    } catch {
      return stop(number)
    }
    // A silent bus must not delay the opening of a window. No session is watched then.
    Task {
      try? await Task.sleep(nanoseconds: Self.timeout)
      self.giveUp(number)
    }
  }

  private func run(
    _ number: UInt64,
    _ wake: Wake,
    _ end: @escaping @Sendable (String?, String) async -> Void
  ) {
    do throws(LoginFailure) {
      var watch = try SessionWatch(user: user, address: address, delaysSleep: true)
      if let before = watch.before {
        // Later callers start a new watch. Waiting callers learn of this end before they continue.
        let waiting = rest(number)
        Self.tell(before.reason, end)
        for ready in waiting { ready.resume() }
        return
      }
      guard look(number, wake) else { return }
      do throws(LoginFailure) {
        var what = try watch.next(interrupt: wake.event.descriptor.number)
        while let other = what, let identifier = other.onlySession {
          // The other sessions go on, and so does this watch.
          Task { await end(LoginLocation.name(ofSession: identifier), other.reason) }
          what = try watch.next(interrupt: wake.event.descriptor.number)
        }
        guard let what else { return }
        // From now on, the opening of a window starts a new watch.
        stop(number)
        Self.tell(what.reason, end)
        watch.letSleep()
      } catch {
        stop(number)
        // No other event would end the window any more, so end it here.
        Self.tell("\(error)", end)
      }
    } catch {
      stop(number)
    }
  }

  /// Waits until the window is gone, within a time limit.
  private static func tell(
    _ why: String,
    _ end: @escaping @Sendable (String?, String) async -> Void
  ) {
    guard let done = try? Wake() else {
      Task { await end(nil, why) }
      return
    }
    Task {
      await end(nil, why)
      done.event.signal()
    }
    _ = try? done.event.descriptor.waitReadable(milliseconds: sleepTimeout)
  }

  /// Records that no event is missed from now on.
  ///
  /// Returns false if no caller waits any more.
  private func look(_ number: UInt64, _ wake: Wake) -> Bool {
    let waiting = state.withLock { content -> [CheckedContinuation<Void, Never>]? in
      guard case .beginning(number, let waiting) = content.state else { return nil }
      content.state = .looking(number, wake)
      return waiting
    }
    for ready in waiting ?? [] { ready.resume() }
    return waiting != nil
  }

  /// Records that no session is watched any more.
  private func stop(_ number: UInt64) {
    for ready in rest(number) { ready.resume() }
  }

  /// The same, but the waiting callers must still be resumed.
  private func rest(_ number: UInt64) -> [CheckedContinuation<Void, Never>] {
    state.withLock { content in
      switch content.state {
      case .beginning(number, let waiting):
        content.state = .resting
        return waiting
      case .looking(number, _):
        content.state = .resting
        return []
      case .resting, .beginning, .looking: return []
      }
    }
  }

  private func giveUp(_ number: UInt64) {
    let isBeginning = state.withLock { content in
      if case .beginning(number, _) = content.state { true } else { false }
    }
    if isBeginning { stop(number) }
  }
}

/// Holds a wake event that threads and closures share.
private final class Wake: Sendable {
  let event: WakeEvent

  init() throws(SystemError) {
    event = try WakeEvent()
  }
}

/// An answer that the first of two sources gives.
private final class Once: Sendable {
  private let answer: Mutex<CheckedContinuation<String?, Never>?>

  init(_ answer: CheckedContinuation<String?, Never>) {
    self.answer = Mutex(answer)
  }

  func resume(_ value: String?) {
    let waiting = answer.withLock { answer in
      let waiting = answer
      answer = nil
      return waiting
    }
    waiting?.resume(returning: value)
  }
}

extension SessionEnd {
  /// The identifier of the session, if the end concerns only requests from within it.
  fileprivate var onlySession: String? {
    switch self {
    case .sessionEnded(let identifier), .sessionLocked(let identifier): identifier
    case .locked, .sleeping, .switchedAway, .loggedOut: nil
    }
  }

  /// The text of the audit log about it.
  fileprivate var reason: String {
    switch self {
    case .locked, .sessionLocked: "the screen was locked"
    case .sleeping: "the computer sleeps"
    case .switchedAway: "another session has the seat"
    case .loggedOut, .sessionEnded: "the session has ended"
    }
  }
}
