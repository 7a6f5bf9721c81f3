internal import Cryptography
package import SecretMemory

/// The value of the machine's counter in the TPM, and the counts of the vaults at that value: the
/// file `ledger`.
///
/// Format: `TLCNTR01`, the directory's identifier (16 bytes), the identifier of the machine key
/// (8), the NV index of the counter (4), a salt (32), the value (8), the rule for vaults that are
/// not listed (1), the length of the name of the TPM's storage key (1) and the name, 24 bytes for
/// each vault, and HMAC-SHA256 of everything before it under a key of the machine key (32). A vault
/// has its identifier (16) and its count of changes to sealed boxes (8). The vaults are sorted by
/// identifier, each once. Integers are little endian.
package struct CounterLedger: Sendable, Equatable {
  /// The counter that a ledger belongs to.
  package struct Counter: Sendable, Equatable {
    /// Its NV index.
    package let index: UInt32
    /// 32 random bytes, from which its authorization comes.
    package let salt: [UInt8]
    /// The name of the storage key of its TPM.
    package let parentName: [UInt8]

    /// Makes a counter from its parts.
    package init(index: UInt32, salt: [UInt8], parentName: [UInt8]) {
      self.index = index
      self.salt = salt
      self.parentName = parentName
    }

    /// The authorization value with which the TPM reads or increments the counter.
    ///
    /// It is derived from the machine key. A copy of the disk without that key cannot use the
    /// counter.
    package static func authorization(
      salt: [UInt8],
      under key: MachineKey
    ) throws(MachineKeyError) -> SharedSecret {
      try derived("thumblatch counter authorization", salt, key)
    }

    /// The authorization value of the counter until its directory is durable.
    package static func firstAuthorization(
      salt: [UInt8],
      under key: MachineKey
    ) throws(MachineKeyError) -> SharedSecret {
      try derived("thumblatch counter definition", salt, key)
    }

    private static func derived(
      _ label: String,
      _ salt: [UInt8],
      _ key: MachineKey
    ) throws(MachineKeyError) -> SharedSecret {
      let info = [UInt8](label.utf8)
      return try calling { () throws(CryptographyError) in
        SharedSecret(
          try HKDF.derive(from: key.copyOfBytes(), salt: salt, info: info, count: 32)
        )
      }
    }
  }

  /// The rule for a vault that is not listed.
  package enum Unlisted: UInt8, Sendable {
    /// The vault is newer than the ledger.
    case isNew = 0
    /// The vault may be an old copy: the ledger was begun again, and lists the vaults accepted
    /// since.
    case isRefused = 1
  }

  /// The judgement of one vault.
  package enum Judgement: Sendable, Equatable {
    case current
    /// The ledger has a higher count for it.
    case older
    /// The ledger was begun again, and the vault was not accepted since.
    case notAccepted
  }

  private static let magic = [UInt8]("TLCNTR01".utf8)
  private static let nameStart = 78
  private static let vaultCount = 24
  private static let codeCount = 32

  /// The identifier of the directory.
  package let directory: [UInt8]
  /// The identifier of the machine key.
  package let machineKey: [UInt8]
  package let counter: Counter
  /// The present or the next value of the counter.
  package let value: UInt64
  package let unlisted: Unlisted
  /// The count of each vault, by its identifier.
  package let vaults: [[UInt8]: UInt64]
  private let code: [UInt8]

  /// Makes a ledger, authenticated under the machine key.
  package init(
    directory: [UInt8],
    counter: Counter,
    value: UInt64,
    unlisted: Unlisted,
    vaults: [[UInt8]: UInt64],
    under key: MachineKey
  ) throws(MachineKeyError) {
    guard directory.count == MachineKeyState.directoryCount, counter.salt.count == 32,
      counter.parentName.count <= UInt8.max,
      vaults.keys.allSatisfy({ $0.count == MachineKeyState.directoryCount })
    else { throw .malformed }
    self.directory = directory
    machineKey = key.identifier
    self.counter = counter
    self.value = value
    self.unlisted = unlisted
    self.vaults = vaults
    let message = Self.message(directory, key.identifier, counter, value, unlisted, vaults)
    code = try calling { () throws(CryptographyError) in try key.code(of: message) }
  }

  /// Parses a file; `isAuthentic` says whether it can be trusted.
  ///
  /// - Throws: `malformed`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard bytes.count >= Self.nameStart + Self.codeCount, bytes.starts(with: Self.magic),
      let unlisted = Unlisted(rawValue: bytes[76])
    else { throw .malformed }
    let start = Self.nameStart + Int(bytes[77])
    let end = bytes.count - Self.codeCount
    guard start <= end, (end - start).isMultiple(of: Self.vaultCount) else { throw .malformed }
    directory = Array(bytes[8..<24])
    machineKey = Array(bytes[24..<32])
    counter = Counter(
      index: integer(littleEndian: bytes[32..<36]),
      salt: Array(bytes[36..<68]),
      parentName: Array(bytes[Self.nameStart..<start])
    )
    value = integer(littleEndian: bytes[68..<76])
    self.unlisted = unlisted
    var vaults: [[UInt8]: UInt64] = [:]
    var last: [UInt8] = []
    for vault in stride(from: start, to: end, by: Self.vaultCount) {
      let identifier = Array(bytes[vault..<vault + 16])
      // A ledger has one encoding.
      guard last.lexicographicallyPrecedes(identifier) else { throw .malformed }
      last = identifier
      vaults[identifier] = integer(littleEndian: bytes[vault + 16..<vault + Self.vaultCount])
    }
    self.vaults = vaults
    code = Array(bytes[end...])
  }

  package var encoded: [UInt8] {
    Self.message(directory, machineKey, counter, value, unlisted, vaults) + code
  }

  /// Whether this machine key has authenticated the ledger.
  package func isAuthentic(under key: MachineKey) throws(MachineKeyError) -> Bool {
    guard machineKey == key.identifier else { return false }
    let message = Self.message(directory, machineKey, counter, value, unlisted, vaults)
    let expected = try calling { () throws(CryptographyError) in try key.code(of: message) }
    return code == expected
  }

  /// Judges a vault whose store has counted so many changes.
  package func judgement(of vault: [UInt8], count: UInt64) -> Judgement {
    if let listed = vaults[vault] { return count < listed ? .older : .current }
    return unlisted == .isNew ? .current : .notAccepted
  }

  private static func message(
    _ directory: [UInt8],
    _ key: [UInt8],
    _ counter: Counter,
    _ value: UInt64,
    _ unlisted: Unlisted,
    _ vaults: [[UInt8]: UInt64]
  ) -> [UInt8] {
    let listed = vaults.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { vault in
      vault.key + littleEndian(vault.value)
    }
    let name = [UInt8(clamping: counter.parentName.count)] + counter.parentName
    return magic + directory + key + littleEndian(counter.index) + counter.salt
      + littleEndian(value) + [unlisted.rawValue] + name + listed
  }
}
