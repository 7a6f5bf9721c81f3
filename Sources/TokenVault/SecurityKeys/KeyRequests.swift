package import SecretMemory

/// The input of a check by security key.
package struct KeySigning: Sendable {
  /// The names of the enrolled credentials.
  package let credentials: [[UInt8]]
  /// What is to be signed: 32 bytes, made for this check.
  package let challenge: [UInt8]
  /// Whether the key must verify its person too, by its PIN or by itself.
  package let verifies: Bool
  /// Whether another device is armed too: a key that wants its PIN is touched before it asks.
  package let isRaced: Bool
  /// How long it waits for a touch, in seconds.
  package let seconds: Int64
}

/// The input of the enrollment of a security key.
package struct KeyMaking: Sendable {
  /// The credentials that the key must not hold yet.
  package let credentials: [[UInt8]]
  /// What the new credential signs: 32 bytes.
  package let challenge: [UInt8]
  /// An identifier that says nothing about the person.
  package let user: [UInt8]
  /// The name that a key with a screen shows.
  package let name: String
  /// The PIN of the key; `nil` if the key is only touched.
  package let pin: SharedSecret?
  /// How long it waits for a touch, in seconds.
  package let seconds: Int64
}

/// What a helper carries from a security key.
///
/// Only the key can make it.
package struct KeyAnswer: Sendable, Equatable {
  /// The name of the credential that has signed.
  package let credential: [UInt8]
  package let authenticatorData: [UInt8]
  package let signature: [UInt8]

  /// Puts the three together.
  package init(credential: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
    self.credential = credential
    self.authenticatorData = authenticatorData
    self.signature = signature
  }
}

/// An enrolled security key, as `keys list` shows it.
package struct KeyFacts: Sendable, Equatable {
  /// The name that the user picked.
  package let name: String
  /// When it was enrolled, in seconds since 1970.
  package let enrolledAt: Int64
}
