// The wall of this room: clients write and read backups here, and the engine does neither.
package import BackupFormat
package import SecretMemory
internal import Sodium

/// The passphrase of a backup.
package enum BackupPassphrase {
  /// The fewest characters of a new passphrase.
  package static let fewest = 12
  // Not in the app.
  package static let tooShort = "the passphrase of a backup must have at least \(fewest) characters"

  /// Whether a new passphrase has too few characters (Unicode scalars in UTF-8).
  package static func isTooShort(_ passphrase: borrowing SecretBytes) -> Bool {
    passphrase.withBytes { bytes in
      // The further bytes of a character begin with the bits 10.
      bytes.indices.count { bytes[$0] & 0xc0 != 0x80 } < fewest
    }
  }

  /// Why a passphrase is not made into a key.
  package enum Failure: Error, Sendable, Equatable {
    /// There is too little memory for the cost, in KiB.
    case noMemory(kibibytes: UInt32)
    /// Another reason, for the report of a bug.
    case unexpected(String)
  }

  /// The header of a new backup with a fresh salt.
  package static func newHeader(_ lock: BackupHeader.Lock) -> BackupHeader {
    BackupHeader(
      lock,
      salt: (0..<BackupHeader.saltCount).map { _ in UInt8.random(in: 0...255) }
    )
  }

  /// Makes a passphrase into the key of a backup.
  ///
  /// It takes about a second, and the memory that the header says.
  package static func key(
    of passphrase: borrowing SecretBytes,
    _ header: BackupHeader
  ) throws(Failure) -> SharedSecret {
    guard case .passphrase(let cost) = header.lock else {
      throw .unexpected("a recovery code needs no key")
    }
    do throws(PasswordHash.Failure) {
      return SharedSecret(
        try PasswordHash.key(
          from: passphrase,
          salt: header.salt,
          passes: cost.passes,
          kibibytes: cost.kibibytes
        )
      )
    } catch {
      throw error == .noMemory
        ? .noMemory(kibibytes: cost.kibibytes)
        : .unexpected("the passphrase cannot be made into a key: \(error)")
    }
  }
}

extension BackupPassphrase.Failure: CustomStringConvertible {
  /// The problem in one clause.
  package var description: String {
    switch self {
    case .noMemory(let kibibytes):
      "too little memory to derive the key from the passphrase: it takes \(kibibytes >> 10) MiB"
    case .unexpected(let reason): reason
    }
  }
}
