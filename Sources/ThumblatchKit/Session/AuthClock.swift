internal import System

/// The clocks that a session reads: those of the machine, or those of a test.
public protocol AuthClock: Sendable {
  /// Nanoseconds since a fixed moment.
  ///
  /// Suspend counts, and no program can set this clock (CLOCK_BOOTTIME).
  var elapsed: Int64 { get }
  /// The time of day in seconds since 1970 (CLOCK_REALTIME).
  var secondsSince1970: Int64 { get }
  /// Waits for `duration`.
  ///
  /// Time in suspend counts.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension AuthClock {
  /// Waits on the machine's clock.
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
