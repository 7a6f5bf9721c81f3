import Glibc
import System

/// A directory of a test's own, gone with its owner.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/thumblatch-system-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template) != nil
    guard made else { throw SystemError("mkdtemp", code: errno) }
    path = template.dropLast().reduce(into: "") { text, character in
      text.unicodeScalars.append(Unicode.Scalar(UInt8(bitPattern: character)))
    }
  }

  deinit {
    let remover = try? ChildProcess(
      path: "/bin/rm",
      arguments: ["-rf", path],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    _ = try? remover?.wait()
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

/// The error number with which a call fails; nil if it succeeds.
func code(_ body: () throws(SystemError) -> Void) -> Int32? {
  do throws(SystemError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}

/// What a program writes to its standard output, and how it ends.
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

/// Whether something comes true within half a minute.
///
/// What is closed here may for a moment still be open in a child that another test has forked and
/// that has not reached its execve(2): a lock, a listener, the other end of a pair.
func eventually(_ isTrue: () throws -> Bool) rethrows -> Bool {
  let deadline = BootInstant.now.advanced(bySeconds: 30)
  while BootInstant.now < deadline {
    if try isTrue() { return true }
    sched_yield()
  }
  return try isTrue()
}
