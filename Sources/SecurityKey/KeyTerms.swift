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

/// What a key makes a secret of.
package struct KeySecretWish: Sendable {
  /// The name of the credential.
  package let credential: [UInt8]
  /// 32 bytes.
  package let salt: [UInt8]
  /// Whether the person is verified, which makes another secret than a touch alone.
  package let verifies: Bool

  /// Puts the three together.
  package init(credential: [UInt8], salt: [UInt8], verifies: Bool) {
    self.credential = credential
    self.salt = salt
    self.verifies = verifies
  }
}

/// What a key says of itself before it makes a secret.
package struct KeySecretFacts: Sendable, Equatable {
  /// Whether the key can verify its person, by its PIN or by itself.
  package let verifies: Bool
  /// Whether that needs its PIN.
  package let needsPIN: Bool
  /// How many wrong PINs the key still accepts; `nil` if it does not say.
  package let retries: Int?

  /// Puts the three together.
  package init(verifies: Bool, needsPIN: Bool, retries: Int?) {
    self.verifies = verifies
    self.needsPIN = needsPIN
    self.retries = retries
  }
}
