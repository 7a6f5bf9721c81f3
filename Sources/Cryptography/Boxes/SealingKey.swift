public import SecretMemory

/// A key of 32 bytes from which others are derived: the device secret, or a one-use key.
///
/// It never encrypts anything itself.
public struct SealingKey: ~Copyable, Sendable {
  /// Bytes of a key.
  public static let count = 32
  /// Bytes of an identifier.
  public static let identifierCount = 8

  /// Eight bytes that tell keys apart and say nothing about this one.
  public let identifier: [UInt8]
  private let bytes: SecretBytes

  /// Takes over 32 bytes.
  ///
  /// - Throws: `wrongLength`; `malformed` if all are zero, which no generator has made.
  public init(_ bytes: consuming SecretBytes) throws(CryptographyError) {
    guard bytes.count == Self.count else { throw .wrongLength }
    let isZero = unsafe bytes.withUnsafeBytes { unsafe $0.reduce(0, |) == 0 }
    guard !isZero else { throw .malformed }
    let derived = try Self.derive(
      from: bytes,
      salt: [],
      info: lengthPrefixed("thumblatch 1 key identifier"),
      count: Self.identifierCount
    )
    identifier = unsafe derived.withUnsafeBytes { unsafe [UInt8]($0) }
    self.bytes = bytes
  }

  /// A fresh key, random bytes from the kernel.
  public static func random() throws(CryptographyError) -> SealingKey {
    let bytes: SecretBytes
    do throws(SecretMemoryError) {
      bytes = try SecretBytes.random(count: count)
    } catch {
      throw .memory(error)
    }
    return try SealingKey(bytes)
  }

  /// The key that this one gives for a purpose and its context, always the same (HKDF-SHA256).
  ///
  /// - Parameters:
  ///   - purpose: a fixed text of the program, such as `audit chain`.
  ///   - context: what this one key is for, an intent's identifier say; at most 512 bytes.
  /// - Returns: a key that tells nothing about this one.
  /// - Throws: `wrongLength` for a longer context; `memory`; `library`.
  public func derived(
    for purpose: String,
    context: [UInt8] = []
  ) throws(CryptographyError) -> SealingKey {
    guard context.count <= 512 else { throw .wrongLength }
    let info =
      lengthPrefixed("thumblatch 1 derived key") + lengthPrefixed(purpose)
      + lengthPrefixed(context)
    return try SealingKey(Self.derive(from: bytes, salt: [], info: info, count: Self.count))
  }

  /// The key's bytes once more, for handing a one-use key to another process.
  public func copyOfBytes() throws(CryptographyError) -> SecretBytes {
    do throws(SecretMemoryError) {
      return try bytes.copy()
    } catch {
      throw .memory(error)
    }
  }

  /// Lends the key's bytes.
  public func withUnsafeBytes<Value: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe try bytes.withUnsafeBytes(body)
  }

  /// The AES key of one single box, wiped with its owner.
  func boxKey(salt: [UInt8], context: [UInt8]) throws(CryptographyError) -> SecretBytes {
    // A salt of variable length would make different inputs the same to HMAC's padding.
    guard salt.count == SealedBox.saltCount else { throw .wrongLength }
    let info = lengthPrefixed("thumblatch 1 box key") + lengthPrefixed(context)
    return try Self.derive(from: bytes, salt: salt, info: info, count: AES256GCM.keyCount)
  }

  private static func derive(
    from bytes: borrowing SecretBytes,
    salt: [UInt8],
    info: [UInt8],
    count: Int
  ) throws(CryptographyError) -> SecretBytes {
    unsafe try bytes.withUnsafeBytes { key throws(CryptographyError) in
      unsafe try filled(capacity: count) { output throws(CryptographyError) in
        unsafe try HKDF.derive(key: key, salt: salt, info: info, into: output)
      }
    }
  }
}

/// A secret of exactly `capacity` bytes that `body` fills; wiped and given back if it throws.
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

/// Bytes behind their count (four bytes, little endian), so that no two lists of parts look alike.
func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
  littleEndian(UInt32(truncatingIfNeeded: bytes.count)) + bytes
}

/// A text's UTF-8 behind its count.
func lengthPrefixed(_ text: String) -> [UInt8] {
  lengthPrefixed([UInt8](text.utf8))
}

/// An integer's bytes, least significant first.
func littleEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}
