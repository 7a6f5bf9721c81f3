/// The wrong passwords of a user, and the wait before the next try.
package struct PasswordWaitRow: Sendable, Equatable {
  /// The user id.
  package var owner: UInt32
  /// Wrong passwords since the last right one.
  package var failures: Int64
  /// The boot in which `notBefore` is valid: sixteen bytes.
  package var bootID: [UInt8]
  /// The earliest next try, in nanoseconds of CLOCK_BOOTTIME.
  package var notBefore: Int64
  /// The length of that wait in seconds; the wait starts again after a reboot.
  package var waitSeconds: Int64

  package init(
    owner: UInt32,
    failures: Int64,
    bootID: [UInt8],
    notBefore: Int64,
    waitSeconds: Int64
  ) {
    self.owner = owner
    self.failures = failures
    self.bootID = bootID
    self.notBefore = notBefore
    self.waitSeconds = waitSeconds
  }
}
