internal import COpenSSL
package import SecretMemory

/// HKDF with SHA-256: extract, then expand (RFC 5869).
package enum HKDF {
  /// The most bytes of `info`, far below the limit of OpenSSL 3.0.
  package static let maximumInfoCount = 1000

  /// Derives `output.count` bytes, at most 255 × 32 (EVP_KDF_derive(3)).
  ///
  /// During the call OpenSSL works on a copy of the key in ordinary memory, and then clears it.
  package static func derive(
    key: UnsafeRawBufferPointer,
    salt: [UInt8],
    info: [UInt8],
    into output: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    guard key.count > 0, info.count <= maximumInfoCount, (1...255 * 32).contains(output.count)
    else { throw .wrongLength }
    guard let kdf = unsafe Library.shared.hkdf else { throw Library.failure("EVP_KDF_fetch") }
    let status = unsafe copenssl_hkdf_sha256(
      kdf,
      key.baseAddress,
      key.count,
      salt,
      salt.count,
      info,
      info.count,
      output.baseAddress?.assumingMemoryBound(to: UInt8.self),
      output.count
    )
    try Library.require(status, "EVP_KDF_derive")
  }

  /// Derives a secret of `count` bytes from another one.
  package static func derive(
    from secret: borrowing SecretBytes,
    salt: [UInt8],
    info: [UInt8],
    count: Int
  ) throws(CryptographyError) -> SecretBytes {
    unsafe try secret.withUnsafeBytes { key throws(CryptographyError) in
      unsafe try filled(capacity: count) { output throws(CryptographyError) in
        unsafe try derive(key: key, salt: salt, info: info, into: output)
      }
    }
  }
}
