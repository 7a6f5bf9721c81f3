package import SecretMemory

/// A sealed secret: AES-256-GCM with a key that is used only for this seal.
///
/// | bytes | what |
/// |---|---|
/// | 4 | `TLBX` |
/// | 86 | the context as `BoxContext.encoded` writes it, format version first |
/// | 1 + 8 | the sealing key's identifier after its length |
/// | 1 + 32 | the salt, fresh for each seal |
/// | 1 + 12 | the nonce, fresh for each seal |
/// | 4 + n | the ciphertext after its length, little endian |
/// | 16 | the tag |
///
/// Everything before the ciphertext is associated data, so every byte is covered by it, the
/// ciphertext or the tag. A box has one encoding, and everything else is refused. The AES key is
/// HKDF-SHA256 of the sealing key with the salt, and with the context as `info`. So a nonce can
/// repeat only if a salt repeats.
package struct SealedBox: Sendable, Equatable {
  /// Bytes of a salt.
  package static let saltCount = 32
  /// The additional bytes of a box compared with its secret.
  package static let overhead = headerCount + AES256GCM.tagCount
  /// The most bytes that a box may have.
  package static let maximumCount = SecretBytes.maximumCount + overhead

  private static let magic = [UInt8]("TLBX".utf8)
  private static let keyOffset = magic.count + BoxContext.encodedCount
  private static let saltOffset = keyOffset + 1 + SealingKey.identifierCount
  private static let nonceOffset = saltOffset + 1 + saltCount
  private static let lengthOffset = nonceOffset + 1 + AES256GCM.nonceCount
  private static let headerCount = lengthOffset + 4

  package let bytes: [UInt8]
  /// The context in the header; verified only after the box has opened.
  package let context: BoxContext

  package var keyIdentifier: [UInt8] {
    field(Self.keyOffset, SealingKey.identifierCount)
  }

  private init(bytes: [UInt8], context: BoxContext) {
    self.bytes = bytes
    self.context = context
  }

  /// Parses a box without opening it.
  ///
  /// - Throws: `wrongLength`, `malformed` or `unknownVersion`.
  package init(parsing bytes: [UInt8]) throws(CryptographyError) {
    guard bytes.count > Self.magic.count else { throw .wrongLength }
    guard bytes.starts(with: Self.magic) else { throw .malformed }
    let version = bytes[Self.magic.count]
    guard version == BoxContext.formatVersion else { throw .unknownVersion(version) }
    guard (Self.overhead...Self.maximumCount).contains(bytes.count) else { throw .wrongLength }
    let context = try BoxContext(encoded: [UInt8](bytes[Self.magic.count..<Self.keyOffset]))
    guard bytes[Self.keyOffset] == SealingKey.identifierCount,
      bytes[Self.saltOffset] == Self.saltCount,
      bytes[Self.nonceOffset] == AES256GCM.nonceCount
    else { throw .malformed }
    let length: UInt32 = integer(littleEndian: bytes[Self.lengthOffset..<Self.headerCount])
    guard Int(length) == bytes.count - Self.overhead else { throw .wrongLength }
    self.init(bytes: bytes, context: context)
  }

  /// Seals a secret; each seal has its own salt, nonce and key.
  ///
  /// - Throws: `memory` or `library`, which do not depend on the input.
  package static func seal(
    _ secret: borrowing SecretBytes,
    using key: borrowing SealingKey,
    context: BoxContext
  ) throws(CryptographyError) -> SealedBox {
    let fresh = try randomBytes(saltCount + AES256GCM.nonceCount)
    let salt = [UInt8](fresh.prefix(saltCount))
    let encodedContext = context.encoded
    var bytes = magic
    bytes.reserveCapacity(overhead + secret.count)
    bytes += encodedContext
    bytes.append(UInt8(SealingKey.identifierCount))
    bytes += key.identifier
    bytes.append(UInt8(saltCount))
    bytes += salt
    bytes.append(UInt8(AES256GCM.nonceCount))
    bytes += fresh.suffix(AES256GCM.nonceCount)
    bytes += littleEndian(UInt32(truncatingIfNeeded: secret.count))
    bytes += [UInt8](repeating: 0, count: secret.count + AES256GCM.tagCount)

    let boxKey = try key.boxKey(salt: salt, context: encodedContext)
    var span = bytes.mutableSpan
    unsafe try span.withUnsafeMutableBytes { all throws(CryptographyError) in
      unsafe try secret.withUnsafeBytes { plaintext throws(CryptographyError) in
        unsafe try boxKey.withUnsafeBytes { oneUse throws(CryptographyError) in
          unsafe try AES256GCM.seal(
            plaintext,
            key: oneUse,
            nonce: nonce(of: UnsafeRawBufferPointer(all)),
            authenticating: UnsafeRawBufferPointer(rebasing: all.prefix(headerCount)),
            into: UnsafeMutableRawBufferPointer(rebasing: all.dropFirst(headerCount))
          )
        }
      }
    }
    return SealedBox(bytes: bytes, context: context)
  }

  /// Seals a secret, and opens the box again as a check.
  ///
  /// A box that does not open must never replace one that does.
  ///
  /// - Throws: as `seal` and `open`, and `damaged` if the opened content differs from the secret.
  package static func sealVerified(
    _ secret: borrowing SecretBytes,
    using key: borrowing SealingKey,
    context: BoxContext
  ) throws(CryptographyError) -> SealedBox {
    let box = try seal(secret, using: key, context: context)
    let again = try SealedBox(parsing: box.bytes).open(using: key, context: context)
    guard SecretBytes.constantTimeEqual(secret, again) else { throw .damaged }
    return box
  }

  /// Opens the box if it is bound to exactly this context.
  ///
  /// - Throws: the first applicable refusal of `CryptographyError`. No byte of the plaintext is
  ///   visible to the caller unless the tag is right.
  package func open(
    using key: borrowing SealingKey,
    context: BoxContext
  ) throws(CryptographyError) -> SecretBytes {
    guard keyIdentifier == key.identifier else { throw .wrongKey }
    try check(against: context)
    let salt = field(Self.saltOffset, Self.saltCount)
    let boxKey = try key.boxKey(salt: salt, context: context.encoded)
    return unsafe try filled(capacity: bytes.count - Self.overhead) {
      output throws(CryptographyError) in
      unsafe try bytes.span.withUnsafeBytes { all throws(CryptographyError) in
        unsafe try boxKey.withUnsafeBytes { oneUse throws(CryptographyError) in
          unsafe try AES256GCM.open(
            UnsafeRawBufferPointer(rebasing: all.dropFirst(Self.headerCount)),
            key: oneUse,
            nonce: Self.nonce(of: all),
            authenticating: UnsafeRawBufferPointer(rebasing: all.prefix(Self.headerCount)),
            into: output
          )
        }
      }
    }
  }

  private func check(against wanted: BoxContext) throws(CryptographyError) {
    guard context.vault == wanted.vault else { throw .otherVault }
    guard context.owner == wanted.owner else { throw .otherOwner }
    guard context.account == wanted.account else { throw .otherAccount }
    guard context.kind == wanted.kind else { throw .otherKind }
    guard context.protection == wanted.protection else { throw .otherProtection }
    guard context.generation == wanted.generation else {
      throw .otherGeneration(context.generation)
    }
    guard context.binding == wanted.binding else { throw .otherBinding }
  }

  private func field(_ offset: Int, _ count: Int) -> [UInt8] {
    [UInt8](bytes[offset + 1..<offset + 1 + count])
  }

  private static func nonce(of all: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = nonceOffset + 1
    return unsafe UnsafeRawBufferPointer(rebasing: all[start..<start + AES256GCM.nonceCount])
  }
}
