package import SecretMemory

/// The keys that may be used.
package enum KeyNodes: Sendable, Equatable {
  /// Each key that udev knows.
  case plugged
  /// The keys at these nodes, such as `/dev/hidraw0`.
  case paths([String])
}

/// The facts about a new credential, which its signature proves.
package struct NewKeyCredential: Sendable, Equatable {
  /// The name of the credential; only the key that made it understands it.
  package let identifier: [UInt8]
  /// The coordinates x and y of the public key on P-256, 64 bytes.
  package let publicKey: [UInt8]
  /// Whether the key verified its person, by a PIN or its own sensor, when the credential was made.
  package let isVerified: Bool
}

/// The signed proof of a touch.
package struct KeyAssertion: Sendable, Equatable {
  /// The name of the credential whose key has signed.
  package let credential: [UInt8]
  /// The authenticator data (Web Authentication, section 6.1), at least 37 bytes.
  package let authenticatorData: [UInt8]
  /// ECDSA over the authenticator data and the challenge, in DER.
  package let signature: [UInt8]
}

/// The requirements in addition to the touch.
package struct KeyVerification: Sendable {
  /// Whether the key must verify its person, by a PIN or its own sensor.
  package let isRequired: Bool
  /// The PIN, in UTF-8; `nil` if the person has not typed it yet.
  package let pin: SharedSecret?

  /// Makes a value from its parts.
  package init(isRequired: Bool, pin: SharedSecret? = nil) {
    self.isRequired = isRequired
    self.pin = pin
  }
}

/// The data from which a key makes a secret.
package struct KeySecretWish: Sendable {
  /// The name of the credential.
  package let credential: [UInt8]
  /// 32 bytes.
  package let salt: [UInt8]
  /// Whether the person is verified, which makes a different secret than only a touch.
  package let verifies: Bool

  /// Makes a value from its parts.
  package init(credential: [UInt8], salt: [UInt8], verifies: Bool) {
    self.credential = credential
    self.salt = salt
    self.verifies = verifies
  }
}

/// The facts that a key reports about itself before it makes a secret.
package struct KeySecretFacts: Sendable, Equatable {
  /// Whether the key can verify its person, by its PIN or its own sensor.
  package let verifies: Bool
  /// Whether that needs its PIN.
  package let needsPIN: Bool
  /// How many wrong PINs the key still accepts; `nil` if it does not say.
  package let retries: Int?

  /// Makes a value from its parts.
  package init(verifies: Bool, needsPIN: Bool, retries: Int?) {
    self.verifies = verifies
    self.needsPIN = needsPIN
    self.retries = retries
  }
}
