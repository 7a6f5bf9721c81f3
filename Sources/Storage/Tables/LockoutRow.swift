/// The failed finger checks of a user, and their consequence.
package struct LockoutRow: Sendable, Equatable {
  /// The user id.
  package var owner: UInt32
  /// Failures since the last success.
  package var failures: Int64
  /// Fingers are refused until a password succeeds.
  package var passwordOnly: Bool

  package init(owner: UInt32, failures: Int64, passwordOnly: Bool) {
    self.owner = owner
    self.failures = failures
    self.passwordOnly = passwordOnly
  }
}
