internal import Glibc
internal import System

/// A settings file of another tool, with a backup of the file before the first change.
struct SettingsFile {
  private static let suffix = ".before-thumblatch"
  private static let longest = 64 << 20

  /// The path as the tool knows it.
  let path: String
  private let directory: String
  private let name: String

  /// The path of the file before the first change.
  var backup: String { "\(directory)/\(name)\(Self.suffix)" }

  /// A link is followed, so that the file stays where the user keeps it.
  init(_ path: String) {
    self.path = path
    var whole = path
    if let resolved = unsafe realpath(path, nil) {
      whole = unsafe String(cString: resolved)
      unsafe free(resolved)
    }
    let slash = whole.lastIndex(of: "/") ?? whole.startIndex
    directory = String(whole[..<slash])
    name = String(whole[whole.index(after: slash)...])
  }

  /// Whether the tool has been used: it makes the file, or a directory for it.
  var isUsed: Bool {
    let folder = directory.split(separator: "/").last ?? ""
    return unsafe access(folder.hasPrefix(".") ? directory : path, F_OK) == 0
  }

  /// The bytes of the file; `nil` if it is missing.
  func read() throws(CommandError) -> [UInt8]? { try contents(name) }

  /// The bytes of the file before the first change; `nil` if there was none, or no change.
  func readBackup() throws(CommandError) -> [UInt8]? { try contents(name + Self.suffix) }

  /// Replaces the file.
  ///
  /// With `keepsBackup` the file before becomes the backup, unless there was none.
  ///
  /// - Returns: whether there is a backup.
  func write(_ bytes: [UInt8], keepsBackup: Bool) throws(CommandError) -> Bool {
    let directory = try UserDirectory(directory)
    try directory.lock()
    if keepsBackup, let before = try read() { try directory.write(before, name + Self.suffix) }
    try directory.write(bytes, name)
    return try readBackup() != nil
  }

  /// Takes a change back: `nil` removes the file.
  ///
  /// The backup goes if the file is again what it was.
  ///
  /// - Returns: whether a backup is left.
  func restore(_ bytes: [UInt8]?) throws(CommandError) -> Bool {
    let directory = try UserDirectory(directory)
    try directory.lock()
    if let bytes { try directory.write(bytes, name) } else { try directory.remove(name) }
    let before = try readBackup()
    if before == bytes { try directory.remove(name + Self.suffix) }
    return before != nil && before != bytes
  }

  private func contents(_ name: String) throws(CommandError) -> [UInt8]? {
    do throws(SystemError) {
      let file = try Directory(path: directory).openForReading(name)
      return try file.readAll(limit: Self.longest)
    } catch {
      guard error.code != ENOENT else { return nil }
      throw .usage("\(path) cannot be read: \(error)")
    }
  }
}
