internal import Glibc

/// What an error number says about a file, for rooms that do not know the numbers.
extension SystemError {
  /// The name does not exist (ENOENT).
  public var isMissing: Bool { code == ENOENT }

  /// No room: the file system, the quota, or the process's limit on a file's size is reached
  /// (ENOSPC, EDQUOT, EFBIG).
  public var isFull: Bool { Self.isFull(code) }

  /// Whether an error number means that there is no room.
  public static func isFull(_ code: Int32) -> Bool {
    code == ENOSPC || code == EDQUOT || code == EFBIG
  }

  /// Descriptors or memory have run out, which passes (EMFILE, ENFILE, ENOMEM, ENOBUFS).
  public var isShortage: Bool {
    code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOBUFS
  }

  /// A symbolic link stood where none may be (ELOOP; openat2(2), RESOLVE_NO_SYMLINKS).
  public var isSymbolicLink: Bool { code == ELOOP }

  /// A directory, socket or device stood where another type of file was expected
  /// (ENOTDIR, EISDIR, ENXIO).
  public var isWrongType: Bool { code == ENOTDIR || code == EISDIR || code == ENXIO }
}
