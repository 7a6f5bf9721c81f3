internal import Cryptography
package import SecretMemory

/// One way to open the machine key: the key, sealed under the secret of this slot.
///
/// | bytes | what |
/// |---|---|
/// | 8 | `TLSLOT01` |
/// | 1 | the kind |
/// | 16 | the identifier of the directory |
/// | 4 | the owner's uid, -1 for the machine |
/// | 8 | the identifier of the machine key |
/// | 8 | the identifier of the slot |
/// | 2 + n | the parameters of the kind, behind their length |
/// | 32 | the salt |
/// | 12 | the nonce |
/// | 32 | the machine key, encrypted with AES-256-GCM |
/// | 16 | the tag |
///
/// Integers are little endian. Everything before the nonce is associated data. The AES key is
/// HKDF-SHA256 of the slot's secret with the salt, and with the kind in `info`.
package struct MachineKeySlot: Sendable, Equatable {
  /// What opens a slot.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case tpm = 1
    case recovery = 2
    /// A FIDO2 security key.
    case securityKey = 3
  }

  /// The part of a slot before its sealed part.
  package struct Header: Sendable, Equatable {
    package let kind: Kind
    /// The identifier of the directory.
    package let directory: [UInt8]
    package let owner: MachineKeyOwner
    /// The identifier of the slot.
    package let identifier: [UInt8]
    /// Random bytes, which are a part of the slot's key and of a TPM's authorization.
    package let salt: [UInt8]
    /// The parameters of this kind of slot.
    package var parameters: [UInt8] = []

    /// The header of a new slot.
    package init(
      _ kind: Kind,
      directory: [UInt8],
      owner: MachineKeyOwner
    ) throws(MachineKeyError) {
      self.kind = kind
      self.directory = directory
      self.owner = owner
      let fresh = try calling { () throws(CryptographyError) in
        try randomBytes(identifierCount + saltCount)
      }
      identifier = Array(fresh.prefix(identifierCount))
      salt = Array(fresh.suffix(saltCount))
    }

    init(
      kind: Kind,
      directory: [UInt8],
      owner: MachineKeyOwner,
      identifier: [UInt8],
      salt: [UInt8],
      parameters: [UInt8]
    ) {
      self.kind = kind
      self.directory = directory
      self.owner = owner
      self.identifier = identifier
      self.salt = salt
      self.parameters = parameters
    }

    func encoded(for machineKey: [UInt8]) -> [UInt8] {
      magic + [kind.rawValue] + directory + littleEndian(owner.number) + machineKey + identifier
        + littleEndian(UInt16(truncatingIfNeeded: parameters.count)) + parameters + salt
    }
  }

  /// Bytes of a slot's secret.
  package static let secretCount = 32
  /// Bytes of a slot's identifier.
  package static let identifierCount = 8
  /// The most bytes of the parameters.
  package static let mostParameters = 2048
  /// The most bytes of a slot.
  package static let maximumCount = fixedCount + mostParameters

  private static let magic = [UInt8]("TLSLOT01".utf8)
  private static let saltCount = 32
  private static let parametersOffset = 47
  private static let sealedCount = SealingKey.count + AES256GCM.tagCount
  private static let fixedCount =
    parametersOffset + saltCount + AES256GCM.nonceCount + sealedCount

  package let header: Header
  /// The identifier of the machine key.
  package let machineKey: [UInt8]
  private let nonce: [UInt8]
  private let sealed: [UInt8]

  /// Parses a slot without opening it.
  ///
  /// - Throws: `malformed`, `unknownKind`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard (Self.fixedCount...Self.maximumCount).contains(bytes.count),
      bytes.starts(with: Self.magic)
    else { throw .malformed }
    guard let kind = Kind(rawValue: bytes[8]) else { throw .unknownKind(bytes[8]) }
    let length: UInt16 = integer(littleEndian: bytes[45..<47])
    guard Self.fixedCount + Int(length) == bytes.count else { throw .malformed }
    let number: UInt32 = integer(littleEndian: bytes[25..<29])
    let saltOffset = Self.parametersOffset + Int(length)
    let nonceOffset = saltOffset + Self.saltCount
    let sealedOffset = nonceOffset + AES256GCM.nonceCount
    header = Header(
      kind: kind,
      directory: Array(bytes[9..<25]),
      owner: number == .max ? .machine : .user(number),
      identifier: Array(bytes[37..<45]),
      salt: Array(bytes[saltOffset..<nonceOffset]),
      parameters: Array(bytes[Self.parametersOffset..<saltOffset])
    )
    machineKey = Array(bytes[29..<37])
    nonce = Array(bytes[nonceOffset..<sealedOffset])
    sealed = Array(bytes[sealedOffset...])
  }

  /// Seals the machine key under the secret of a slot, and opens it again as a check.
  package init(
    _ header: Header,
    sealing key: MachineKey,
    under secret: borrowing SecretBytes
  ) throws(MachineKeyError) {
    guard header.parameters.count <= Self.mostParameters else { throw .malformed }
    self.header = header
    machineKey = key.identifier
    let nonce = try calling { () throws(CryptographyError) in
      try randomBytes(AES256GCM.nonceCount)
    }
    self.nonce = nonce
    let slotKey = try Self.slotKey(header, secret)
    sealed = try calling { () throws(CryptographyError) in
      try AES256GCM.seal(
        try key.copyOfBytes(),
        key: slotKey,
        nonce: nonce,
        authenticating: header.encoded(for: key.identifier)
      )
    }
    _ = try open(with: secret)
  }

  package var encoded: [UInt8] { header.encoded(for: machineKey) + nonce + sealed }

  /// Opens the machine key with the secret of this slot.
  ///
  /// - Throws: `doesNotOpen`, `cryptography`.
  package func open(with secret: borrowing SecretBytes) throws(MachineKeyError) -> MachineKey {
    let slotKey = try Self.slotKey(header, secret)
    do throws(CryptographyError) {
      let bytes = try AES256GCM.open(
        sealed,
        key: slotKey,
        nonce: nonce,
        authenticating: header.encoded(for: machineKey)
      )
      let key = try MachineKey(bytes)
      guard key.identifier == machineKey else { throw CryptographyError.damaged }
      return key
    } catch {
      throw error == .damaged ? .doesNotOpen : .cryptography(error)
    }
  }

  /// The sealing key, which differs for each slot because of its salt.
  private static func slotKey(
    _ header: Header,
    _ secret: borrowing SecretBytes
  ) throws(MachineKeyError) -> SecretBytes {
    let info = [UInt8]("thumblatch slot key".utf8) + [header.kind.rawValue]
    return try calling { () throws(CryptographyError) in
      try HKDF.derive(from: secret, salt: header.salt, info: info, count: AES256GCM.keyCount)
    }
  }
}
