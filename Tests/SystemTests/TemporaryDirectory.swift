import Glibc
import System
import TestSupport

/// A directory of one test, removed with its owner.
final class TemporaryDirectory: Sendable {
  private let scratch: ScratchDirectory
  var path: String { scratch.path }

  init() throws {
    scratch = try ScratchDirectory()
  }

  func open() throws(SystemError) -> Directory { try Directory(path: path) }

  /// Makes a file with these contents.
  func write(_ name: String, _ text: String = "") throws(SystemError) {
    try open().create(name).write(text)
  }

  /// Makes a symbolic link.
  func link(_ name: String, to target: String) {
    _ = unsafe symlink(target, "\(path)/\(name)")
  }
}

/// The error number with which a call fails, or `nil` if it succeeds.
func code(_ body: () throws(SystemError) -> Void) -> Int32? {
  do throws(SystemError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}

/// The standard output of a program, and its exit status.
func output(
  of path: String,
  _ arguments: [String] = [],
  environment: [String] = [],
  beyond descriptors: [Int32] = [],
  newSession: Bool = false
) throws(SystemError) -> (text: String, end: ProcessEnd) {
  let (mine, its) = try UnixSocket.pair()
  let reading = Descriptor(owning: mine)
  let writing = Descriptor(owning: its)
  let child = try ChildProcess(
    path: path,
    arguments: arguments,
    environment: environment,
    descriptors: [-1, writing.number, -1] + descriptors,
    newSession: newSession
  )
  _ = consume writing
  let text = String(decoding: try reading.readAll(limit: 1 << 20), as: UTF8.self)
  return (text, try child.wait())
}
