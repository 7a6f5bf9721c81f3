/// That wrong passwords were given, and how long nobody may try the next one.
public struct PasswordWaitRow: Sendable, Equatable {
  /// The user id.
  public var owner: UInt32
  /// Wrong passwords since the last right one.
  public var failures: Int64
  /// The boot in which `notBefore` has a meaning: sixteen bytes.
  public var bootID: [UInt8]
  /// Not to be tried before this instant of CLOCK_BOOTTIME, in nanoseconds.
  public var notBefore: Int64
  /// The length of that wait, in seconds, which starts anew in another boot.
  public var waitSeconds: Int64

  /// Makes a row.
  public init(
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
