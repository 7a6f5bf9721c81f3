/// How many fingers failed, and what that came to.
public struct LockoutRow: Sendable, Equatable {
  /// The user id.
  public var owner: UInt32
  /// Failures since the last success.
  public var failures: Int64
  /// Fingers are refused until a password has succeeded.
  public var passwordOnly: Bool

  /// Makes a row.
  public init(owner: UInt32, failures: Int64, passwordOnly: Bool) {
    self.owner = owner
    self.failures = failures
    self.passwordOnly = passwordOnly
  }
}
