package import SecretMemory

/// A key of 32 bytes for deriving other keys: the device secret, or a one-use key.
///
/// It never encrypts anything itself.
package struct SealingKey: ~Copyable, Sendable {
  /// Bytes of a key.
  package static let count = 32
  /// Bytes of an identifier.
  package static let identifierCount = 8

  /// Eight bytes that distinguish keys and reveal nothing about this one.
  package let identifier: [UInt8]
  private let bytes: SecretBytes

  /// Takes over 32 bytes.
  ///
  /// - Throws: `wrongLength`; `malformed` if all bytes are zero, which no generator makes.
  package init(_ bytes: consuming SecretBytes) throws(CryptographyError) {
    guard bytes.count == Self.count else { throw .wrongLength }
    let isZero = unsafe bytes.withUnsafeBytes { unsafe $0.reduce(0, |) == 0 }
    guard !isZero else { throw .malformed }
    let derived = try HKDF.derive(
      from: bytes,
      salt: [],
      info: lengthPrefixed("thumblatch 1 key identifier"),
      count: Self.identifierCount
    )
    identifier = unsafe derived.withUnsafeBytes { unsafe [UInt8]($0) }
    self.bytes = bytes
  }

  /// Makes a new key of random bytes from the kernel.
  package static func random() throws(CryptographyError) -> SealingKey {
    let bytes: SecretBytes
    do throws(SecretMemoryError) {
      bytes = try SecretBytes.random(count: count)
    } catch {
      throw .memory(error)
    }
    return try SealingKey(bytes)
  }

  /// Derives the key for a purpose and a context, always the same one (HKDF-SHA256).
  ///
  /// - Parameters:
  ///   - purpose: a fixed text of the program, such as `audit chain`.
  ///   - context: the subject of this key, such as an intent's identifier; at most 512 bytes.
  /// - Returns: a key that reveals nothing about this one.
  /// - Throws: `wrongLength` for a longer context; `memory`; `library`.
  package func derived(
    for purpose: String,
    context: [UInt8] = []
  ) throws(CryptographyError) -> SealingKey {
    guard context.count <= 512 else { throw .wrongLength }
    let info =
      lengthPrefixed("thumblatch 1 derived key") + lengthPrefixed(purpose)
      + lengthPrefixed(context)
    return try SealingKey(HKDF.derive(from: bytes, salt: [], info: info, count: Self.count))
  }

  /// A copy of the key's bytes, for passing a one-use key to another process.
  package func copyOfBytes() throws(CryptographyError) -> SecretBytes {
    do throws(SecretMemoryError) {
      return try bytes.copy()
    } catch {
      throw .memory(error)
    }
  }

  /// Lends the key's bytes.
  package func withUnsafeBytes<Value: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe try bytes.withUnsafeBytes(body)
  }

  /// The AES key of a single box, wiped with its owner.
  func boxKey(salt: [UInt8], context: [UInt8]) throws(CryptographyError) -> SecretBytes {
    // HMAC's padding would make salts of different lengths equivalent.
    guard salt.count == SealedBox.saltCount else { throw .wrongLength }
    let info = lengthPrefixed("thumblatch 1 box key") + lengthPrefixed(context)
    return try HKDF.derive(from: bytes, salt: salt, info: info, count: AES256GCM.keyCount)
  }
}

/// A secret of exactly `capacity` bytes that `body` fills; wiped and released if it throws.
func filled(
  capacity: Int,
  _ body: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void
) throws(CryptographyError) -> SecretBytes {
  var failure: CryptographyError?
  let secret: SecretBytes
  do throws(SecretMemoryError) {
    secret = unsafe try SecretBytes(capacity: capacity) { buffer in
      do throws(CryptographyError) {
        unsafe try body(buffer)
      } catch {
        failure = error
      }
      return buffer.count
    }
  } catch {
    throw .memory(error)
  }
  if let failure { throw failure }
  return secret
}
