package import System

/// The clocks that the engine goes by; a test hands in one that it can set.
package protocol VaultClock: Sendable {
  /// Wall-clock time, which anyone with the right may set.
  var wall: WallTime { get }
  /// Time since boot, suspend counted, set by nobody.
  var boot: BootInstant { get }
  /// Which boot `boot` belongs to.
  var bootIdentifier: BootIdentifier { get }
  /// Waits; returns early when the task is cancelled.
  func pause(milliseconds: Int64) async
}

/// The machine's own clocks.
package struct SystemClock: VaultClock {
  /// This boot, read once.
  package let bootIdentifier: BootIdentifier

  /// Reads the boot's identifier.
  package init() throws(SystemError) {
    bootIdentifier = try BootIdentifier.current()
  }

  /// CLOCK_REALTIME.
  package var wall: WallTime { .now }
  /// CLOCK_BOOTTIME.
  package var boot: BootInstant { .now }
  /// Waits on the cooperative pool without holding a thread.
  package func pause(milliseconds: Int64) async {
    // Cancellation only ends the wait early; whoever waits looks again in any case.
    try? await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
  }
}
