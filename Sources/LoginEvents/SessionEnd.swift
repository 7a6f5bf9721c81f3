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
}
