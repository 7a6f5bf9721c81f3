internal import Cryptography

// The parameters of a security key's slot: a flag (1 byte, 1 if the key verified its person), the
// length of the credential's name (2 bytes, little endian), the name, the salt (32) and the public
// key (64).
extension SecurityKeyParameters {
  /// The most bytes of a credential's name (CTAP 2.1, section 6.4, `maxCredentialIdLength`).
  package static let mostCredential = 1023
  /// The bytes of the salt.
  package static let saltCount = 32
  /// The bytes of the public key.
  package static let publicKeyCount = 64

  /// The parameters of a slot.
  package var parameters: [UInt8] {
    get throws(MachineKeyError) {
      guard (1...Self.mostCredential).contains(credential.count), salt.count == Self.saltCount,
        publicKey.count == Self.publicKeyCount
      else { throw .malformed }
      return [verifies ? 1 : 0] + littleEndian(UInt16(credential.count)) + credential + salt
        + publicKey
    }
  }

  /// Parses the parameters of a slot.
  ///
  /// - Throws: `malformed`.
  package init(parameters: [UInt8]) throws(MachineKeyError) {
    guard parameters.count > 3, parameters[0] <= 1 else { throw .malformed }
    let length: UInt16 = integer(littleEndian: parameters[1..<3])
    let end = 3 + Int(length)
    guard (1...Self.mostCredential).contains(Int(length)),
      parameters.count == end + Self.saltCount + Self.publicKeyCount
    else { throw .malformed }
    self.init(
      verifies: parameters[0] == 1,
      credential: Array(parameters[3..<end]),
      salt: Array(parameters[end..<end + Self.saltCount]),
      publicKey: Array(parameters[(end + Self.saltCount)...])
    )
  }
}
