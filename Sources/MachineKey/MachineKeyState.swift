internal import Cryptography

/// How far the machine key of a directory is in use: the file `state`.
///
/// Format: `TLMKEY01`, the directory's identifier (16 bytes), the identifier of the machine key
/// (8), the phase (1), 12 bytes for each remaining vault, and HMAC-SHA256 of everything before it
/// under a key of the machine key (32). The highest bit of the phase says that the TPM has a
/// counter. A remaining vault has its owner's uid (4, little endian) and the identifier of its next
/// keys (8), or zeros.
package struct MachineKeyState: Sendable, Equatable {
  /// How many of the vaults need the machine key.
  package enum Phase: UInt8, Sendable {
    /// The vaults that open with only their file are not listed yet.
    case adding = 1
    /// No vault opens with only its file, except the remaining ones.
    case complete = 2
  }

  /// Bytes of the identifier of a directory.
  package static let directoryCount = 16
  /// Bytes of a file that names no vault.
  package static let count = 65
  private static let magic = [UInt8]("TLMKEY01".utf8)
  private static let vaultCount = 12
  private static let none = [UInt8](repeating: 0, count: 8)
  private static let counterBit: UInt8 = 0x80

  /// Random bytes that distinguish directories.
  package let directory: [UInt8]
  /// The identifier of the machine key.
  package let machineKey: [UInt8]
  package let phase: Phase
  /// The owners of the vaults that still open with only their file.
  ///
  /// While such a vault is rekeyed, the value is the identifier of its next keys. Otherwise it is
  /// empty.
  package let left: [UInt32: [UInt8]]
  /// Whether the TPM has a counter for this directory, so that there must be a ledger.
  package let hasCounter: Bool
  private let code: [UInt8]

  /// Makes a state, authenticated under the machine key.
  package init(
    directory: [UInt8],
    phase: Phase,
    left: [UInt32: [UInt8]] = [:],
    hasCounter: Bool = false,
    under key: MachineKey
  ) throws(MachineKeyError) {
    self.directory = directory
    self.phase = phase
    self.left = left
    self.hasCounter = hasCounter
    machineKey = key.identifier
    let message = Self.message(directory, key.identifier, phase, left, hasCounter)
    code = try calling { () throws(CryptographyError) in try key.code(of: message) }
  }

  /// Parses a file; `isAuthentic` says whether it can be trusted.
  ///
  /// - Throws: `malformed`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard bytes.count >= Self.count,
      (bytes.count - Self.count).isMultiple(of: Self.vaultCount),
      bytes.starts(with: Self.magic), let phase = Phase(rawValue: bytes[32] & ~Self.counterBit)
    else { throw .malformed }
    let end = bytes.count - 32
    directory = Array(bytes[8..<24])
    machineKey = Array(bytes[24..<32])
    self.phase = phase
    hasCounter = bytes[32] & Self.counterBit != 0
    var left: [UInt32: [UInt8]] = [:]
    for start in stride(from: 33, to: end, by: Self.vaultCount) {
      let next = Array(bytes[start + 4..<start + Self.vaultCount])
      left[integer(littleEndian: bytes[start..<start + 4])] = next == Self.none ? [] : next
    }
    self.left = left
    code = Array(bytes[end...])
  }

  package var encoded: [UInt8] {
    Self.message(directory, machineKey, phase, left, hasCounter) + code
  }

  /// Whether this machine key has authenticated the state.
  package func isAuthentic(under key: MachineKey) throws(MachineKeyError) -> Bool {
    guard machineKey == key.identifier else { return false }
    let message = Self.message(directory, machineKey, phase, left, hasCounter)
    let expected = try calling { () throws(CryptographyError) in try key.code(of: message) }
    return code == expected
  }

  private static func message(
    _ directory: [UInt8],
    _ key: [UInt8],
    _ phase: Phase,
    _ left: [UInt32: [UInt8]],
    _ hasCounter: Bool
  ) -> [UInt8] {
    let vaults = left.sorted { $0.key < $1.key }.flatMap { vault in
      littleEndian(vault.key) + (vault.value.isEmpty ? none : vault.value)
    }
    let first = hasCounter ? phase.rawValue | counterBit : phase.rawValue
    return magic + directory + key + [first] + vaults
  }
}
