internal import Glibc
internal import JSON
internal import SecretMemory
internal import System

/// A file of another program that holds logins.
struct ForeignFile {
  /// The most bytes that are read: a file is one secret.
  static let most = SecretBytes.maximumCount
  private static let mostTries = 5

  let path: String
  private let folder: String
  private let name: String
  /// The login of a file that only its program can read, and the file's contents at that time.
  private var opened: (entry: ForeignEntry, contents: SharedSecret)?

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

  /// Keeps the login that oidc-agent has printed, as long as the file has these contents.
  ///
  /// A file that changed later than the output may have another login: then nothing is kept.
  ///
  /// - Throws: if this is not the file of that login.
  mutating func hold(
    _ entry: ForeignEntry,
    in contents: SharedSecret,
    printed: FileStamp
  ) throws(CommandError) {
    guard name == entry.name else {
      throw .usage(
        "\(path) is not the file of \(entry.name)",
        hint: "name its own file: --file PATH"
      )
    }
    let last = bytes(of: contents).split(separator: UInt8(ascii: "\n")).last ?? []
    guard last.starts(with: "Generated using version: ".utf8) else {
      throw .usage("\(path) is not a file of oidc-agent")
    }
    let stamp: FileStamp?
    do { stamp = try directory().stamp(name) } catch {
      throw .usage("\(path) cannot be read: \(error)")
    }
    if let stamp, !stamp.isChanged(after: printed) { opened = (entry, contents) }
  }

  /// The contents in locked memory; `nil` if there is no such file.
  ///
  /// Symbolic links of the file and of its directory are refused. A file of another user, or one
  /// that other users can write, could put that user's login in the place of the person's.
  func contents() throws(CommandError) -> SharedSecret? {
    do {
      let file = try directory().openForReading(name)
      let status = try file.status()
      guard status.kind == .regular else {
        throw CommandError.usage("\(path) is not a regular file")
      }
      guard FileOwner(of: status) == .own, status.mode & 0o022 == 0 else {
        throw CommandError(
          .unsafeVault,
          "\(path) belongs to another user, or other users can write it",
          hint: "a login is moved only from your own file that no other user can write"
        )
      }
      guard status.size < Self.most else {
        throw CommandError.usage("\(path) has more than \(Self.most / 1024) KiB")
      }
      return SharedSecret(try SecretBytes(reading: file, ofSize: Int(status.size)))
    } catch let error as CommandError {
      throw error
    } catch let error as SystemError {
      if error.code == ENOENT { return nil }
      guard error.code != ELOOP else {
        throw .usage("\(path) is a symbolic link", hint: "name the file itself: --file PATH")
      }
      throw .usage("\(path) cannot be read: \(error)")
    } catch {
      throw .usage("\(path) cannot be read: \(error)")
    }
  }

  private func directory() throws -> Directory {
    do throws(SystemError) { return try Directory(path: folder) } catch {
      guard [ENOTDIR, ELOOP].contains(error.code) else { throw error }
      throw CommandError.usage(
        "\(folder) is a symbolic link, or no directory",
        hint: "name the file in the directory itself: --file PATH"
      )
    }
  }

  /// The entries that a program keeps here.
  ///
  /// The tokens of JSON stay in locked memory. Those of gh and git are copied, as those in a tool's
  /// request are.
  func entries(
    of source: ImportSource,
    in contents: SharedSecret
  ) throws(CommandError) -> [ForeignEntry] {
    switch source {
    case .gh: return GitHubHosts.entries(in: bytes(of: contents))
    case .gitCredentialStore: return StoredCredentials.entries(in: bytes(of: contents))
    case .oidcAgent:
      guard let opened, SecretBytes.constantTimeEqual(opened.contents.bytes, contents.bytes) else {
        return []
      }
      return [opened.entry]
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
  ///
  /// - Parameter isForRemoval: whether the file will be written.
  /// - Throws: what would hinder that.
  /// - Returns: the directory.
  func lockedFolder(isForRemoval: Bool) throws(CommandError) -> UserDirectory {
    let folder = try UserDirectory(folder)
    try folder.lock(for: [name])
    if isForRemoval, let contents = try contents() {
      try folder.demandWritable(name, bytes: contents.bytes.count)
    }
    return folder
  }

  /// Whether the file has an entry still.
  func has(_ entry: ForeignEntry, of source: ImportSource) throws(CommandError) -> Bool {
    guard let contents = try contents() else { return false }
    return try entries(of: source, in: contents).contains { $0.isSame(as: entry) }
  }

  /// Removes every occurrence of an entry from the file, completely or not at all.
  ///
  /// A change of the program between reading and writing is not lost: then the file is read again.
  ///
  /// - Returns: false if the file does not have this entry any more: the program has changed it.
  func remove(
    _ entry: ForeignEntry,
    of source: ImportSource,
    in folder: borrowing UserDirectory
  ) throws(CommandError) -> Bool {
    for _ in 0..<Self.mostTries {
      guard let stamp = try folder.stamp(name), let contents = try contents() else { return false }
      let present = try entries(of: source, in: contents).filter { $0.isSame(as: entry) }
      guard !present.isEmpty else { return false }
      if try take(present, from: contents, stamp, in: folder) { return true }
    }
    throw CommandError(
      .busy,
      "\(path) changes all the time",
      hint: "end \(source.title), then repeat this command"
    )
  }

  /// Writes the file without some entries, which are in its order; false if it has changed since.
  private func take(
    _ entries: [ForeignEntry],
    from contents: SharedSecret,
    _ stamp: FileStamp,
    in folder: borrowing UserDirectory
  ) throws(CommandError) -> Bool {
    if case .wholeFile? = entries.first?.removal { return try folder.remove(name, over: stamp) }
    let rest = try remaining(contents) { text throws in
      var rest = try text.copy()
      var cuts: [Range<Int>] = []
      // A later element keeps no place behind an earlier one that is gone.
      for entry in entries.reversed() {
        switch entry.removal {
        case .value(let path):
          rest = try JSONRemoval.text(of: rest, without: path, ToolLogins.rules)
        case .bytes(let ranges): cuts += ranges
        case .wholeFile: break
        }
      }
      cuts.sort { $0.lowerBound > $1.lowerBound }
      for cut in cuts { rest = try rest.without(cut) }
      return rest
    }
    return try folder.write(rest, name, over: stamp)
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
