internal import System
internal import VaultClient

/// The pause before the next try, which doubles with each try that fails.
struct RetryPause {
  private var seconds: Int64 = 1

  /// Begins with the shortest pause again, after a try that succeeded.
  mutating func reset() { seconds = 1 }

  /// The pause before the next try, in seconds; the one after that is longer.
  mutating func next(atMost longest: Int64 = 60) -> Int64 {
    defer { seconds = min(seconds * 2, longest) }
    return seconds
  }

  /// Waits for the next try.
  ///
  /// - Parameters:
  ///   - longest: the longest pause from the next one on, in seconds.
  ///   - interrupt: ends the wait if it is readable.
  /// - Returns: whether the time has passed; false if the wait was interrupted.
  mutating func wait(atMost longest: Int64 = 60, interrupt: Int32? = nil) -> Bool {
    let end = BootInstant.now.advanced(bySeconds: next(atMost: longest))
    // Nothing is awaited but the interrupt.
    return (try? Connection.wait(for: -1, interrupt: interrupt, until: end)) != nil
  }
}
