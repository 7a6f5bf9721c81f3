internal import Cryptography

/// How far the machine key of a directory is in use: the file `state`.
///
/// Format: `TLMKEY01`, the directory's identifier (16 bytes), the identifier of the machine key (8),
/// the phase (1), the uids of the vaults that are under the machine key (4 each, little endian),
/// HMAC-SHA256 of all before under a key of the machine key (32).
package struct MachineKeyState: Sendable, Equatable {
  /// How far the vaults are under the machine key.
  package enum Phase: UInt8, Sendable {
    /// Vaults that open by their file alone are being rekeyed.
    case adding = 1
    /// No vault opens by its file alone.
    case complete = 2
  }

  /// Bytes of the identifier of a directory.
  package static let directoryCount = 16
  /// Bytes of a file that names no vault.
  package static let count = 65
  private static let magic = [UInt8]("TLMKEY01".utf8)

  /// Random bytes that distinguish directories.
  package let directory: [UInt8]
  /// The identifier of the machine key.
  package let machineKey: [UInt8]
  package let phase: Phase
  /// The owners of the vaults that do not open by their file alone, while others do.
  ///
  /// It is empty once the phase is complete, which is said of each vault.
  package let adopted: Set<UInt32>
  private let code: [UInt8]

  /// Makes a state, authenticated under the machine key.
  package init(
    directory: [UInt8],
    phase: Phase,
    adopted: Set<UInt32> = [],
    under key: MachineKey
  ) throws(MachineKeyError) {
    self.directory = directory
    self.phase = phase
    self.adopted = adopted
    machineKey = key.identifier
    let message = Self.message(directory, key.identifier, phase, adopted)
    code = try calling { () throws(CryptographyError) in try key.code(of: message) }
  }

  /// Parses a file; `isAuthentic` says whether it is to be believed.
  ///
  /// - Throws: `malformed`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard bytes.count >= Self.count, (bytes.count - Self.count).isMultiple(of: 4),
      bytes.starts(with: Self.magic), let phase = Phase(rawValue: bytes[32])
    else { throw .malformed }
    let end = bytes.count - 32
    directory = Array(bytes[8..<24])
    machineKey = Array(bytes[24..<32])
    self.phase = phase
    adopted = Set(
      stride(from: 33, to: end, by: 4).map { integer(littleEndian: bytes[$0..<$0 + 4]) }
    )
    code = Array(bytes[end...])
  }

  package var encoded: [UInt8] { Self.message(directory, machineKey, phase, adopted) + code }

  /// Whether a vault of this user that opens by its file alone is an old copy.
  package func refusesFile(of user: UInt32) -> Bool {
    phase == .complete || adopted.contains(user)
  }

  /// Whether this machine key has authenticated the state.
  package func isAuthentic(under key: MachineKey) throws(MachineKeyError) -> Bool {
    guard machineKey == key.identifier else { return false }
    let message = Self.message(directory, machineKey, phase, adopted)
    let expected = try calling { () throws(CryptographyError) in try key.code(of: message) }
    return code == expected
  }

  private static func message(
    _ directory: [UInt8],
    _ key: [UInt8],
    _ phase: Phase,
    _ adopted: Set<UInt32>
  ) -> [UInt8] {
    magic + directory + key + [phase.rawValue] + adopted.sorted().flatMap { littleEndian($0) }
  }
}
