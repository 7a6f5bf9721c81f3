internal import BackupFormat
internal import Glibc
internal import System

/// A backup file, which is written whole or not at all.
struct BackupFile {
  private let path: String
  private let destination: FileDestination
  private let replaces: Bool

  /// Checks that the file can be written, before a person types anything.
  init(new path: String, replacing: Bool) throws(CommandError) {
    self.path = path
    destination = try FileDestination(path)
    replaces = replacing
    do {
      let folder = try Directory(path: destination.directory)
      guard try folder.contains(destination.name) else { return }
      guard replacing else { throw existing }
      guard try folder.openForReading(destination.name).status().kind == .regular else {
        throw CommandError.usage("\(path) is not a regular file")
      }
    } catch let error as CommandError {
      throw error
    } catch {
      throw unwritten(error)
    }
  }

  /// Writes the file with mode 0600, and makes it durable.
  func write(_ bytes: [UInt8]) throws(CommandError) {
    do throws(SystemError) {
      try destination.write(replacing: replaces, isDurable: true) { file throws(SystemError) in
        try file.write(bytes)
      }
    } catch {
      throw error.code == EEXIST ? existing : unwritten(error)
    }
  }

  private var existing: CommandError {
    .usage("\(path) exists already", hint: "take another name, or --force to replace it")
  }

  private func unwritten(_ error: any Error) -> CommandError {
    .usage("\(path) could not be written: \(error)")
  }

  /// Reads a backup.
  static func read(_ path: String) throws(CommandError) -> [UInt8] {
    // O_NONBLOCK: a FIFO in this place must not block the program.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard number >= 0 else { throw .usage("\(SystemError("open", code: errno, subject: path))") }
    let file = Descriptor(owning: number)
    do throws(SystemError) {
      if try file.status().kind == .regular {
        return try file.readAll(limit: BackupHeader.mostFile)
      }
    } catch {
      guard error.code != EFBIG else {
        throw .usage("a backup has at most \(BackupHeader.mostFile >> 20) MiB: \(path) has more")
      }
      throw .usage("\(path) could not be read: \(error)")
    }
    throw .usage("\(path) is not a regular file")
  }
}
