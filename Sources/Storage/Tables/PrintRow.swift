/// An enrolled finger.
public struct PrintRow: Sendable, Equatable {
  /// Sixteen random bytes.
  public var id: [UInt8]
  /// The id of the user whose finger it is.
  public var owner: UInt32
  /// Such as `right-index`; each finger of an owner has one print.
  public var finger: String
  /// The driver of the print.
  public var driver: String
  /// The reader's identifier within the driver.
  public var device: String
  /// The sealed box of the print.
  public var sealed: [UInt8]
  /// When it was enrolled, in seconds since 1970.
  public var enrolledAt: Int64

  /// Makes a row.
  public init(
    id: [UInt8],
    owner: UInt32,
    finger: String,
    driver: String,
    device: String,
    sealed: [UInt8],
    enrolledAt: Int64
  ) {
    self.id = id
    self.owner = owner
    self.finger = finger
    self.driver = driver
    self.device = device
    self.sealed = sealed
    self.enrolledAt = enrolledAt
  }
}
