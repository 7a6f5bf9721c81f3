internal import System

// The facts that an examination of the store needs. Nothing is changed.

extension Store {
  /// The defects that SQLite finds in the database file; empty if there are none (PRAGMA
  /// integrity_check).
  ///
  /// "If the integrity_check pragma finds no problems, a single row with the value 'ok' is
  /// returned."
  package func integrityProblems() throws(StorageError) -> [String] {
    let found = try database.query("PRAGMA integrity_check(10)") {
      columns throws(StorageError) in try columns.text(0)
    }
    return found == ["ok"] ? [] : found
  }
}

extension SlotFile {
  package static func names(in directory: StateDirectory) throws(StorageError) -> [String] {
    try calling { () throws(SystemError) in try directory.slots.names().sorted() }
  }

  /// The file name of an account's slot.
  package static func fileName(of account: [UInt8]) -> String { Hexadecimal.text(account) }
}

extension TokenFiles {
  /// All names in the directory of token files, except the temporary file of a write in progress.
  package static func names(in directory: StateDirectory) throws(StorageError) -> [String] {
    guard let tokens = directory.tokens else { return [] }
    return try calling { () throws(SystemError) in
      try tokens.root.names().filter { $0 != temporaryName }.sorted()
    }
  }

  /// Opens a file and checks it, without reading its content.
  package static func examine(_ name: String, in directory: StateDirectory) throws(StorageError) {
    _ = try directory.tokens?.root.openChecked(name)
  }
}

extension DeviceSecretFile {
  /// Checks the file as the next start will, and throws the error that the start would throw.
  package static func examine(in directory: StateDirectory) throws(StorageError) {
    guard try opened(name, directory) != nil else { throw .deviceSecret(.missing) }
  }
}
