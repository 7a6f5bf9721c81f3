internal import LoginEvents
internal import System

/// What the app learns of the person's session while it runs.
enum LockNews: Sendable {
  /// The screen was locked, the computer is about to sleep, or another session took the seat.
  case locked
  /// The session is watched from now on.
  case watched
  /// The session cannot be watched, for this reason.
  case unwatched(LoginFailure)
}

/// Follows the person's sessions in logind, which sends a signal at each lock.
enum LockFeed {
  /// The longest pause before the next try, in seconds.
  ///
  /// A machine without logind gets none soon.
  private static func longestPause(after failure: LoginFailure) -> Int64 {
    switch failure {
    case .noLibrary, .noLogind: 3600
    case .bus, .gone, .notUnderstood: 60
    }
  }

  /// The news from now on.
  static func news() -> AsyncStream<LockNews> {
    AsyncStream { continuation in
      do throws(SystemError) {
        let wake = try SharedWake()
        continuation.onTermination = { _ in wake.event.signal() }
        try startThread {
          follow(until: wake.event.descriptor.number, continuation)
          continuation.finish()
        }
      } catch {
        continuation.yield(.unwatched(.bus(error)))
        continuation.finish()
      }
    }
  }

  private static func follow(
    until interrupt: Int32,
    _ news: AsyncStream<LockNews>.Continuation
  ) {
    var pause: Int64 = 1
    var longest: Int64 = 1
    while true {
      do throws(LoginFailure) {
        var watch = try SessionWatch(
          user: ThisProcess.user,
          address: ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS"),
          delaysSleep: false
        )
        pause = 1
        news.yield(.watched)
        if watch.before == .locked { news.yield(.locked) }
        while let end = try watch.next(interrupt: interrupt) {
          switch end {
          case .locked, .sleeping, .switchedAway: news.yield(.locked)
          case .loggedOut, .sessionEnded: break
          }
        }
        return
      } catch {
        news.yield(.unwatched(error))
        longest = longestPause(after: error)
      }
      let end = BootInstant.now.advanced(bySeconds: pause)
      pause = min(pause * 2, longest)
      guard Self.waits(until: end, interrupt) else { return }
    }
  }

  private static func waits(until end: BootInstant, _ interrupt: Int32) -> Bool {
    let event = try? Readiness.wait(for: -1, input: nil, interrupt: interrupt, deadline: end)
    return event == .timedOut
  }
}
