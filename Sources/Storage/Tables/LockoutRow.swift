/// The failed finger checks of a user, and their consequence.
public struct LockoutRow: Sendable, Equatable {
  /// The user id.
  public var owner: UInt32
  /// Failures since the last success.
  public var failures: Int64
  /// Fingers are refused until a password succeeds.
  public var passwordOnly: Bool

  /// Makes a row.
  public init(owner: UInt32, failures: Int64, passwordOnly: Bool) {
    self.owner = owner
    self.failures = failures
    self.passwordOnly = passwordOnly
  }
}
