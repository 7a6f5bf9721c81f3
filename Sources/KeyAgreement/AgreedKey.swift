internal import CLibcrypto
package import SecretMemory

/// A key that two programs on a bus have agreed on, which encrypts secrets.
///
/// This is `dh-ietf1024-sha256-aes128-cbc-pkcs7` of the Secret Service: the second Oakley group,
/// HKDF-SHA256, and AES-128 in CBC mode. The ciphertext is not authenticated: the bus is trusted
/// not to change it.
package struct AgreedKey: Sendable {
  /// Bytes of an initialization vector.
  package static let vectorCount = 16
  /// Bytes of a block of AES.
  private static let blockCount = 16
  private static let keyCount = 16
  private static let groupCount = Int(CLIBCRYPTO_GROUP_COUNT)
  /// The generator of the group.
  private static let generator: [UInt8] = [2]

  /// The public key of this side, 128 bytes.
  package let publicKey: [UInt8]
  private let key: SharedSecret

  /// Makes a pair of keys, and agrees with the other side's public key.
  ///
  /// - Throws: `unavailable` without libcrypto, `invalidKey` for a key that shares no secret.
  package init(with other: [UInt8]) throws(KeyAgreementError) {
    try self.init(with: other, privateKey: try memory { try .random(count: Self.groupCount) })
  }

  /// The same with the private key of a test.
  init(with other: [UInt8], privateKey: consuming SecretBytes) throws(KeyAgreementError) {
    guard let library = unsafe Libcrypto.shared?.functions else { throw .unavailable }
    var publicKey = [UInt8](repeating: 0, count: Self.groupCount)
    // The number may have leading zeros: some programs send one for the sign.
    let other = Array(other.drop { $0 == 0 })
    guard 1...Self.groupCount ~= other.count,
      unsafe privateKey.withUnsafeBytes({ exponent in
        unsafe Self.power(library, Self.generator, exponent, &publicKey) == 1
      })
    else { throw .invalidKey }
    var status: Int32 = 0
    let shared = try memory {
      unsafe try SecretBytes(capacity: Self.groupCount) { room in
        unsafe privateKey.withUnsafeBytes { exponent in
          status = unsafe Self.power(library, other, exponent, room.bytes)
        }
        return room.count
      }
    }
    guard status == 1 else { throw .invalidKey }
    let key = try memory {
      unsafe try SecretBytes(capacity: Self.keyCount) { room in
        unsafe shared.withUnsafeBytes { shared in
          let input = unsafe shared.bytes
          status = unsafe clibcrypto_hkdf_sha256(
            library,
            input,
            shared.count,
            room.bytes,
            room.count
          )
        }
        return room.count
      }
    }
    guard status == 1 else { throw .unavailable }
    self.publicKey = publicKey
    self.key = SharedSecret(key)
  }

  private static func power(
    _ library: UnsafePointer<clibcrypto>,
    _ base: [UInt8],
    _ exponent: UnsafeRawBufferPointer,
    _ output: UnsafeMutablePointer<UInt8>?
  ) -> Int32 {
    unsafe clibcrypto_power(library, base, base.count, exponent.bytes, exponent.count, output)
  }

  /// Encrypts a secret under a new initialization vector.
  package func seal(
    _ secret: borrowing SecretBytes
  ) throws(KeyAgreementError) -> (vector: [UInt8], sealed: [UInt8]) {
    let random = try memory { try .random(count: Self.vectorCount) }
    let vector = unsafe random.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
    return (vector, try seal(secret, vector: vector))
  }

  /// The same with the initialization vector of a test.
  func seal(
    _ secret: borrowing SecretBytes,
    vector: [UInt8]
  ) throws(KeyAgreementError) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: secret.count + Self.blockCount)
    let count = unsafe secret.withUnsafeBytes { input in
      unsafe sealed.withUnsafeMutableBytes { room in
        unsafe run(encrypting: true, vector, input, into: room)
      }
    }
    guard count >= 0 else { throw .unavailable }
    return Array(sealed.prefix(count))
  }

  /// Decrypts a secret.
  ///
  /// - Throws: `damaged` if the length or the padding is wrong. Other changes are not detected.
  package func open(
    _ sealed: borrowing SecretBytes,
    vector: [UInt8]
  ) throws(KeyAgreementError) -> SecretBytes {
    guard vector.count == Self.vectorCount, sealed.count > 0, sealed.count % Self.blockCount == 0
    else { throw .damaged }
    var count = -1
    let secret = try memory {
      unsafe try SecretBytes(capacity: sealed.count + Self.blockCount) { room in
        unsafe sealed.withUnsafeBytes { input in
          count = unsafe run(encrypting: false, vector, input, into: room)
        }
        return max(count, 0)
      }
    }
    guard count >= 0 else { throw .damaged }
    return secret
  }

  /// Returns the number of written bytes; -1 on failure.
  private func run(
    encrypting: Bool,
    _ vector: [UInt8],
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let library = unsafe Libcrypto.shared?.functions, let count = Int32(exactly: input.count)
    else { return -1 }
    return unsafe key.bytes.withUnsafeBytes { key in
      let mode: Int32 = encrypting ? 1 : 0
      return unsafe Int(
        clibcrypto_aes128_cbc(library, mode, key.bytes, vector, input.bytes, count, room.bytes)
      )
    }
  }
}

/// Makes a secret, and maps the error to this room's type.
private func memory(
  _ make: () throws -> SecretBytes
) throws(KeyAgreementError) -> SecretBytes {
  do {
    return try make()
  } catch let error as SecretMemoryError {
    throw .memory(error)
  } catch {
    throw .unavailable
  }
}

/// libcrypto, loaded once and never freed.
@safe
private struct Libcrypto: @unchecked Sendable {
  static let shared = unsafe clibcrypto_load().map { unsafe Libcrypto(functions: $0) }

  let functions: UnsafePointer<clibcrypto>
}

extension UnsafeRawBufferPointer {
  fileprivate var bytes: UnsafePointer<UInt8>? {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate var bytes: UnsafeMutablePointer<UInt8>? {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}
