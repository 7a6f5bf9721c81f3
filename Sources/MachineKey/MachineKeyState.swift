internal import Cryptography

/// How far the machine key of a directory is in use: the file `state`.
///
/// Format: `TLMKEY01`, the directory's identifier (16 bytes), the identifier of the machine key (8),
/// the phase (1), HMAC-SHA256 of all before under a key of the machine key (32).
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
  /// Bytes of a file.
  package static let count = 65
  private static let magic = [UInt8]("TLMKEY01".utf8)

  /// Random bytes that distinguish directories.
  package let directory: [UInt8]
  /// The identifier of the machine key.
  package let machineKey: [UInt8]
  package let phase: Phase
  private let code: [UInt8]

  /// Makes a state, authenticated under the machine key.
  package init(
    directory: [UInt8],
    phase: Phase,
    under key: MachineKey
  ) throws(MachineKeyError) {
    self.directory = directory
    self.phase = phase
    machineKey = key.identifier
    let message = Self.message(directory, key.identifier, phase)
    code = try calling { () throws(CryptographyError) in try key.code(of: message) }
  }

  /// Parses a file; `isAuthentic` says whether it is to be believed.
  ///
  /// - Throws: `malformed`.
  package init(parsing bytes: [UInt8]) throws(MachineKeyError) {
    guard bytes.count == Self.count, bytes.starts(with: Self.magic),
      let phase = Phase(rawValue: bytes[32])
    else { throw .malformed }
    directory = Array(bytes[8..<24])
    machineKey = Array(bytes[24..<32])
    self.phase = phase
    code = Array(bytes[33...])
  }

  package var encoded: [UInt8] { Self.message(directory, machineKey, phase) + code }

  /// Whether this machine key has authenticated the state.
  package func isAuthentic(under key: MachineKey) throws(MachineKeyError) -> Bool {
    guard machineKey == key.identifier else { return false }
    let message = Self.message(directory, machineKey, phase)
    let expected = try calling { () throws(CryptographyError) in try key.code(of: message) }
    return code == expected
  }

  private static func message(_ directory: [UInt8], _ key: [UInt8], _ phase: Phase) -> [UInt8] {
    magic + directory + key + [phase.rawValue]
  }
}
