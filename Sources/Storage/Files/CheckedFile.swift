internal import System

/// Opens a file and checks it by its descriptor, so that the checked file is the used file.
///
/// A check by name before the open would let an attacker swap the file in between.
extension Directory {
  /// Opens an existing file that only this user can have made.
  ///
  /// - Returns: `nil` if the name does not exist.
  /// - Throws: `unsafeFile` for a symbolic link, a FIFO (which is never waited for), a file of
  ///   another user, a file that other users may read, or a file with a second hard link.
  func openChecked(_ name: String, writing: Bool = false) throws(StorageError) -> Descriptor? {
    let file = try calling(about: name) { () throws(SystemError) -> Descriptor? in
      do throws(SystemError) {
        return try writing ? openForWriting(name) : openForReading(name)
      } catch {
        guard error.isMissing else { throw error }
        return nil
      }
    }
    guard let file else { return nil }
    try file.demandPrivateFile(name)
    return file
  }

  /// Creates a file that must not exist, and removes the leftover of an interrupted write first.
  func createTemporary(_ name: String) throws(StorageError) -> Descriptor {
    try calling { () throws(SystemError) in
      try unlink(name)
      return try create(name)
    }
  }

  /// Writes a whole file under a temporary name and renames it to `name`.
  ///
  /// With `durable`, the bytes are on the disk before the rename, and the rename is on the disk
  /// before this returns. On failure the old file remains, and the new one is removed. Without
  /// `durable`, there may be no file for a moment and after a failure.
  func replace(
    _ name: String,
    with bytes: [UInt8],
    by temporary: String,
    durable: Bool
  ) throws(StorageError) {
    let file = try createTemporary(temporary)
    do throws(SystemError) {
      try file.write(bytes)
      if durable {
        try file.synchronize()
      } else {
        // ext4(5), auto_da_alloc: a rename over an existing file waits for the disk.
        try unlink(name)
      }
      try rename(temporary, to: name)
    } catch {
      file.wipe(count: bytes.count)
      _ = try? unlink(temporary)
      throw StorageError(error)
    }
    guard durable else { return }
    // The rename is done in memory. After a crash the disk may hold either file.
    do throws(SystemError) { try synchronize() } catch { throw .uncertain("\(error)") }
  }
}

extension Descriptor {
  /// Checks for a regular file of this user, mode 0600, with one hard link.
  func demandPrivateFile(_ name: String) throws(StorageError) {
    let status = try calling { () throws(SystemError) in try self.status() }
    if let flaw = status.flaw(kind: .regular, mode: 0o600, mask: 0o7777) {
      throw .unsafeFile(name, flaw)
    }
    // A second name may be in a directory that other users read. An attacker may also have made it
    // to keep this file after its removal here. (No call tells whether a name was removed since the
    // open. The directory is 0700, so only this user could do that, and this user can write to all
    // of its own files anyway.)
    guard status.links == 1 else { throw .unsafeFile(name, .wrongLinks(status.links)) }
  }

  /// Overwrites the written bytes as far as possible, in a file that is given up.
  func wipe(count: Int) {
    try? write([UInt8](repeating: 0, count: count), at: 0)
  }
}

extension FileStatus {
  /// The property that makes it not a private file or directory; `nil` if there is none.
  func flaw(kind: FileKind, mode: UInt32, mask: UInt32) -> FileFlaw? {
    guard self.kind == kind else { return .wrongType }
    guard owner == ThisProcess.user else { return .wrongOwner(owner) }
    guard self.mode & mask == mode else { return .wrongMode(self.mode) }
    return nil
  }
}
