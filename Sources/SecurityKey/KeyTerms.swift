package import SecretMemory

/// The keys that may be used.
package enum KeyNodes: Sendable, Equatable {
  /// Each key that udev knows.
  case plugged
  /// The keys at these nodes, such as `/dev/hidraw0`.
  case paths([String])
}

/// What a new credential says, and its signature proves.
package struct NewKeyCredential: Sendable, Equatable {
  /// The name of the credential; only the key that made it understands it.
  package let identifier: [UInt8]
  /// The coordinates x and y of the public key on P-256, 64 bytes.
  package let publicKey: [UInt8]
  /// Whether the key verified its person, by a PIN or by itself, when the credential was made.
  package let isVerified: Bool
}

/// What a key signs to prove a touch.
package struct KeyAssertion: Sendable, Equatable {
  /// The name of the credential whose key has signed.
  package let credential: [UInt8]
  /// The authenticator data (Web Authentication, section 6.1), at least 37 bytes.
  package let authenticatorData: [UInt8]
  /// ECDSA over the authenticator data and the challenge, in DER.
  package let signature: [UInt8]
}

/// What a key is to do besides the touch.
package struct KeyVerification: Sendable {
  /// Whether the key must verify its person, by a PIN or by itself.
  package let isRequired: Bool
  /// The PIN, in UTF-8; `nil` if it was not asked for yet.
  package let pin: SharedSecret?

  /// Puts both together.
  package init(isRequired: Bool, pin: SharedSecret? = nil) {
    self.isRequired = isRequired
    self.pin = pin
  }
}
