package import SecretMemory

/// Why there is no key, or why something cannot be sealed or opened with it.
package enum KeyAgreementError: Error, Equatable {
  /// libcrypto is missing or has failed.
  case unavailable
  /// The other side's public key shares no secret.
  case invalidKey
  /// The bytes are not what the other side sealed.
  case damaged
  /// There is no memory for the secret.
  case memory(SecretMemoryError)
}
