public import System

/// How long nobody may try a password after wrong ones: 2, 4, 8, then 10 seconds.
///
/// Like the count of fingers it belongs to a uid. Only the right password resets it.
public struct PasswordBackoff: Sendable, Equatable {
  /// The longest wait, in seconds.
  public static let longest: Int64 = 10

  /// Wrong passwords since the last right one.
  public private(set) var failures: Int
  /// Until then nobody tries one.
  public private(set) var end: BootInstant

  /// Nothing has failed.
  public init() {
    failures = 0
    end = BootInstant(nanoseconds: 0)
  }

  /// Takes what was stored; no wait is longer than the longest, whatever stands there.
  public init(failures: Int64, end: BootInstant, now: BootInstant) {
    self.failures = max(0, Int(clamping: failures))
    self.end = min(end, now.advanced(bySeconds: Self.longest))
  }

  /// What the failures so far cost, in seconds.
  public var seconds: Int64 {
    failures == 0 ? 0 : min(Self.longest, 1 << Int64(min(failures, 4)))
  }

  /// A password was wrong, or is about to be tried.
  public mutating func recordFailure(at now: BootInstant) {
    failures = min(failures, 1_000_000) + 1
    restart(at: now)
  }

  /// The wait counts from here.
  public mutating func restart(at now: BootInstant) {
    end = max(end, now.advanced(bySeconds: seconds))
  }

  /// Nanoseconds until the next try; zero if it may be made now.
  public func nanosecondsLeft(at now: BootInstant) -> Int64 {
    now < end ? end.nanoseconds - now.nanoseconds : 0
  }
}
