internal import Glibc

/// The meaning of error numbers about files, for rooms that do not know the numbers.
extension SystemError {
  /// The name does not exist (ENOENT).
  public var isMissing: Bool { code == ENOENT }
  /// The name exists already (EEXIST).
  package var isPresent: Bool { code == EEXIST }
  /// The file cannot have one more hard link: the file system has none, or the kernel refuses one
  /// to a file of another user (EPERM, EOPNOTSUPP, ENOSYS, EMLINK; link(2)).
  package var isLinkRefused: Bool {
    code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK
  }
  /// Only the owner of the file or root can do this (EPERM, EACCES).
  package var isForbidden: Bool { code == EPERM || code == EACCES }
  /// Another socket has the address (EADDRINUSE).
  package var isAddressTaken: Bool { code == EADDRINUSE }
  /// Whether a datagram is longer than its socket takes.
  package var isTooLong: Bool { code == EMSGSIZE }

  /// No room: the file system, the quota, or the process's file size limit is exhausted (ENOSPC,
  /// EDQUOT, EFBIG).
  public var isFull: Bool { Self.isFull(code) }

  /// Whether an error number means that there is no room.
  public static func isFull(_ code: Int32) -> Bool {
    code == ENOSPC || code == EDQUOT || code == EFBIG
  }

  /// A temporary shortage of descriptors or memory (EMFILE, ENFILE, ENOMEM, ENOBUFS).
  public var isShortage: Bool {
    code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOBUFS
  }

  /// The path holds a symbolic link where none is allowed (ELOOP; openat2(2), RESOLVE_NO_SYMLINKS).
  public var isSymbolicLink: Bool { code == ELOOP }

  /// A directory, socket or device instead of the expected type of file (ENOTDIR, EISDIR, ENXIO).
  public var isWrongType: Bool { code == ENOTDIR || code == EISDIR || code == ENXIO }
}
