internal import CFido2

/// Why a request to a security key failed.
package enum KeyFailure: Error, Sendable, Equatable {
  /// libfido2 is not installed, or is another version.
  case noLibrary
  /// No key is plugged in.
  case noKey
  /// A key is plugged in, but none holds a requested credential.
  case notEnrolled
  /// More than one key is plugged in, and it is not clear which one is meant.
  case severalKeys
  /// The key already holds a credential of this user.
  case alreadyEnrolled
  /// The key needs its PIN first. The value is the number of wrong PINs that it still accepts;
  /// `nil` if it does not say.
  case pinNeeded(retries: Int?)
  /// The PIN was wrong. The value is the number of wrong PINs that the key still accepts; `nil` if
  /// it does not say.
  case wrongPIN(retries: Int?)
  /// After three wrong PINs, the key accepts a PIN only after it has been unplugged.
  case pinBlockedUntilReplugged
  /// The key accepts no PIN until it is reset, which deletes its credentials.
  case pinBlocked
  /// The key has no PIN and no other way to verify its person.
  case noPIN
  /// The key's own check of the person did not pass.
  case notVerified
  /// The key's own check of the person is blocked, and its PIN is needed.
  case verificationBlocked
  /// The key does not support the extension hmac-secret.
  case noSecret
  /// The key always verifies its person, which makes a different secret.
  case alwaysVerifies
  /// The key was not touched in time.
  case timedOut
  /// The person declined at the key. Some keys also report a missing touch with this code.
  case declined
  case cancelled
  /// The key was unplugged, or does not answer.
  case removed
  /// This process's user may not open the node of the key.
  case notPermitted
  /// Another response of the key or of its library, with its code in CTAP 2.1, section 8.2.
  case unexpected(Int32)

  /// The failure that a code of libfido2 means.
  init(_ code: Int32, retries: Int? = nil) {
    self =
      switch code {
      case FIDO_ERR_NO_CREDENTIALS: .notEnrolled
      case FIDO_ERR_CREDENTIAL_EXCLUDED: .alreadyEnrolled
      case FIDO_ERR_PIN_REQUIRED: .pinNeeded(retries: retries)
      case FIDO_ERR_PIN_INVALID: .wrongPIN(retries: retries)
      case FIDO_ERR_PIN_AUTH_BLOCKED: .pinBlockedUntilReplugged
      case FIDO_ERR_PIN_BLOCKED: .pinBlocked
      case FIDO_ERR_PIN_NOT_SET, FIDO_ERR_UNSUPPORTED_OPTION: .noPIN
      case FIDO_ERR_UV_INVALID: .notVerified
      case FIDO_ERR_UV_BLOCKED: .verificationBlocked
      case FIDO_ERR_USER_ACTION_TIMEOUT, FIDO_ERR_ACTION_TIMEOUT: .timedOut
      case FIDO_ERR_OPERATION_DENIED: .declined
      case FIDO_ERR_KEEPALIVE_CANCEL: .cancelled
      case FIDO_ERR_TX, FIDO_ERR_RX: .removed
      default: .unexpected(code)
      }
  }
}
