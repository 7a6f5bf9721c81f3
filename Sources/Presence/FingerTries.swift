package import PresenceTerms

/// The failures of fingers, together with the running tries.
///
/// A try is charged before the reader is armed, and refunded if the check ends without a miss. If
/// an attacker kills the engine between the scan and the answer, the charge stays on the disk. So a
/// kill does not avoid the charge, and a genuine cancel costs nothing.
package struct FingerTries: Sendable, Equatable {
  /// The known failures.
  package private(set) var lockout: FingerLockout
  private var open: Set<UInt64> = []

  /// Checks a stored count; tries that were charged when it was stored count as failed.
  package init(stored failures: Int64 = 0) {
    lockout = FingerLockout(failures: Int(clamping: failures))
  }

  /// The count to store: each running try counts as failed.
  package var stored: Int64 { Int64(lockout.failures + open.count) }

  /// Whether a try is running.
  package var isUnderWay: Bool { !open.isEmpty }

  /// Starts a try.
  package mutating func charge(_ run: UInt64) {
    open.insert(run)
  }

  /// Ends a try without a miss: it was cancelled, it timed out, or the reader failed.
  package mutating func giveBack(_ run: UInt64) {
    open.remove(run)
  }

  /// Ends a try with a good scan that did not match.
  package mutating func miss(_ run: UInt64) {
    open.remove(run)
    lockout.recordNoMatch()
  }

  /// Ends a try with a passed check; see `FingerLockout`.
  package mutating func pass(_ run: UInt64, by method: PresenceMethod) {
    open.remove(run)
    lockout.recordSuccess(by: method)
  }
}
