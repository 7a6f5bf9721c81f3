package import PresenceTerms

/// The count of failed finger checks, and the resulting lockout.
///
/// It belongs to a uid: another name, connection or process does not reset it. The owner of the
/// value must store a change durably before it uses the result of the check.
package struct FingerLockout: Sendable, Equatable {
  /// After this many consecutive failures only the password is accepted.
  package static let limit = 5

  /// Failures since the last success.
  package private(set) var failures: Int

  /// Checks a stored count; a negative count becomes 0, a count over the limit becomes the limit.
  package init(failures: Int = 0) {
    self.failures = min(max(0, failures), Self.limit)
  }

  /// Whether fingers are refused until a password succeeds.
  package var isPasswordOnly: Bool { failures >= Self.limit }

  /// The number of remaining finger tries.
  package var remaining: Int { max(0, Self.limit - failures) }

  /// Records a good scan that did not match.
  ///
  /// A bad scan (retry) is not a failure and is not counted.
  package mutating func recordNoMatch() {
    failures = min(failures + 1, Self.limit)
  }

  /// Records a matching finger or the right system password.
  ///
  /// A device cannot end a lockout. With `isPasswordOnly` no device is used, and the result of a
  /// device that still comes changes nothing.
  package mutating func recordSuccess(by method: PresenceMethod) {
    if method.isDevice && isPasswordOnly { return }
    failures = 0
  }
}
