internal import BackupFormat
internal import Glibc
internal import System

/// A backup file, which is written whole or not at all.
package struct BackupFile: Sendable {
  private let path: String
  private let destination: FileDestination
  private let replaces: Bool

  /// Checks that the file can be written, before a person types anything.
  package init(new path: String, replacing: Bool) throws(BackupFileError) {
    guard let destination = FileDestination(path) else { throw .noFileName(path: path) }
    self.path = path
    self.destination = destination
    replaces = replacing
    var kind = FileKind.regular
    do throws(SystemError) {
      let folder = try Directory(path: destination.directory)
      if try folder.contains(destination.name) {
        guard replacing else { throw SystemError("open", code: EEXIST, subject: path) }
        kind = try folder.openForReading(destination.name).status().kind
      }
      if kind == .regular { try destination.demandWritable() }
    } catch {
      throw BackupFileError(writing: path, error)
    }
    guard kind == .regular else { throw .notRegular(path: path) }
  }

  /// Writes the file with mode 0600, and makes it durable.
  package func write(_ bytes: [UInt8]) throws(BackupFileError) {
    do throws(SystemError) {
      try destination.write(replacing: replaces, isDurable: true) { file throws(SystemError) in
        try file.write(bytes)
      }
    } catch {
      throw BackupFileError(writing: path, error)
    }
  }

  /// Reads a backup.
  package static func read(_ path: String) throws(BackupFileError) -> [UInt8] {
    // O_NONBLOCK: a FIFO in this place must not block the program.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard number >= 0 else { throw .unopened(SystemError("open", code: errno, subject: path)) }
    let file = Descriptor(owning: number)
    do throws(SystemError) {
      if try file.status().kind == .regular {
        return try file.readAll(limit: BackupHeader.mostFile)
      }
    } catch {
      guard error.code != EFBIG else { throw .tooLarge(path: path) }
      throw .unread(path: path, error)
    }
    throw .notRegular(path: path)
  }
}
