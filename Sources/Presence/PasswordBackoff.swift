package import System

/// The wait after wrong passwords: 2, 4, 8, then 10 seconds.
///
/// Like the count of failed fingers, it belongs to a uid. Only the right password resets it.
package struct PasswordBackoff: Sendable, Equatable {
  /// The longest wait, in seconds.
  package static let longest: Int64 = 10

  /// Wrong passwords since the last right one.
  package private(set) var failures: Int
  /// No password may be tried before this instant.
  package private(set) var end: BootInstant

  /// Makes a value without failures.
  package init() {
    failures = 0
    end = BootInstant(nanoseconds: 0)
  }

  /// Takes stored values; the wait is limited to `longest`, whatever was stored.
  package init(failures: Int64, end: BootInstant, now: BootInstant) {
    self.failures = max(0, Int(clamping: failures))
    self.end = min(end, now.advanced(bySeconds: Self.longest))
  }

  /// The wait for the failures so far, in seconds.
  package var seconds: Int64 {
    failures == 0 ? 0 : min(Self.longest, 1 << Int64(min(failures, 4)))
  }

  /// Records a wrong password, or one that is about to be tried.
  package mutating func recordFailure(at now: BootInstant) {
    failures = min(failures, 1_000_000) + 1
    restart(at: now)
  }

  /// Starts the wait at `now`.
  package mutating func restart(at now: BootInstant) {
    end = max(end, now.advanced(bySeconds: seconds))
  }

  /// Nanoseconds until the next try; zero if it may start now.
  package func nanosecondsLeft(at now: BootInstant) -> Int64 {
    now < end ? end.nanoseconds - now.nanoseconds : 0
  }
}
