internal import SecretMemory
internal import System

/// A directory of the user's configuration, in which no other user may write.
struct UserDirectory: ~Copyable {
  private let path: String
  private let directory: Directory

  /// Opens the directory, and makes it first if it is missing.
  init(_ path: String) throws(CommandError) {
    self.path = path
    directory = try Self.open(path)
  }

  private static func open(_ path: String) throws(CommandError) -> Directory {
    do {
      let directory = try Directory.make(path: path)
      let status = try directory.descriptor.status()
      // A user that can write here chooses the servers that get passwords and tokens.
      guard status.owner == ThisProcess.user, status.mode & 0o022 == 0 else {
        throw CommandError(
          .unsafeVault,
          "other users can write to \(path)",
          hint: "chmod 700 \(path)"
        )
      }
      return directory
    } catch let error as CommandError {
      throw error
    } catch {
      throw .usage("\(path) cannot be made: \(error)")
    }
  }

  /// Keeps other changes of this directory's files out until this value ends, if the file system has
  /// locks.
  func lock() throws(CommandError) {
    guard (try? directory.descriptor.lockExclusively()) ?? true else {
      throw CommandError(.busy, "another program changes files in \(path)", hint: "try again")
    }
  }

  /// Writes a file, 0600, whole or not at all.
  func write(_ contents: borrowing SecretBytes, _ name: String) throws(CommandError) {
    try replace(name) { file throws(SystemError) in
      unsafe try contents.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try file.write(bytes)
      }
    }
  }

  /// Writes a file without secrets, 0600, whole or not at all.
  func write(_ bytes: [UInt8], _ name: String) throws(CommandError) {
    try replace(name) { file throws(SystemError) in try file.write(bytes) }
  }

  /// Removes a file; it need not be there.
  func remove(_ name: String) throws(CommandError) {
    do throws(SystemError) { try directory.unlink(name) } catch {
      throw .usage("\(path)/\(name) could not be removed: \(error)")
    }
  }

  private func replace(
    _ name: String,
    _ body: (borrowing Descriptor) throws(SystemError) -> Void
  ) throws(CommandError) {
    let temporary = ".\(name).\(ThisProcess.identifier)"
    do {
      try directory.unlink(temporary)
      let file = try directory.create(temporary)
      try body(file)
      try file.synchronize()
      try directory.rename(temporary, to: name)
      try directory.synchronize()
    } catch {
      _ = try? directory.unlink(temporary)
      throw .usage("\(path)/\(name) could not be written: \(error)")
    }
  }
}
