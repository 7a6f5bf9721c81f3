/// The count of fingers that did not match, and what follows from it.
///
/// It belongs to a uid, not to a name, a connection or a process: none of those resets it. Whoever
/// holds it must make a changed value durable before the result of the check is used.
public struct FingerLockout: Sendable, Equatable {
  /// After this many failures in a row only the password counts.
  public static let limit = 5

  /// Failures since the last success.
  public private(set) var failures: Int

  /// Takes a stored count; a negative one counts as none, one over the limit as the limit.
  public init(failures: Int = 0) {
    self.failures = min(max(0, failures), Self.limit)
  }

  /// Whether fingers are refused until a password has been given.
  public var isPasswordOnly: Bool { failures >= Self.limit }

  /// How many more fingers may be tried.
  public var remaining: Int { max(0, Self.limit - failures) }

  /// A good scan did not match.
  ///
  /// A bad scan (retry) is not a failure and is not counted.
  public mutating func recordNoMatch() {
    failures = min(failures + 1, Self.limit)
  }

  /// A finger matched, or the system password was given.
  ///
  /// A finger cannot end a lockout: with `isPasswordOnly` none is asked, and a result that comes
  /// all the same changes nothing.
  public mutating func recordSuccess(by method: PresenceMethod) {
    if method == .fingerprint && isPasswordOnly { return }
    failures = 0
  }
}
