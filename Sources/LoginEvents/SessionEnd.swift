/// The events that end a person's assumed presence.
package enum SessionEnd: Sendable, Equatable {
  /// The screen was locked.
  case locked
  /// The computer is about to sleep; it waits some seconds for `SessionWatch.letSleep`.
  case sleeping
  /// Another session took over the seat.
  case switchedAway
  /// The person's session, or the last one, has ended.
  case loggedOut
  /// Only the session with this identifier has ended; the person may be in another one.
  case sessionEnded(String)
  /// The screen of a session that is not the person's own was locked, or lost the seat.
  ///
  /// The person may have asked from within it, after su(1).
  case sessionLocked(String)
}
