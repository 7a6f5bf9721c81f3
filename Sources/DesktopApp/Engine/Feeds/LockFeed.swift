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
  @MainActor
  static func news() -> AsyncStream<LockNews> {
    .ofThread(
      orElse: { .unwatched(.bus($0)) },
      running: { interrupt, news in follow(until: interrupt, news) }
    )
  }

  private static func follow(
    until interrupt: Int32,
    _ news: AsyncStream<LockNews>.Continuation
  ) {
    var pause = RetryPause()
    while true {
      let longest: Int64
      do throws(LoginFailure) {
        var watch = try SessionWatch(
          user: ThisProcess.user,
          address: ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS"),
          delaysSleep: false
        )
        pause.reset()
        news.yield(.watched)
        if watch.before == .locked { news.yield(.locked) }
        while let end = try watch.next(interrupt: interrupt) {
          switch end {
          case .locked, .sleeping, .switchedAway: news.yield(.locked)
          case .loggedOut, .sessionEnded, .sessionLocked: break
          }
        }
        return
      } catch {
        news.yield(.unwatched(error))
        longest = longestPause(after: error)
      }
      guard pause.wait(atMost: longest, interrupt: interrupt) else { return }
    }
  }
}
