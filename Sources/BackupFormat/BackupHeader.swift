// The wall of this room: engine and command line read the same header, and share nothing else of
// it.

/// The beginning of a backup file.
///
/// | bytes | what |
/// |---|---|
/// | 8 | `TLBACKUP` |
/// | 1 | the version, 1 |
/// | 1 | the lock: 1 passphrase, 2 recovery code |
/// | 16 | the salt, fresh for each backup |
/// | 4 | the passes of Argon2id, little endian; 0 for a recovery code |
/// | 4 | its memory in KiB, little endian; 0 for a recovery code |
///
/// Every box behind it is bound to all of these bytes.
package struct BackupHeader: Sendable, Equatable {
  /// The secret that opens a backup.
  package enum Lock: Sendable, Equatable {
    /// A passphrase, made into a key at this cost.
    case passphrase(Cost)
    case recoveryCode
  }

  /// The cost of making a passphrase into a key.
  ///
  /// The bounds keep a forged header from using up the memory or the time of its reader.
  package struct Cost: Sendable, Equatable {
    /// The cost of a new backup: the moderate one of libsodium.
    package static let standard = Cost(passes: 3, kibibytes: 256 << 10)
    private static let passBounds: ClosedRange<UInt32> = 1...10
    private static let kibibyteBounds: ClosedRange<UInt32> = 8...(512 << 10)

    package let passes: UInt32
    package let kibibytes: UInt32

    private init(passes: UInt32, kibibytes: UInt32) {
      self.passes = passes
      self.kibibytes = kibibytes
    }

    /// Takes a cost within the bounds; `nil` if it is not.
    package init?(checking passes: UInt32, kibibytes: UInt32) {
      guard Self.passBounds.contains(passes), Self.kibibyteBounds.contains(kibibytes) else {
        return nil
      }
      self.init(passes: passes, kibibytes: kibibytes)
    }
  }

  /// Why bytes are no header.
  package enum Flaw: Error, Sendable, Equatable {
    /// The file is no backup, or was cut short.
    case noBackup
    /// A newer version wrote it.
    case unknownVersion(UInt8)
    /// The lock or its cost is not one that this version writes.
    case unknownLock
  }

  package static let count = 34
  /// The most bytes of a backup file.
  package static let mostFile = 4 << 20
  package static let saltCount = 16
  private static let magic = [UInt8]("TLBACKUP".utf8)
  private static let version: UInt8 = 1

  package let lock: Lock
  package let salt: [UInt8]

  /// Takes a salt of `saltCount` bytes.
  package init(_ lock: Lock, salt: [UInt8]) {
    precondition(salt.count == Self.saltCount)
    self.lock = lock
    self.salt = salt
  }

  /// Reads the header at the beginning of a file; bytes may follow.
  package init(parsing bytes: some Collection<UInt8>) throws(Flaw) {
    let bytes = Array(bytes.prefix(Self.count))
    guard bytes.count == Self.count, bytes.starts(with: Self.magic) else { throw .noBackup }
    guard bytes[8] == Self.version else { throw .unknownVersion(bytes[8]) }
    let (passes, kibibytes) = (Self.integer(bytes[26..<30]), Self.integer(bytes[30..<34]))
    switch bytes[9] {
    case 1:
      guard let cost = Cost(checking: passes, kibibytes: kibibytes) else { throw .unknownLock }
      lock = .passphrase(cost)
    case 2 where passes == 0 && kibibytes == 0: lock = .recoveryCode
    default: throw .unknownLock
    }
    salt = Array(bytes[10..<26])
  }

  /// The bytes of the file.
  package var encoded: [UInt8] {
    let (kind, passes, kibibytes): (UInt8, UInt32, UInt32) =
      switch lock {
      case .passphrase(let cost): (1, cost.passes, cost.kibibytes)
      case .recoveryCode: (2, 0, 0)
      }
    return Self.magic + [Self.version, kind] + salt + Self.bytes(passes) + Self.bytes(kibibytes)
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func bytes(_ integer: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: integer >> $0) }
  }
}

extension BackupHeader.Flaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noBackup: "not a Thumblatch backup, or the file is truncated"
    case .unknownVersion(let version):
      "the backup has version \(version), and this program reads version 1: update Thumblatch"
    case .unknownLock: "the backup was damaged, or a newer version made it"
    }
  }
}
