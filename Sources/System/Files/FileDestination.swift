internal import Glibc

/// The place of a file that is written under a temporary name until it is complete.
package struct FileDestination: Sendable {
  package var directory: String
  package let name: String

  private var temporary: String { Self.temporary(name) }

  /// Names a file in a directory.
  package init(directory: String, name: String) {
    (self.directory, self.name) = (directory, name)
  }

  /// Splits a path into the directory and the name in it; `nil` if it is not the path of a file.
  package init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else { return nil }
    let above = parts.dropLast().joined(separator: "/")
    directory = parts.count == 1 ? "." : above.isEmpty ? "/" : above
    self.name = String(name)
  }

  /// Names the file that a path leads to, also by symbolic links; `nil` if it is not the path of a
  /// file.
  ///
  /// A link itself is named if it leads to no file, or into a directory of another user, or if
  /// another user may have made it.
  package init?(following path: String) {
    guard let named = FileDestination(path) else { return nil }
    guard let directory = Directory.followed(named.directory) else {
      self = named
      return
    }
    let path = "\(directory)/\(named.name)"
    if let target = Directory.followed(path).flatMap({ FileDestination($0) }),
      let status = try? Directory(path: target.directory).descriptor.status(),
      FileOwner(of: status) == .own
    {
      self = target
    } else {
      self.init(directory: directory, name: named.name)
    }
  }

  /// The name of a file until this process has written it.
  package static func temporary(_ name: String) -> String {
    start(ofTemporary: name) + "\(ThisProcess.identifier)"
  }

  private static func start(ofTemporary name: String) -> String { ".\(name.prefix(100))." }

  /// Removes the unfinished files of runs that were killed while they wrote the file.
  ///
  /// The caller holds the lock that each of them takes.
  fileprivate static func removeUnfinished(_ name: String, in directory: borrowing Directory) {
    let start = start(ofTemporary: name)
    for other in (try? directory.names()) ?? [] where other.utf8.starts(with: start.utf8) {
      let rest = other.utf8.dropFirst(start.utf8.count)
      let isNumber = !rest.isEmpty && rest.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber { _ = try? directory.unlink(other) }
    }
  }

  /// Requires that a file can be made in the directory.
  package func demandWritable() throws(SystemError) {
    let folder = try Directory(path: directory)
    try folder.unlink(temporary)
    _ = try folder.create(temporary)
    try folder.unlink(temporary)
  }

  /// Writes a file of mode 0600, and gives it its name at the end.
  ///
  /// - Parameters:
  ///   - replacing: whether it may replace another file.
  ///   - isDurable: whether it outlives a power failure from then on.
  ///   - write: writes the contents.
  /// - Throws: EEXIST if there is a file that may not be replaced.
  package func write(
    replacing: Bool,
    isDurable: Bool,
    _ write: (borrowing Descriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    let folder = try Directory(path: directory)
    let temporary = temporary
    do throws(SystemError) {
      try folder.unlink(temporary)
      let file = try folder.create(temporary)
      try write(file)
      if isDurable { try file.synchronize() }
      if replacing {
        try folder.rename(temporary, to: name)
      } else {
        try folder.rename(temporary, toNew: name)
      }
    } catch {
      _ = try? folder.unlink(temporary)
      throw error
    }
    guard isDurable else { return }
    do throws(SystemError) {
      try folder.synchronize()
    } catch {
      // The replaced file may be gone, so the new file is the only one.
      if !replacing { _ = try? folder.unlink(name) }
      throw error
    }
  }
}

extension Directory {
  /// How long another change of the directory's files may take, in milliseconds.
  package static var longestChange: Int64 { 3000 }

  /// Keeps other changes of the directory's files out until its descriptor closes, if the file
  /// system has locks, and removes what killed runs have left of these files.
  ///
  /// Waits for another change, because what a tool has stored in the vault must reach its file.
  ///
  /// - Parameters:
  ///   - names: the files that will be changed.
  ///   - milliseconds: the longest wait.
  /// - Returns: false if the other change takes longer.
  package func lock(
    changing names: [String],
    within milliseconds: Int64 = longestChange
  ) -> Bool {
    guard let isLocked = try? descriptor.lockExclusively(within: milliseconds) else { return true }
    if isLocked {
      for name in names { FileDestination.removeUnfinished(name, in: self) }
    }
    return isLocked
  }

  /// A path without symbolic links (realpath(3)); `nil` if it leads to nothing.
  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The same; `nil` also if another user may have made a link at the end of the path.
  ///
  /// Such a link could lead root to a file or a directory of its own.
  package static func followed(_ path: String) -> String? {
    guard let place = FileDestination(path), let above = resolved(place.directory),
      let status = try? Directory(path: above).descriptor.status(),
      FileOwner(of: status, at: above).isRootOrOwn, status.mode & 0o002 == 0
    else { return nil }
    return resolved(path)
  }
}
