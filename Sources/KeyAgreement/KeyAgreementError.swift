package import SecretMemory

/// Why there is no key, or why a secret cannot be encrypted or decrypted with it.
package enum KeyAgreementError: Error, Equatable {
  /// libcrypto is missing or has failed.
  case unavailable
  /// The other side's public key shares no secret.
  case invalidKey
  /// The ciphertext has a wrong length or padding.
  case damaged
  /// There is no memory for the secret.
  case memory(SecretMemoryError)
}
