internal import AuditLog
internal import Cryptography
internal import SecretMemory
internal import Storage

/// An enrolled security key, opened for one check.
struct EnrolledKey {
  /// The relying party of all credentials.
  static let domain = "thumblatch"
  /// The number of bytes of a public key: two coordinates on P-256.
  static let publicKeyCount = 64
  /// The number of bytes of a counter.
  private static let counterCount = 4
  /// The most bytes of the name of a credential (CTAP 2.1 sets no limit; keys have at most 1023).
  static let mostCredential = 1023

  /// The name that the user picked.
  let name: String
  /// The name of the credential; only the key that made it understands it.
  let credential: [UInt8]
  let publicKey: [UInt8]
  /// The counter of its last signature that was accepted.
  var counter: UInt32 = 0

  init(name: String, credential: [UInt8], publicKey: [UInt8]) {
    self.name = name
    self.credential = credential
    self.publicKey = publicKey
  }

  /// Reads the content of a box; `nil` if it is not of a key.
  init?(name: String, _ content: [UInt8]) {
    let head = Self.publicKeyCount + Self.counterCount
    guard content.count > head else { return nil }
    self.init(
      name: name,
      credential: Array(content[head...]),
      publicKey: Array(content[..<Self.publicKeyCount])
    )
    counter = content[Self.publicKeyCount..<head].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The content of its box.
  var content: [UInt8] {
    let count = Self.counterCount
    return publicKey + (1...count).map { UInt8(truncatingIfNeeded: counter >> (8 * (count - $0))) }
      + credential
  }
}

// Nothing of a key is secret. Its box shows that this vault has enrolled it: a row that was written
// into the store, or moved to another user, does not open.
extension Vault {
  func keyRows() throws(VaultFailure) -> [SecurityKeyRow] {
    try stored(try store.securityKeys(owner: owner))
  }

  /// The enrolled keys, opened.
  ///
  /// - Throws: `vaultUnsafe` if one does not open.
  func enrolledKeys() throws(VaultFailure) -> [EnrolledKey] {
    try keyRows().map { row throws(VaultFailure) in try opened(row) }
  }

  /// A box for a key.
  func box(of key: EnrolledKey, _ row: SecurityKeyRow) throws(VaultFailure) -> [UInt8] {
    do {
      return try box(try SecretBytes(copying: key.content), try keyContext(row))
    } catch {
      throw .unexpected("sealing the security key failed: \(error)")
    }
  }

  /// Stores the counter of a key that has passed a check, in the transaction of the check.
  func keepCounter(of key: EnrolledKey) throws(VaultFailure) {
    guard let row = try keyRows().first(where: { $0.name == key.name }) else { return }
    let box = try box(of: key, row)
    try stored(try store.setSealedSecurityKey(id: row.id, to: box))
  }

  private func opened(_ row: SecurityKeyRow) throws(VaultFailure) -> EnrolledKey {
    if let content = try? openBox(row.sealed, try keyContext(row)),
      let key = EnrolledKey(
        name: row.name,
        content.withBytes { bytes in bytes.indices.map { bytes[$0] } }
      )
    {
      return key
    }
    throw .vaultUnsafe(
      "the record of the security key '\(row.name)' does not open",
      hint: "remove the key and enroll it again"
    )
  }

  /// Opens every key's box and seals it again under the new key, in the transaction of a rekey.
  func resealSecurityKeys(under key: borrowing SealingKey) throws(VaultFailure) {
    for row in try stored(try store.allSecurityKeys()) {
      let box: [UInt8]
      do throws(CryptographyError) {
        box = try resealed(row.sealed, try keyContext(row), under: key)
      } catch {
        throw .vaultUnsafe(
          "the record of the security key '\(row.name)' does not open: \(error)",
          hint: "nothing was changed; remove the key and enroll it again"
        )
      }
      try stored(try store.setSealedSecurityKey(id: row.id, to: box))
    }
  }

  private func keyContext(_ row: SecurityKeyRow) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .securityKey,
      vault: identifier,
      owner: row.owner,
      account: row.id,
      protection: .none,
      generation: 0,
      binding: try sha256(Array(row.name.utf8))
    )
  }
}
