package import SecretMemory
package import System

/// Why the vault's files could not be opened, read or changed.
///
/// No case holds a value of a row or a byte of a file.
package enum StorageError: Error, Equatable, Sendable {
  /// Another process has this state directory open.
  case inUse
  /// The state directory is on a file system where locks and the log do not work.
  case networkFileSystem(String)
  /// Another user could have made or changed a file or directory.
  case unsafeFile(String, FileFlaw)
  case deviceSecret(DeviceSecretFlaw)
  /// A required file does not exist.
  case missing(String)
  /// The name is not a plain file name.
  case badName
  /// The store belongs to a newer program; it was not touched.
  case newerSchema(found: Int, known: Int)
  /// The store belongs to a program before the first release; it was not touched.
  case unreleasedFormat
  /// The store or another file does not hold the data that was written; it was not touched.
  case damaged(String)
  /// No room on the file system; nothing was changed.
  case full
  /// A file would exceed this process's size limit (RLIMIT_FSIZE); nothing was changed.
  case fileSizeLimit
  /// Another process has the database open despite the state lock.
  case busy
  /// The last change may or may not be on the disk, for this reason; the store must be read again.
  case uncertain(String)
  /// The transaction was rolled back early, so it accepts no more statements.
  case rolledBack
  /// A transaction inside another transaction.
  case nested
  /// The row to be changed does not exist.
  case noSuchRow
  /// The row conflicts with another one (a duplicate name) or with the schema; SQLite's extended
  /// code.
  case constraint(Int32)
  /// Any other failure of SQLite: its extended result code (sqlite.org/rescode.html).
  case database(Int32)
  /// A failed system call.
  case system(SystemError)
  /// No locked memory for a secret.
  case memory(SecretMemoryError)
}

package enum FileFlaw: Equatable, Sendable {
  /// A symbolic link.
  case symbolicLink
  /// Not a regular file, or not a directory, as required.
  case wrongType
  /// It belongs to the user with this id.
  case wrongOwner(UInt32)
  /// It has these permission bits, so that other users could read or change it.
  case wrongMode(UInt32)
  /// It has this many hard links; another user may reach one of them.
  case wrongLinks(UInt64)
  /// It has this size in bytes.
  case wrongSize(Int64)
  /// The path does not begin with a slash.
  case notAbsolute
}

/// Why the device secret is refused.
package enum DeviceSecretFlaw: Equatable, Sendable {
  /// It does not exist, but the store holds boxes sealed under it.
  case missing
  /// It has this many bytes instead of 32.
  case wrongSize(Int64)
  /// All bytes are zero.
  case allZero
  /// Its type, owner, mode or number of hard links is wrong.
  case unsafeFile(FileFlaw)
}

extension StorageError {
  /// Translates a failed system call.
  init(_ error: SystemError) {
    if error.limit == .fileSize {
      self = .fileSizeLimit
    } else {
      self = error.isFull ? .full : .system(error)
    }
  }
}

/// Runs system calls and translates their errors to `StorageError`.
///
/// - Parameters:
///   - name: the file of the calls; a symbolic link or a wrong file type there is unsafe.
///   - body: the calls.
/// - Returns: the result of `body`.
/// - Throws: `full` if there was no room, else the call's own error.
@discardableResult
func calling<Value: ~Copyable>(
  about name: String? = nil,
  _ body: () throws(SystemError) -> Value
) throws(StorageError) -> Value {
  do throws(SystemError) {
    return try body()
  } catch {
    if let name, error.isSymbolicLink { throw .unsafeFile(name, .symbolicLink) }
    if let name, error.isWrongType { throw .unsafeFile(name, .wrongType) }
    throw StorageError(error)
  }
}

