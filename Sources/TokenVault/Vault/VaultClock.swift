package import System

/// The clocks of the engine; a test passes one that it can set.
package protocol VaultClock: Sendable {
  /// Wall-clock time, which an administrator may set.
  var wall: WallTime { get }
  /// Time since boot, including suspend, which cannot be set.
  var boot: BootInstant { get }
  /// The boot that `boot` belongs to.
  var bootIdentifier: BootIdentifier { get }
  /// Waits; returns early if the task is cancelled.
  func pause(milliseconds: Int64) async
}

/// The machine's own clocks.
package struct SystemClock: VaultClock {
  package let bootIdentifier: BootIdentifier

  package init() throws(SystemError) {
    bootIdentifier = try BootIdentifier.current()
  }

  /// CLOCK_REALTIME.
  package var wall: WallTime { .now }
  /// CLOCK_BOOTTIME.
  package var boot: BootInstant { .now }
  /// Waits on the cooperative pool without holding a thread.
  package func pause(milliseconds: Int64) async {
    // Cancellation only ends the wait early: every caller looks again in any case.
    try? await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
  }
}
