public import AuthSession
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualAuthClock: AuthClock {
  private let moved = Mutex<Int64>(0)
  private let start: Int64

  /// One that stands at this time of day, in seconds since 1970.
  public init(secondsSince1970: Int64 = 1_700_000_000) {
    start = secondsSince1970
  }

  /// Nanoseconds since its beginning.
  public var elapsed: Int64 { moved.withLock { $0 } }
  /// The time of day.
  public var secondsSince1970: Int64 { start + elapsed / 1_000_000_000 }

  /// Moves it on.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    moved.withLock { $0 += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
  }
}
