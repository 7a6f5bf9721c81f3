/// An enrolled security key.
package struct SecurityKeyRow: Sendable, Equatable {
  /// Sixteen random bytes.
  package var id: [UInt8]
  /// The id of the user whose key it is.
  package var owner: UInt32
  /// The name that the user picked; each key of an owner has another one.
  package var name: String
  /// Its credential and public key.
  package var sealed: [UInt8]
  /// When it was enrolled, in seconds since 1970.
  package var enrolledAt: Int64

  package init(id: [UInt8], owner: UInt32, name: String, sealed: [UInt8], enrolledAt: Int64) {
    self.id = id
    self.owner = owner
    self.name = name
    self.sealed = sealed
    self.enrolledAt = enrolledAt
  }
}
