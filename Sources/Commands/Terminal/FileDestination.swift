internal import System

/// The place of a file that is written under a temporary name until it is complete.
struct FileDestination {
  var directory: String
  let name: String

  private var temporary: String { ".\(name.prefix(100)).\(ThisProcess.identifier)" }

  /// Splits a path into the directory and the name in it.
  init(_ path: String) throws(CommandError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else {
      throw .usage("\(path) is not a file name")
    }
    let above = parts.dropLast().joined(separator: "/")
    directory = parts.count == 1 ? "." : above.isEmpty ? "/" : above
    self.name = String(name)
  }

  /// Writes a file of mode 0600, and gives it its name at the end.
  ///
  /// - Parameters:
  ///   - replacing: whether it may take the place of another file.
  ///   - isDurable: whether it outlives a power failure from then on.
  ///   - write: writes the contents.
  /// - Throws: EEXIST if there is a file that may not be replaced.
  func write(
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
      // What was replaced may be gone, so the new file is the only one.
      if !replacing { _ = try? folder.unlink(name) }
      throw error
    }
  }
}
