internal import Glibc
public import System

/// A directory of one test, for its user only, removed with its owner and all contents.
///
/// Its path is short, because a socket's path has at most 107 bytes.
public final class ScratchDirectory: Sendable {
  /// The path, such as `/tmp/tl-a1B2c3`.
  public let path: String

  /// Makes a directory (mkdtemp(3)).
  public init() throws(SystemError) {
    path = try makeTemporaryDirectory()
  }

  deinit { removeTemporaryDirectory(path) }

  /// The directory, opened.
  package func open() throws(SystemError) -> Directory { try Directory(path: path) }
}

/// A new directory under TMPDIR or /tmp with a short name, 0700 (mkdtemp(3)).
public func makeTemporaryDirectory() throws(SystemError) -> String {
  var template = Array((runDirectory() + "/tl-XXXXXX").utf8CString)
  guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
  return template.dropLast().map { String(UnicodeScalar(UInt8(bitPattern: $0))) }.joined()
}

/// TMPDIR or /tmp: where the files of this run lie.
func runDirectory() -> String {
  unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
}

/// Removes a directory of `makeTemporaryDirectory` with all contents, whatever a test did to it.
public func removeTemporaryDirectory(_ path: String) {
  // MNT_DETACH. Fails if the test mounted nothing.
  _ = unsafe umount2(path, 2)
  removeTree(path)
}

/// Removes the file or directory at a path, without following links.
private func removeTree(_ path: String) {
  if unsafe unlink(path) == 0 || errno == ENOENT { return }
  unsafe chmod(path, 0o700)
  if let directory = try? Directory(path: path), let names = try? directory.names() {
    for name in names { removeTree(path + "/" + name) }
  }
  unsafe rmdir(path)
}
