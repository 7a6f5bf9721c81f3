internal import System

/// Opening a file and judging it by its descriptor, so that what was checked is what is used.
///
/// A check by name, followed by an open, would let someone swap the file in between.
extension Directory {
  /// Opens an existing file that only this user can have made.
  ///
  /// - Returns: nil if there is no such name.
  /// - Throws: `unsafeFile` for a link, a FIFO (which is not waited for), a file of someone else,
  ///   one that others may read, or one with a second name.
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

  /// Makes a file that must not exist, in place of the leavings of a write that was cut short.
  func createTemporary(_ name: String) throws(StorageError) -> Descriptor {
    try calling { () throws(SystemError) in
      try unlink(name)
      return try create(name)
    }
  }

  /// Writes a whole file under a temporary name and puts it in place of `name` at once.
  ///
  /// With `durable`, the bytes are on the disk before the name leads to them, and the name is
  /// before this returns. On failure the old file stands, and nothing of the new one is left. Without it,
  /// there may be no file for a moment, and after a failure.
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
        // ext4(5), auto_da_alloc: a name that replaces another one waits for the disk.
        try unlink(name)
      }
      try rename(temporary, to: name)
    } catch {
      file.wipe(count: bytes.count)
      _ = try? unlink(temporary)
      throw StorageError(error)
    }
    guard durable else { return }
    // The new file stands in place of the old one; which of them a crash leaves is not known.
    do throws(SystemError) { try synchronize() } catch { throw .uncertain("\(error)") }
  }
}

extension Descriptor {
  /// Demands a regular file of this user, mode 0600, with one name.
  func demandPrivateFile(_ name: String) throws(StorageError) {
    let status = try calling { () throws(SystemError) in try self.status() }
    if let flaw = status.flaw(kind: .regular, mode: 0o600, mask: 0o7777) {
      throw .unsafeFile(name, flaw)
    }
    // A second name may lie in a directory that others read, or have been made by someone who
    // wants this file kept after it was removed here. (No call tells whether a name was removed
    // since the file was opened by it. The directory is 0700: only this user could do that, and
    // he can write to all of his files without it.)
    guard status.links == 1 else { throw .unsafeFile(name, .wrongLinks(status.links)) }
  }

  /// Overwrites what was written, as far as that can be done; for files that are given up.
  func wipe(count: Int) {
    let zeros = [UInt8](repeating: 0, count: count)
    unsafe zeros.withUnsafeBytes { buffer in _ = unsafe try? self.write(buffer, at: 0) }
  }
}

extension FileStatus {
  /// What keeps it from being a private file or directory; nil if nothing does.
  func flaw(kind: FileKind, mode: UInt32, mask: UInt32) -> FileFlaw? {
    guard self.kind == kind else { return .wrongType }
    guard owner == ThisProcess.user else { return .wrongOwner(owner) }
    guard self.mode & mask == mode else { return .wrongMode(self.mode) }
    return nil
  }
}
