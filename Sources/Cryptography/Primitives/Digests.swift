internal import COpenSSL
package import SecretMemory

/// The SHA-256 digest of bytes that are not secret, 32 bytes (FIPS 180-4).
package func sha256(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
  guard let digest = unsafe Library.shared.sha256 else { throw Library.failure("EVP_MD_fetch") }
  var output = [UInt8](repeating: 0, count: 32)
  let status = unsafe EVP_Digest(bytes, bytes.count, &output, nil, digest, nil)
  try Library.require(status, "EVP_Digest")
  return output
}

/// The SHA-256 digest of a secret, 32 bytes (FIPS 180-4).
package func sha256(_ secret: borrowing SecretBytes) throws(CryptographyError) -> [UInt8] {
  guard let digest = unsafe Library.shared.sha256 else { throw Library.failure("EVP_MD_fetch") }
  var output = [UInt8](repeating: 0, count: 32)
  let status = unsafe secret.withUnsafeBytes { bytes in
    unsafe EVP_Digest(bytes.baseAddress, bytes.count, &output, nil, digest, nil)
  }
  try Library.require(status, "EVP_Digest")
  return output
}

/// The SHA-384 digest of bytes that are not secret, 48 bytes (FIPS 180-4).
package func sha384(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
  guard let digest = unsafe Library.shared.sha384 else { throw Library.failure("EVP_MD_fetch") }
  var output = [UInt8](repeating: 0, count: 48)
  let status = unsafe EVP_Digest(bytes, bytes.count, &output, nil, digest, nil)
  try Library.require(status, "EVP_Digest")
  return output
}

/// The SHA-512 digest of bytes that are not secret, 64 bytes (FIPS 180-4).
package func sha512(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
  guard let digest = unsafe Library.shared.sha512 else { throw Library.failure("EVP_MD_fetch") }
  var output = [UInt8](repeating: 0, count: 64)
  let status = unsafe EVP_Digest(bytes, bytes.count, &output, nil, digest, nil)
  try Library.require(status, "EVP_Digest")
  return output
}

/// HMAC-SHA256 of a message, 32 bytes (RFC 2104).
///
/// Use a separate key from `SealingKey.derived(for:context:)`, never the sealing key.
package func authenticate(
  _ message: [UInt8],
  using key: borrowing SealingKey
) throws(CryptographyError) -> [UInt8] {
  guard let context = unsafe Library.shared.context else {
    throw Library.failure("OSSL_LIB_CTX_new")
  }
  var output = [UInt8](repeating: 0, count: 32)
  var written = 0
  let count = output.count
  let result = unsafe key.withUnsafeBytes { bytes in
    unsafe EVP_Q_mac(
      context,
      "HMAC",
      nil,
      "SHA256",
      nil,
      bytes.baseAddress,
      bytes.count,
      message,
      message.count,
      &output,
      count,
      &written
    )
  }
  guard unsafe result != nil, written == count else { throw Library.failure("EVP_Q_mac") }
  return output
}

/// Random bytes that are not secret, such as an identifier or a salt, from the kernel
/// (getrandom(2)).
///
/// The kernel's generator is used instead of OpenSSL's, so that no state in this process can repeat
/// after fork(2) or a restored snapshot.
package func randomBytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
  do throws(SecretMemoryError) {
    let bytes = try SecretBytes.random(count: count)
    return unsafe bytes.withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
  } catch {
    throw .memory(error)
  }
}
