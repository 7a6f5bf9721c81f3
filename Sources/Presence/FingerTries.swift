/// The failures of fingers, together with the tries that are under way.
///
/// A try is charged before the reader is armed and given back when the check ends without a miss.
/// Whoever kills the engine between the scan and the answer leaves the charge on the disk, so that
/// a kill saves no try; an honest cancel costs none.
public struct FingerTries: Sendable, Equatable {
  /// What is known to have failed.
  public private(set) var lockout: FingerLockout
  private var open: Set<UInt64> = []

  /// Takes a stored count: what was charged when it was stored has failed for all that is known.
  public init(stored failures: Int64 = 0) {
    lockout = FingerLockout(failures: Int(clamping: failures))
  }

  /// The count to store: as if each try that is under way had failed.
  public var stored: Int64 { Int64(lockout.failures + open.count) }

  /// A try begins.
  public mutating func charge(_ run: UInt64) {
    open.insert(run)
  }

  /// A try has ended without a miss: cancelled, timed out, or the reader failed.
  public mutating func giveBack(_ run: UInt64) {
    open.remove(run)
  }

  /// A good scan of a try did not match.
  public mutating func miss(_ run: UInt64) {
    open.remove(run)
    lockout.recordNoMatch()
  }

  /// A check was passed; see `FingerLockout`.
  public mutating func pass(_ run: UInt64, by method: PresenceMethod) {
    open.remove(run)
    lockout.recordSuccess(by: method)
  }
}
