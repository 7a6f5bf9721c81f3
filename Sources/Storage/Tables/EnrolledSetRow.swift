/// The enrolled fingers that the system password has confirmed.
package struct EnrolledSetRow: Sendable, Equatable {
  /// The user id.
  package var owner: UInt32
  /// The authentication code over the set: 32 bytes, made with a key that is not in the store.
  package var code: [UInt8]
  /// How the desktop's fingers were found.
  package var source: String
  /// The fingers, one on each line.
  package var fingers: String
  /// Seconds since 1970.
  package var confirmedAt: Int64

  package init(owner: UInt32, code: [UInt8], source: String, fingers: String, confirmedAt: Int64) {
    self.owner = owner
    self.code = code
    self.source = source
    self.fingers = fingers
    self.confirmedAt = confirmedAt
  }
}
