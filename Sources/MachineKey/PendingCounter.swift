internal import Cryptography
package import SecretMemory

/// A counter of the TPM that is being defined or removed: the file `machine-key.counter`.
///
/// Format: `TLPEND01`, the NV index (4 bytes, little endian), the authorization value (32), the
/// length of the name of the TPM's storage key (1), and the name.
///
/// A counter that is being defined has a first authorization value until its directory is durable.
/// So a copy of this file removes no counter that is in use. The value is in plain text in the file
/// and in ordinary arrays. The value authenticates no ledger, and a program that may open the
/// device may remove the counter without it.
package struct PendingCounter: Sendable {
  private static let magic = [UInt8]("TLPEND01".utf8)
  private static let nameStart = 45

  /// Its NV index.
  package let index: UInt32
  /// The name of the storage key of its TPM.
  package let parentName: [UInt8]
  /// The authorization value of a counter that is to be removed.
  package let authorization: SharedSecret

  /// Makes a pending counter from its parts.
  package init(index: UInt32, parentName: [UInt8], authorization: SharedSecret) {
    self.index = index
    self.parentName = parentName
    self.authorization = authorization
  }

  /// Parses a file.
  ///
  /// - Throws: `malformed`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard bytes.count >= Self.nameStart, bytes.starts(with: Self.magic),
      bytes.count == Self.nameStart + Int(bytes[44])
    else { throw .malformed }
    index = integer(littleEndian: bytes[8..<12])
    do throws(SecretMemoryError) {
      authorization = SharedSecret(try SecretBytes(copying: Array(bytes[12..<44])))
    } catch {
      throw .cryptography(.memory(error))
    }
    parentName = Array(bytes[Self.nameStart...])
  }

  /// The file's bytes, with the authorization value in plain text.
  ///
  /// - Throws: `malformed` if a part has another size.
  package var encoded: [UInt8] {
    get throws(MachineKeyError) {
      let value = authorization.bytes.withBytes { span in span.indices.map { span[$0] } }
      guard value.count == 32, parentName.count <= UInt8.max else { throw .malformed }
      return Self.magic + littleEndian(index) + value + [UInt8(parentName.count)] + parentName
    }
  }
}
