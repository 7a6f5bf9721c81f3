package import Cryptography
package import SecretMemory

/// The machine key: 32 random bytes that each vault of an owner directory needs in addition to its
/// own device-secret file.
package final class MachineKey: Sendable {
  private static let rootInfo = [UInt8]("thumblatch device secret".utf8)

  private let key: SealingKey

  /// Takes over 32 bytes.
  package init(_ bytes: consuming SecretBytes) throws(CryptographyError) {
    key = try SealingKey(bytes)
  }

  /// Makes a new machine key.
  package static func random() throws(CryptographyError) -> MachineKey {
    try MachineKey(SealingKey.random().copyOfBytes())
  }

  /// Eight bytes that distinguish machine keys and reveal nothing about this one.
  package var identifier: [UInt8] { key.identifier }

  /// The root of a vault's keys: HKDF-SHA256 of this key and the vault's device-secret file.
  package func root(of file: borrowing SecretBytes) throws(CryptographyError) -> SecretBytes {
    guard file.count == SealingKey.count else { throw .wrongLength }
    let both: SecretBytes
    do throws(SecretMemoryError) {
      both = unsafe try SecretBytes(capacity: 2 * SealingKey.count) { room in
        unsafe key.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        unsafe file.withUnsafeBytes { bytes in
          unsafe UnsafeMutableRawBufferPointer(rebasing: room[SealingKey.count...])
            .copyMemory(from: bytes)
        }
        return room.count
      }
    } catch {
      throw .memory(error)
    }
    return try HKDF.derive(from: both, salt: [], info: Self.rootInfo, count: SealingKey.count)
  }

  /// A copy of the bytes, which only a slot seals.
  func copyOfBytes() throws(CryptographyError) -> SecretBytes { try key.copyOfBytes() }

  /// The code that authenticates the state of its directory.
  func code(of message: [UInt8]) throws(CryptographyError) -> [UInt8] {
    try authenticate(message, using: try key.derived(for: "machine key state"))
  }
}
