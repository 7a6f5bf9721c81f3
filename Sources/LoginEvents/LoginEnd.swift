/// What ends the time in which a person is taken to be there.
public enum LoginEnd: Sendable, Equatable {
  /// The screen was locked.
  case locked
  /// The computer is about to sleep; it waits for `LoginWatch.letSleep`, for some seconds.
  case sleeping
  /// Another session has the seat.
  case switchedAway
  /// The session has ended in which the person sat, or the last one.
  case loggedOut
  /// Only this session has ended, by its identifier; the person may sit in another one.
  case sessionEnded(String)
}
