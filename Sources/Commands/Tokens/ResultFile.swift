internal import Configuration
internal import Glibc
internal import System

/// The destination of `-o`: a file under a temporary name until the result is complete.
///
/// An existing file is replaced completely, or does not change; it is never empty in between. If
/// the destination is not a regular file, such as /dev/null, it is written to directly.
struct ResultFile {
  /// The path as it was given.
  let path: String
  /// `nil` if the file is written to directly.
  private let destination: FileDestination?

  init(_ path: String) throws(CommandError) {
    self.path = path
    var status = stat()
    let exists = unsafe stat(path, &status) == 0
    if exists && status.st_mode & S_IFMT == S_IFDIR { throw .usage("\(path) is a directory") }
    if exists && status.st_mode & S_IFMT != S_IFREG {
      destination = nil
      return
    }
    // If the path is a link, replace the file that it leads to, not the link.
    let whole = exists ? try Self.resolved(path) : path
    guard var destination = FileDestination(whole) else {
      throw .usage("\(whole) is not a file name")
    }
    let directory = destination.directory
    destination.directory = try Self.resolved(directory)
    self.destination = destination
    guard unsafe access(directory, W_OK) == 0 else {
      throw .usage("\(path): \(SystemError("open", code: errno, subject: directory))")
    }
  }

  /// Writes the whole of `contents` there.
  func write(_ contents: borrowing MemoryFile) throws(CommandError) {
    do throws(SystemError) {
      guard let destination else {
        let number = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
        return try copy(contents, to: Descriptor(owning: number))
      }
      try destination.write(replacing: true, isDurable: false) { file throws(SystemError) in
        try copy(contents, to: file)
      }
    } catch {
      throw .usage("\(path) could not be written: \(error)")
    }
  }

  private func copy(
    _ contents: borrowing MemoryFile,
    to file: borrowing Descriptor
  ) throws(SystemError) {
    var failure: SystemError?
    contents.read { bytes in
      guard failure == nil else { return }
      do throws(SystemError) { try file.write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The path without links (realpath(3)).
  private static func resolved(_ path: String) throws(CommandError) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      throw .usage("\(SystemError("open", code: errno, subject: path))")
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
