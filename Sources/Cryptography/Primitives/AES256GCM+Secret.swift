package import SecretMemory

extension AES256GCM {
  /// Seals a secret.
  ///
  /// - Parameters:
  ///   - secret: the secret to seal.
  ///   - key: 32 bytes, used for this seal only.
  ///   - nonce: 12 bytes.
  ///   - header: the data that is authenticated with it.
  /// - Returns: ciphertext and tag.
  /// - Throws: `wrongLength` for a key or nonce of another length; `library`.
  package static func seal(
    _ secret: borrowing SecretBytes,
    key: borrowing SecretBytes,
    nonce: [UInt8],
    authenticating header: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: secret.count + tagCount)
    var span = sealed.mutableSpan
    unsafe try span.withUnsafeMutableBytes { output throws(CryptographyError) in
      unsafe try secret.withUnsafeBytes { plaintext throws(CryptographyError) in
        unsafe try key.withUnsafeBytes { key throws(CryptographyError) in
          unsafe try nonce.span.withUnsafeBytes { nonce throws(CryptographyError) in
            unsafe try header.span.withUnsafeBytes { header throws(CryptographyError) in
              unsafe try seal(
                plaintext,
                key: key,
                nonce: nonce,
                authenticating: header,
                into: output
              )
            }
          }
        }
      }
    }
    return sealed
  }

  /// Opens what `seal` returned.
  ///
  /// - Throws: `wrongLength`; `damaged` if key, nonce, header or bytes are not those of the seal.
  package static func open(
    _ sealed: [UInt8],
    key: borrowing SecretBytes,
    nonce: [UInt8],
    authenticating header: [UInt8]
  ) throws(CryptographyError) -> SecretBytes {
    guard sealed.count >= tagCount else { throw .wrongLength }
    return unsafe try filled(capacity: sealed.count - tagCount) {
      output throws(CryptographyError) in
      unsafe try sealed.span.withUnsafeBytes { sealed throws(CryptographyError) in
        unsafe try key.withUnsafeBytes { key throws(CryptographyError) in
          unsafe try nonce.span.withUnsafeBytes { nonce throws(CryptographyError) in
            unsafe try header.span.withUnsafeBytes { header throws(CryptographyError) in
              unsafe try open(
                sealed,
                key: key,
                nonce: nonce,
                authenticating: header,
                into: output
              )
            }
          }
        }
      }
    }
  }
}
