/// The proof of a security key that it was touched: authenticator data with a signature
/// (Web Authentication Level 2, sections 6.1 and 6.3.3).
///
/// The program that transports it is not trusted: only the key can make it, and only for one
/// challenge.
package struct KeyTouch: Sendable, Equatable {
  /// The bits of the authenticator data's flags.
  package enum Flag {
    /// The key was touched.
    package static let present: UInt8 = 0x01
    /// The key has verified its person.
    package static let verified: UInt8 = 0x04
  }

  /// The fewest bytes of authenticator data: the hash of the domain, the flags and a counter.
  private static let fewestBytes = 37
  /// The most bytes that are accepted; a key without extensions sends the fewest.
  private static let mostBytes = 1024

  /// The authenticator data, without the head of a CBOR byte string.
  package let authenticatorData: [UInt8]
  /// ECDSA over P-256 with SHA-256, in DER.
  package let signature: [UInt8]

  /// Puts both together.
  package init(authenticatorData: [UInt8], signature: [UInt8]) {
    self.authenticatorData = authenticatorData
    self.signature = signature
  }

  /// The key's counter of its signatures (section 6.1.1); zero if it does not count, or if the data
  /// is too short.
  package var counter: UInt32 {
    guard authenticatorData.count >= Self.fewestBytes else { return 0 }
    return authenticatorData[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether the key of a credential was touched for a challenge.
  ///
  /// - Parameters:
  ///   - challenge: the 32 bytes that were made for this touch.
  ///   - domain: the relying party of the credential.
  ///   - publicKey: the coordinates x and y on P-256, 64 bytes.
  ///   - verified: whether the key must have verified its person too.
  /// - Returns: whether that is proved; false if the data cannot be read.
  package func proves(
    _ challenge: [UInt8],
    for domain: String,
    by publicKey: [UInt8],
    verified: Bool
  ) -> Bool {
    let data = authenticatorData
    let flags = Flag.present | (verified ? Flag.verified : 0)
    guard challenge.count == 32, publicKey.count == 64,
      (Self.fewestBytes...Self.mostBytes).contains(data.count),
      let hash = try? sha256(Array(domain.utf8)), Array(data[..<32]) == hash,
      data[32] & flags == flags,
      let numbers = try? PublicKeyNumbers(
        on: .p256,
        x: Array(publicKey[..<32]),
        y: Array(publicKey[32...])
      ), let key = try? SignatureKey(numbers)
    else { return false }
    return key.verifies(derSignature: signature, of: data + challenge, .es256)
  }
}
