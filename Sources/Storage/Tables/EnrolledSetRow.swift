/// The enrolled fingers that the system password has confirmed.
public struct EnrolledSetRow: Sendable, Equatable {
  /// The user id.
  public var owner: UInt32
  /// The authentication code over the set: 32 bytes, made with a key that is not in the store.
  public var code: [UInt8]
  /// How the desktop's fingers were found.
  public var source: String
  /// The fingers, one on each line.
  public var fingers: String
  /// Seconds since 1970.
  public var confirmedAt: Int64

  /// Makes a row.
  public init(owner: UInt32, code: [UInt8], source: String, fingers: String, confirmedAt: Int64) {
    self.owner = owner
    self.code = code
    self.source = source
    self.fingers = fingers
    self.confirmedAt = confirmedAt
  }
}
