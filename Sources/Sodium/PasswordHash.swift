internal import CSodium
package import SecretMemory

/// A key made from a passphrase: Argon2id, version 1.3 (`crypto_pwhash` of libsodium; RFC 9106).
package enum PasswordHash {
  /// Bytes of a key.
  package static let keyCount = 32
  /// Bytes of a salt.
  package static let saltCount = Int(crypto_pwhash_argon2id_SALTBYTES)

  /// Why no key was made.
  package enum Failure: Error, Sendable, Equatable {
    /// The salt, the passphrase or the cost has a size that libsodium does not take.
    case wrongLength
    /// There is too little memory for this cost.
    case noMemory
    case memory(SecretMemoryError)
  }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - passphrase: the passphrase.
  ///   - salt: the salt, new for each passphrase that is set.
  ///   - passes: the passes over the memory.
  ///   - kibibytes: the memory, which is allocated during the call.
  /// - Throws: `wrongLength`, `noMemory`, `memory`.
  /// - Returns: the key.
  package static func key(
    from passphrase: borrowing SecretBytes,
    salt: [UInt8],
    passes: UInt32,
    kibibytes: UInt32
  ) throws(Failure) -> SecretBytes {
    let memory = Int(kibibytes) << 10
    guard salt.count == saltCount, sodium_init() >= 0,
      (crypto_pwhash_argon2id_opslimit_min()...Int(UInt32.max)).contains(Int(passes)),
      memory >= crypto_pwhash_argon2id_memlimit_min()
    else { throw .wrongLength }
    var status: Int32 = -1
    let key: SecretBytes
    do throws(SecretMemoryError) {
      key = unsafe try SecretBytes(capacity: keyCount) { room in
        unsafe passphrase.withUnsafeBytes { text in
          guard let start = room.baseAddress, let first = text.baseAddress else { return }
          status = unsafe crypto_pwhash(
            start.assumingMemoryBound(to: UInt8.self),
            UInt64(room.count),
            first.assumingMemoryBound(to: CChar.self),
            UInt64(text.count),
            salt,
            UInt64(passes),
            memory,
            crypto_pwhash_ALG_ARGON2ID13
          )
        }
        return room.count
      }
    } catch {
      throw .memory(error)
    }
    guard status == 0 else { throw .noMemory }
    return key
  }
}
