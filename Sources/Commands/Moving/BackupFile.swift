internal import BackupFormat
internal import Glibc
internal import System

/// A backup file, which is written whole or not at all.
struct BackupFile {
  private let path: String
  private let directory: String
  private let name: String
  private let replaces: Bool

  /// Checks that the file can be written, before a person types anything.
  init(new path: String, replacing: Bool) throws(CommandError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else {
      throw .usage("\(path) is not a file name")
    }
    let above = parts.dropLast().joined(separator: "/")
    self.path = path
    self.name = String(name)
    directory = parts.count == 1 ? "." : above.isEmpty ? "/" : above
    replaces = replacing
    do {
      let folder = try Directory(path: directory)
      guard try folder.contains(self.name) else { return }
      guard replacing else { throw existing }
      guard try folder.openForReading(self.name).status().kind == .regular else {
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
    let temporary = ".\(name.prefix(100)).\(ThisProcess.identifier)"
    do {
      let folder = try Directory(path: directory)
      try folder.unlink(temporary)
      do {
        let file = try folder.create(temporary)
        try file.write(bytes)
        try file.synchronize()
        if replaces {
          try folder.rename(temporary, to: name)
        } else {
          try folder.rename(temporary, toNew: name)
        }
        try folder.synchronize()
      } catch {
        _ = try? folder.unlink(temporary)
        throw error
      }
    } catch {
      if (error as? SystemError)?.code == EEXIST { throw existing }
      throw unwritten(error)
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