extension StorageError: CustomStringConvertible {
  /// The problem, without any stored data.
  package var description: String {
    switch self {
    case .inUse: "the vault is open in another process"
    case .networkFileSystem(let type): "the state directory is on a network file system (\(type))"
    case .unsafeFile(let file, let flaw): "\(file): \(flaw)"
    case .deviceSecret(let flaw): "the device secret \(flaw)"
    case .missing(let file): "\(file) is missing"
    case .badName: "a name that cannot be a file's"
    case .newerSchema(let found, let known):
      "the store has schema \(found), and this program knows \(known) at most"
    case .unreleasedFormat: "the store has a format from before the first release"
    case .damaged(let what): "damaged: \(what)"
    case .full: "no space left for the vault"
    case .fileSizeLimit: "a file of the vault may not grow: \(ResourceLimit.fileSize.sentence)"
    case .busy: "the store is open in another program"
    case .uncertain(let reason): "the last change may not have reached the disk (\(reason))"
    case .rolledBack: "the transaction had been rolled back"
    case .nested: "a transaction was begun inside another"
    case .noSuchRow: "the row to change does not exist"
    case .constraint(let code): "the row does not fit into the store (SQLite result \(code))"
    case .database(let code): "the store failed (SQLite result \(code))"
    case .system(let error): "\(error)"
    case .memory(let error): "\(error)"
    }
  }

  /// Whether there is no room for a change, so that nothing was changed.
  package var isLackOfRoom: Bool { self == .full || self == .fileSizeLimit }

  /// The remedy for a person; `nil` if nothing helps.
  package var remedy: String? {
    switch self {
    case .inUse: "wait for the other process, or end it"
    case .networkFileSystem:
      "set THUMBLATCH_STATE_DIR to a directory on a local disk"
    case .unsafeFile(let file, let flaw): flaw.remedy(for: file)
    case .deviceSecret(let flaw): flaw.remedy
    case .missing(let file): "restore \(file) from a copy"
    case .newerSchema: "use the newer program, which made this store"
    case .unreleasedFormat:
      "sign out with the program that made it, then move the state directory away and sign in again"
    case .damaged: "restore the state directory from a copy; nothing in it was changed"
    case .full: "make room, then try again"
    case .fileSizeLimit: ResourceLimit.fileSize.remedy
    case .system(let error) where error.limit != nil: error.limit?.remedy
    case .busy: "end the program that has vault.db open"
    case .uncertain: "check the disk; the vault reads its state again at the next start"
    case .badName, .rolledBack, .nested, .noSuchRow, .constraint, .database, .system, .memory: nil
    }
  }
}

extension FileFlaw: CustomStringConvertible {
  /// The flaw, as the rest of a sentence about the file.
  package var description: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .wrongType: "is not the type of file that it must be"
    case .wrongOwner(let user): "belongs to user \(user), not to this one"
    case .wrongMode(let mode):
      "has mode 0\(String(mode, radix: 8)), which "
        + (mode & 0o077 == 0 ? "does not let this user in" : "lets others in")
    case .wrongLinks(let count): "has \(count) names in place of one"
    case .wrongSize(let count): "has \(count) bytes, which is not its size"
    case .notAbsolute: "is not an absolute path"
    }
  }

  func remedy(for file: String) -> String {
    switch self {
    case .symbolicLink, .wrongType: "move it away, after you have seen who made it"
    case .wrongOwner: "find out who made it; if it is yours, chown it to yourself"
    case .wrongMode(let mode) where mode & 0o077 == 0: "chmod u=rwX (directories 0700, files 0600)"
    case .wrongMode: "find out who could read it, then chmod go= (directories 0700, files 0600)"
    case .wrongLinks: "find its other name (find -samefile) and remove that"
    case .wrongSize: "restore it from a copy"
    case .notAbsolute: "give a path that begins with a slash"
    }
  }
}

extension DeviceSecretFlaw: CustomStringConvertible {
  /// The flaw, as the rest of a sentence about the device secret.
  package var description: String {
    switch self {
    case .missing: "is missing, but there are tokens that it sealed"
    case .wrongSize(let count): "has \(count) bytes in place of 32"
    case .allZero: "holds nothing but zeros"
    case .unsafeFile(let flaw): "\(flaw)"
    }
  }

  package var remedy: String {
    switch self {
    case .missing, .wrongSize, .allZero:
      "restore device-secret from a copy; without it the sealed tokens cannot be opened:"
        + " move the state directory away and sign in again"
    case .unsafeFile(let flaw): flaw.remedy(for: "device-secret")
    }
  }
}
