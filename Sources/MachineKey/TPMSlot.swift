internal import Cryptography
package import SecretMemory

// The parameters of a TPM's slot: the handle of the storage key (4 bytes, 0 if it is made from the
// template), the mask of the PCRs (4, always 0), the NV index of the counter (4, 0 if there is
// none), then the name of the storage key, the private and the public part, each after its length
// (2 bytes). Integers are little endian.
extension TPMSealedSecret {
  private static let prefix = [UInt8](repeating: 0, count: 12)
  /// The most bytes of each part; present TPMs return at most 158.
  private static let mostBytes = 600

  /// The bytes of a storage key's name: the algorithm of its digest (2), and SHA-256 (32).
  private static let nameCount = 34

  /// Whether a slot can hold these parts.
  package var isStorable: Bool {
    parentName.count == Self.nameCount
      && [privatePart, publicPart].allSatisfy { (1...Self.mostBytes).contains($0.count) }
  }

  /// The parameters of a slot.
  package var parameters: [UInt8] {
    get throws(MachineKeyError) {
      var bytes = Self.prefix
      for part in [parentName, privatePart, publicPart] {
        guard part.count <= Self.mostBytes else { throw .malformed }
        bytes += littleEndian(UInt16(part.count)) + part
      }
      return bytes
    }
  }

  /// Parses the parameters of a slot.
  ///
  /// - Throws: `malformed`.
  package init(parameters: [UInt8]) throws(MachineKeyError) {
    // A handle, PCRs or a counter come from a newer version: without them the slot does not open.
    guard parameters.starts(with: Self.prefix) else { throw .malformed }
    var rest = parameters.dropFirst(Self.prefix.count)
    func next() throws(MachineKeyError) -> [UInt8] {
      guard rest.count >= 2 else { throw .malformed }
      let length: UInt16 = integer(littleEndian: rest.prefix(2))
      rest = rest.dropFirst(2)
      guard length <= Self.mostBytes, rest.count >= length else { throw .malformed }
      defer { rest = rest.dropFirst(Int(length)) }
      return Array(rest.prefix(Int(length)))
    }
    self.init(parentName: try next(), privatePart: try next(), publicPart: try next())
    guard rest.isEmpty else { throw .malformed }
  }
}

extension MachineKeySlot.Header {
  /// The authorization value that a TPM needs in addition to the sealed bytes.
  ///
  /// It is derived from the salt in the slot's file. So neither the TPM nor the disk opens the slot
  /// without the other.
  package func authorization() throws(MachineKeyError) -> SharedSecret {
    let info = [UInt8]("thumblatch TPM authorization".utf8)
    let salt = salt
    return try calling { () throws(CryptographyError) in
      let secret: SecretBytes
      do throws(SecretMemoryError) {
        secret = try SecretBytes(copying: salt)
      } catch {
        throw .memory(error)
      }
      return SharedSecret(try HKDF.derive(from: secret, salt: [], info: info, count: 32))
    }
  }
}
