/// The content of a box; a box of one kind never opens as another.
package enum BoxKind: UInt8, Sendable, CaseIterable {
  case refreshToken = 1
  case print = 2
  case answer = 3
  case mark = 4
  case auditHead = 5
  case clientSecret = 6
  case securityKey = 7
  case backup = 8
}

/// Whether opening requires a presence check.
package enum ProtectionClass: UInt8, Sendable, CaseIterable {
  case none = 0
  case presence = 1
}

/// The context that a box is bound to.
///
/// All of it is associated data of the seal, and must be given again to open the box.
package struct BoxContext: Sendable, Equatable {
  package var kind: BoxKind
  /// The vault's random identifier, 16 bytes.
  package private(set) var vault: [UInt8]
  /// The id of the user who owns the vault.
  package var owner: UInt32
  /// The account's random identifier, 16 bytes.
  package private(set) var account: [UInt8]
  /// Whether a presence check guards it.
  package var protection: ProtectionClass
  /// Increases with each changed token.
  package var generation: UInt64
  /// SHA-256 of the provider's canonical form, 32 bytes.
  package private(set) var binding: [UInt8]

  /// Makes a context from its parts.
  ///
  /// - Throws: `wrongLength` for identifiers or a binding of another size.
  package init(
    kind: BoxKind,
    vault: [UInt8],
    owner: UInt32,
    account: [UInt8],
    protection: ProtectionClass,
    generation: UInt64,
    binding: [UInt8]
  ) throws(CryptographyError) {
    guard vault.count == 16, account.count == 16, binding.count == 32 else { throw .wrongLength }
    self.kind = kind
    self.vault = vault
    self.owner = owner
    self.account = account
    self.protection = protection
    self.generation = generation
    self.binding = binding
  }
}

extension BoxContext {
  /// The version of this encoding and of the box around it.
  static let formatVersion: UInt8 = 1
  /// Each field is one length byte, followed by that many bytes.
  private static let lengths = [1, 16, 4, 16, 1, 8, 32]
  package static let encodedCount = 1 + lengths.reduce(0) { $0 + 1 + $1 }

  /// The format version, then each field after its length, integers in little endian.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = [Self.formatVersion]
    bytes.reserveCapacity(Self.encodedCount)
    append([kind.rawValue])
    append(vault)
    append(littleEndian(owner))
    append(account)
    append([protection.rawValue])
    append(littleEndian(generation))
    append(binding)
    return bytes

    func append(_ field: [UInt8]) {
      bytes.append(UInt8(truncatingIfNeeded: field.count))
      bytes += field
    }
  }

  /// Reads only bytes that `encoded` has written.
  ///
  /// - Throws: `unknownVersion`, `wrongLength` or `malformed`, in this order.
  package init(encoded bytes: [UInt8]) throws(CryptographyError) {
    guard let version = bytes.first else { throw .wrongLength }
    guard version == Self.formatVersion else { throw .unknownVersion(version) }
    guard bytes.count == Self.encodedCount else { throw .wrongLength }
    var fields: [[UInt8]] = []
    var offset = 1
    for length in Self.lengths {
      guard Int(bytes[offset]) == length else { throw .malformed }
      fields.append([UInt8](bytes[offset + 1..<offset + 1 + length]))
      offset += 1 + length
    }
    guard let kind = BoxKind(rawValue: fields[0][0]),
      let protection = ProtectionClass(rawValue: fields[4][0])
    else { throw .malformed }
    try self.init(
      kind: kind,
      vault: fields[1],
      owner: integer(littleEndian: fields[2]),
      account: fields[3],
      protection: protection,
      generation: integer(littleEndian: fields[5]),
      binding: fields[6]
    )
  }
}
