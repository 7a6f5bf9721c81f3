internal import CLinux
internal import Glibc

/// An open directory, which opens files by name without following links.
package struct Directory: ~Copyable, Sendable {
  /// The directory's own descriptor; it carries the state lock.
  package let descriptor: Descriptor

  package init(owning descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Opens a directory by path; the last component must not be a symbolic link.
  package init(path: String) throws(SystemError) {
    let number = unsafe clinux_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    descriptor = Descriptor(owning: Int32(try check(Int(number), "open", subject: path)))
  }

  /// Opens a directory inside this one; with `create`, makes it first (mode 0700) if it is missing.
  package func openDirectory(_ name: String, create: Bool = false) throws(SystemError) -> Directory
  {
    if create, unsafe mkdirat(descriptor.number, name, 0o700) != 0, errno != EEXIST {
      throw SystemError("mkdirat", code: errno, subject: name)
    }
    return Directory(owning: try open(name, flags: O_RDONLY | O_DIRECTORY))
  }

  /// Makes a directory and its missing parents (mode 0700), and opens it.
  ///
  /// - Throws: EINVAL for a relative path: it would depend on the working directory, which differs
  ///   between an engine and its client. If a parent could not be made, the error of the first such
  ///   parent.
  package static func make(path: String) throws(SystemError) -> Directory {
    guard path.hasPrefix("/") else { throw SystemError("mkdir", code: EINVAL, subject: path) }
    var at = ""
    // mkdir fails with EACCES or EROFS for a parent that exists, too. If a later part is missing,
    // this error is the reason.
    var refusal: SystemError?
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      at += "/" + part
      guard unsafe mkdir(at, 0o700) != 0, errno != EEXIST else { continue }
      let error = SystemError("mkdir", code: errno, subject: at)
      guard error.code == EACCES || error.code == EROFS else {
        throw error.isMissing ? refusal ?? error : error
      }
      refusal = error
    }
    do throws(SystemError) { return try Directory(path: path) } catch {
      throw error.isMissing ? refusal ?? error : error
    }
  }

  /// Opens a file for reading, without following links and without waiting for a FIFO's writer.
  package func openForReading(_ name: String) throws(SystemError) -> Descriptor {
    try open(name, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }

  /// Opens an existing file for reading and writing, without following links.
  package func openForWriting(_ name: String) throws(SystemError) -> Descriptor {
    try open(name, flags: O_RDWR | O_NONBLOCK | O_NOCTTY)
  }

  /// Makes a file that must not exist yet (mode 0600), open for reading and writing.
  package func create(_ name: String) throws(SystemError) -> Descriptor {
    try open(name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
  }

  /// Opens a file for writing and closes it, which `DirectoryEvents` reports.
  ///
  /// It is made if it is missing (mode 0600).
  package func touch(_ name: String) throws(SystemError) {
    let file = try open(name, flags: O_WRONLY | O_CREAT | O_NONBLOCK, mode: 0o600)
    _ = consume file
  }

  /// Whether a name exists, of any type; a dangling link counts.
  package func contains(_ name: String) throws(SystemError) -> Bool {
    try status(of: name) != nil
  }

  /// The status of a name, of any type; `nil` if it does not exist (fstatat(2)).
  private func status(of name: String) throws(SystemError) -> stat? {
    var status = stat()
    if unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
    guard errno == ENOENT else { throw SystemError("fstatat", code: errno, subject: name) }
    return nil
  }

  /// Whether a file was read since it was last written; false if it does not exist, or if the file
  /// system does not record reads (mount(8), `noatime`).
  ///
  /// mount(8), `relatime`: "Access time is only updated if the previous access time was earlier
  /// than or equal to the current modify or change time", so the first read shows.
  package func wasRead(_ name: String) throws(SystemError) -> Bool {
    guard let status = try status(of: name) else { return false }
    let (read, written) = (status.st_atim, status.st_mtim)
    return (read.tv_sec, read.tv_nsec) > (written.tv_sec, written.tv_nsec)
  }

  /// When a file's bytes or a directory's names were last changed (stat(3type), `st_mtim`); `nil`
  /// if it does not exist.
  package func lastChange(_ name: String) throws(SystemError) -> WallTime? {
    try status(of: name).map { WallTime(seconds: Int64($0.st_mtim.tv_sec)) }
  }

  /// Identifies a file among its predecessors and successors, and among its own changes
  /// (fstatat(2)); `nil` if it does not exist.
  package func stamp(_ name: String) throws(SystemError) -> FileStamp? {
    try status(of: name).map(FileStamp.init)
  }

  /// The names in the directory without `.` and `..`, in no particular order (readdir(3)).
  package func names() throws(SystemError) -> [String] {
    let second = try open(".", flags: O_RDONLY | O_DIRECTORY)
    let number = second.relinquish()
    guard let stream = unsafe fdopendir(number) else {
      let code = errno
      _ = close(number)
      throw SystemError("fdopendir", code: code)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // readdir(3): "to distinguish end of stream from an error, set errno to zero before".
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw SystemError("readdir", code: errno) }
        return names
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Replaces `name` by the file called `temporary` atomically (renameat(2)).
  package func rename(_ temporary: String, to name: String) throws(SystemError) {
    guard unsafe renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
      throw SystemError("renameat", code: errno, subject: name)
    }
  }

  /// Gives a file a name that must not exist yet, atomically (renameat2(2)).
  ///
  /// Not every file system has that: NFS has links (linkat(2)), and vfat has none.
  package func rename(_ temporary: String, toNew name: String) throws(SystemError) {
    let number = descriptor.number
    let result = unsafe clinux_rename_new(number, temporary, name)
    guard result < 0 else { return }
    guard result == -EINVAL else { throw SystemError("renameat2", code: -result, subject: name) }
    try link(temporary, as: name)
    try unlink(temporary)
  }

  /// Removes a name; false if it did not exist (unlinkat(2)).
  @discardableResult
  package func unlink(_ name: String) throws(SystemError) -> Bool {
    if unsafe unlinkat(descriptor.number, name, 0) == 0 { return true }
    guard errno == ENOENT else { throw SystemError("unlinkat", code: errno, subject: name) }
    return false
  }

  /// Removes an empty directory beneath this one (unlinkat(2), AT_REMOVEDIR).
  package func removeDirectory(_ name: String) throws(SystemError) {
    guard unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR) == 0 else {
      throw SystemError("unlinkat", code: errno, subject: name)
    }
  }

  /// Makes the names durable (fsync(2): syncing a file does not sync its directory entry).
  package func synchronize() throws(SystemError) {
    try descriptor.synchronize()
  }

  /// The file system's magic number (statfs(2)).
  package func fileSystemType() throws(SystemError) -> UInt32 {
    UInt32(truncatingIfNeeded: try check(Int(clinux_filesystem_type(descriptor.number)), "fstatfs"))
  }

  /// Opens a name beneath this directory; symbolic links anywhere in it are refused (openat2(2)).
  private func open(
    _ name: String,
    flags: Int32,
    mode: UInt32 = 0
  ) throws(SystemError) -> Descriptor {
    let number = unsafe clinux_openat_beneath(descriptor.number, name, flags, mode)
    return Descriptor(owning: Int32(try check(Int(number), "open", subject: name)))
  }
}

/// A file's identity and state, from fstatat(2).
package struct FileStamp: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64
  let mode: UInt32
  let size: Int64
  let changedSeconds: Int64
  let changedNanoseconds: Int64

  /// Whether it is a Unix socket.
  package var isSocket: Bool { mode & S_IFMT == S_IFSOCK }

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    mode = status.st_mode
    size = Int64(status.st_size)
    changedSeconds = Int64(status.st_ctim.tv_sec)
    changedNanoseconds = Int64(status.st_ctim.tv_nsec)
  }

  /// The stamp of an open file, or of a pipe (fstat(2)).
  ///
  /// Each write to a pipe changes its stamp.
  package init(ofDescriptor number: Int32) throws(SystemError) {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw SystemError("fstat", code: errno) }
    self.init(status)
  }

  /// Whether this file changed later than another one.
  package func isChanged(after other: FileStamp) -> Bool {
    (changedSeconds, changedNanoseconds) > (other.changedSeconds, other.changedNanoseconds)
  }

  /// Whether both are of one file, even if it changed, such as in its number of hard links.
  package func isOfSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }
}
