internal import System

/// Where a session takes the time from: the machine's clocks, or those of a test.
public protocol AuthClock: Sendable {
  /// Nanoseconds since some moment, suspend counted, set by nobody (CLOCK_BOOTTIME).
  var elapsed: Int64 { get }
  /// The time of day in seconds since 1970 (CLOCK_REALTIME).
  var secondsSince1970: Int64 { get }
  /// Waits so long, suspend counted.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension AuthClock {
  /// Waits by the machine's clock.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}

/// The clocks of the machine.
public struct SystemAuthClock: AuthClock {
  /// The machine's clocks.
  public init() {}

  /// Nanoseconds since boot.
  public var elapsed: Int64 { BootInstant.now.nanoseconds }
  /// The time of day.
  public var secondsSince1970: Int64 { WallTime.now.seconds }
}
