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

  deinit {
    directory.descriptor.unlock()
  }

  private static func open(_ path: String) throws(CommandError) -> Directory {
    do {
      let directory = try Directory.make(path: path)
      let status = try directory.descriptor.status()
      guard FileOwner(of: status) == .own else {
        throw CommandError(
          .unsafeVault,
          "\(path) belongs to user \(status.owner)",
          hint: "find out who wrote to it; then, as root: chown \(ThisProcess.user) \(path)"
        )
      }
      // A user that can write here chooses the servers that get passwords and tokens.
      guard status.mode & 0o022 == 0 else {
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

  /// Keeps other changes of this directory's files out until this value ends, if the file system
  /// has locks.
  ///
  /// - Parameters:
  ///   - names: the files that will be changed. Unfinished copies from killed runs are removed.
  ///   - milliseconds: how long to wait for another change.
  /// - Throws: `busy` after that.
  func lock(
    for names: [String],
    within milliseconds: Int64 = Directory.longestChange
  ) throws(CommandError) {
    guard directory.lock(changing: names, within: milliseconds) else {
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

  /// Identifies a file among its successors, and among its own changes; `nil` if it does not exist.
  func stamp(_ name: String) throws(CommandError) -> FileStamp? {
    do throws(SystemError) { return try directory.stamp(name) } catch {
      throw .usage("\(path)/\(name) cannot be read: \(error)")
    }
  }

  /// Writes a file in the place of the one with this stamp, 0600, whole or not at all.
  ///
  /// - Returns: false if that has changed since.
  func write(
    _ contents: borrowing SecretBytes,
    _ name: String,
    over former: FileStamp
  ) throws(CommandError) -> Bool {
    try replace(name, over: former) { file throws(SystemError) in
      unsafe try contents.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try file.write(bytes)
      }
    }
  }

  /// Removes the file with this stamp.
  ///
  /// - Returns: false if it has changed since.
  func remove(_ name: String, over former: FileStamp) throws(CommandError) -> Bool {
    guard try stamp(name) == former else { return false }
    try remove(name)
    return true
  }

  /// Refuses a directory in which no file of this many bytes can be written.
  func demandWritable(_ name: String, bytes count: Int) throws(CommandError) {
    let temporary = FileDestination.temporary(name)
    do throws(SystemError) {
      try directory.unlink(temporary)
      let file = try directory.create(temporary)
      try file.write([UInt8](repeating: 0, count: count))
      try file.synchronize()
      try directory.unlink(temporary)
    } catch {
      _ = try? directory.unlink(temporary)
      throw .usage("\(path)/\(name) could not be written: \(error)")
    }
  }

  /// Removes a file durably; it need not be there.
  func remove(_ name: String) throws(CommandError) {
    do throws(SystemError) {
      // After a crash, a login that was moved would be in the file again.
      if try directory.unlink(name) { try directory.synchronize() }
    } catch {
      throw .usage("\(path)/\(name) could not be removed: \(error)")
    }
  }

  /// The bytes of a file without secrets, of 1 MiB at most; `nil` if it cannot be read.
  func bytes(_ name: String) -> [UInt8]? {
    try? directory.openForReading(name).readAll(limit: 1 << 20)
  }

  /// Whether two names are of one file, or of files with the same contents.
  func isSame(_ name: String, _ other: String) throws(CommandError) -> Bool {
    guard let first = try stamp(name), let second = try stamp(other) else { return false }
    if first == second { return true }
    guard let bytes = bytes(name) else { return false }
    return bytes == self.bytes(other)
  }

  /// Gives a file an additional name; a file that has this name is never replaced.
  ///
  /// A file system without hard links gets a copy (0600). Otherwise the file keeps its mode.
  func keep(_ name: String, as kept: String) throws(CommandError) {
    do throws(SystemError) {
      return try directory.link(name, as: kept)
    } catch {
      if error.isLinkRefused { return try copy(name, as: kept) }
      guard error.isPresent else {
        throw .usage("\(path)/\(name) could not be kept: \(error)")
      }
    }
    // The last run may have ended right after the link.
    try demandFree(kept, for: name)
  }

  /// Refuses a name that another file has than the one that is to be kept by it.
  func demandFree(_ kept: String, for name: String) throws(CommandError) {
    guard try stamp(kept) != nil else { return }
    guard try isSame(name, kept) else {
      throw .usage(
        "\(path)/\(kept) is your earlier file, and is not overwritten",
        hint: "move it to another directory, and try again"
      )
    }
  }

  /// Copies a file without secrets, 0600, to a name that no file has yet.
  func copy(_ name: String, as kept: String) throws(CommandError) {
    guard let bytes = bytes(name) else {
      throw .usage("\(path)/\(name) could not be kept: it cannot be copied")
    }
    var isMade = false
    do throws(SystemError) {
      let file = try directory.create(kept)
      isMade = true
      try file.write(bytes)
      try file.synchronize()
    } catch {
      if isMade { _ = try? directory.unlink(kept) }
      guard !isMade, error.isPresent else {
        throw .usage("\(path)/\(name) could not be kept: \(error)")
      }
      try demandFree(kept, for: name)
    }
  }

  /// Puts the file that was kept in the place of the one with this name.
  func putBack(_ name: String, from kept: String) throws(CommandError) {
    do throws(SystemError) {
      try directory.rename(kept, to: name)
      // rename(2) does nothing if both are the same file.
      try directory.unlink(kept)
      try directory.synchronize()
    } catch {
      throw .usage("\(path)/\(name) could not be put back: \(error)")
    }
  }

  /// - Returns: false if the file with the stamp `former` has changed since.
  @discardableResult
  private func replace(
    _ name: String,
    over former: FileStamp? = nil,
    _ body: (borrowing Descriptor) throws(SystemError) -> Void
  ) throws(CommandError) -> Bool {
    let temporary = FileDestination.temporary(name)
    do {
      try directory.unlink(temporary)
      let file = try directory.create(temporary)
      try body(file)
      try file.synchronize()
      if let former, try directory.stamp(name) != former {
        try directory.unlink(temporary)
        return false
      }
      try directory.rename(temporary, to: name)
      try directory.synchronize()
      return true
    } catch {
      _ = try? directory.unlink(temporary)
      throw .usage("\(path)/\(name) could not be written: \(error)")
    }
  }
}
