/// An enrolled finger.
package struct PrintRow: Sendable, Equatable {
  /// Sixteen random bytes.
  package var id: [UInt8]
  /// The id of the user whose finger it is.
  package var owner: UInt32
  /// Such as `right-index`; each finger of an owner has one print.
  package var finger: String
  package var driver: String
  /// The reader's identifier within the driver.
  package var device: String
  package var sealed: [UInt8]
  /// When it was enrolled, in seconds since 1970.
  package var enrolledAt: Int64

  package init(
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
