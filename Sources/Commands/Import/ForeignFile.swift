internal import Glibc
internal import JSON
internal import SecretMemory
internal import System

/// A file of another program that holds logins.
struct ForeignFile {
  /// The most bytes that are read: a file is one secret.
  static let most = SecretBytes.maximumCount

  let path: String
  private let folder: String
  private let name: String

  /// A relative path begins at the working directory.
  init(_ path: String) throws(CommandError) {
    var whole = path
    if !path.hasPrefix("/") {
      guard let here = unsafe realpath(".", nil) else {
        throw .usage("\(SystemError("open", code: errno, subject: path))")
      }
      defer { unsafe free(here) }
      whole = unsafe String(cString: here) + "/" + path
    }
    let parts = whole.split(separator: "/")
    guard let last = parts.last else { throw .usage("\(path) is a directory") }
    self.path = whole
    name = String(last)
    folder = "/" + parts.dropLast().joined(separator: "/")
  }

  /// The contents in locked memory; `nil` if there is no such file.
  ///
  /// Symbolic links of the file and of its directory are refused. A file of another user, or one that
  /// other users can write, could put that user's login in the place of the person's.
  func contents() throws(CommandError) -> SharedSecret? {
    do {
      let file = try Directory(path: folder).openForReading(name)
      let status = try file.status()
      guard status.kind == .regular else {
        throw CommandError.usage("\(path) is not a regular file")
      }
      guard status.owner == ThisProcess.user, status.mode & 0o022 == 0 else {
        throw CommandError(
          .unsafeVault,
          "\(path) is not yours alone to write",
          hint: "a login is moved only from a file that its owner alone can write"
        )
      }
      guard status.size < Self.most else {
        throw CommandError.usage("\(path) has more than \(Self.most / 1024) KiB")
      }
      return SharedSecret(try Self.read(file, status.size))
    } catch let error as CommandError {
      throw error
    } catch let error as SystemError {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      guard error.code != ELOOP else {
        throw .usage("\(path) is a symbolic link", hint: "name the file itself: --file PATH")
      }
      throw .usage("\(path) cannot be read: \(error)")
    } catch {
      throw .usage("\(path) cannot be read: \(error)")
    }
  }

  private static func read(_ file: borrowing Descriptor, _ size: Int64) throws -> SecretBytes {
    // Locked memory may be scarce: allocate only what the file needs.
    unsafe try SecretBytes(capacity: Int(size) + 1) { room in
      var count = 0
      while count < room.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let got = unsafe try file.read(into: rest)
        if got == 0 { return count }
        count += got
      }
      // The file grows while it is read.
      throw SystemError("read", code: EFBIG)
    }
  }

  /// The entries that a program keeps here.
  func entries(
    of source: ImportSource,
    in contents: SharedSecret
  ) throws(CommandError) -> [ForeignEntry] {
    switch source {
    case .gh: return GitHubHosts.entries(in: bytes(of: contents))
    case .gitCredentialStore: return StoredCredentials.entries(in: bytes(of: contents))
    default: break
    }
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONReader.read(contents.bytes, ToolLogins.rules)
    } catch {
      throw .usage("\(path) cannot be read: \(error)")
    }
    return ToolLogins(source: source, document: document).entries
  }

  private func bytes(of contents: SharedSecret) -> [UInt8] {
    unsafe contents.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Its directory, in which no other user may write, locked against other runs of this program.
  func lockedFolder() throws(CommandError) -> UserDirectory {
    let folder = try UserDirectory(folder)
    try folder.lock()
    return folder
  }

  /// Takes an entry out of the file, whole or not at all.
  ///
  /// - Returns: false if the file does not have this entry any more: the program has changed it.
  func remove(
    _ entry: ForeignEntry,
    of source: ImportSource,
    in folder: borrowing UserDirectory
  ) throws(CommandError) -> Bool {
    guard let contents = try contents(),
      let present = try entries(of: source, in: contents).first(where: { $0.isSame(as: entry) })
    else { return false }
    switch present.removal {
    case .wholeFile: try folder.remove(name)
    case .value(let path):
      let rest = try remaining(contents) { text throws in
        try JSONRemoval.text(of: text, without: path, ToolLogins.rules)
      }
      try folder.write(rest, name)
    case .bytes(let ranges):
      let rest = try remaining(contents) { text throws in
        var rest = try text.copy()
        for range in ranges.reversed() { rest = try rest.without(range) }
        return rest
      }
      try folder.write(rest, name)
    }
    return true
  }

  private func remaining(
    _ contents: SharedSecret,
    _ cut: (borrowing SecretBytes) throws -> SecretBytes
  ) throws(CommandError) -> SecretBytes {
    do { return try cut(contents.bytes) } catch {
      throw .usage("\(path) cannot be changed: \(error)")
    }
  }
}
