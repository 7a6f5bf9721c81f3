import Glibc
import System

/// System calls on paths that only a test makes.
enum Files {
  static func symlink(_ target: String, _ path: String) throws {
    try demand("symlink", unsafe Glibc.symlink(target, path))
  }

  static func link(_ path: String, _ other: String) throws {
    try demand("link", unsafe Glibc.link(path, other))
  }

  static func rename(_ path: String, _ other: String) throws {
    try demand("rename", unsafe Glibc.rename(path, other))
  }

  static func unlink(_ path: String) throws {
    try demand("unlink", unsafe Glibc.unlink(path))
  }

  static func mkfifo(_ path: String, _ mode: UInt32) throws {
    try demand("mkfifo", unsafe Glibc.mkfifo(path, mode))
  }

  static func makeSocket(_ path: String) throws {
    try demand("mknod", unsafe mknod(path, S_IFSOCK | 0o600, 0))
  }

  static func mkdir(_ path: String, _ mode: UInt32) throws {
    try demand("mkdir", unsafe Glibc.mkdir(path, mode))
  }

  static func chmod(_ path: String, _ mode: UInt32) throws {
    try demand("chmod", unsafe Glibc.chmod(path, mode))
  }

  static func chown(_ path: String, _ user: UInt32) throws {
    try demand("chown", unsafe Glibc.chown(path, user, user))
  }

  static func mode(_ path: String) throws -> UInt32 {
    var status = stat()
    try demand("lstat", unsafe lstat(path, &status))
    return status.st_mode & 0o7777
  }

  /// The blocks of 512 bytes that a file occupies.
  static func blocks(_ path: String) throws -> Int {
    var status = stat()
    try demand("lstat", unsafe lstat(path, &status))
    return status.st_blocks
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Mounts a file system of `pages` pages at a path, or changes the size of one.
  static func mountSmall(_ path: String, pages: Int, remount: Bool = false) throws {
    try demand(
      "mount",
      unsafe mount("none", path, "tmpfs", remount ? 32 : 0, "size=\(pages * 4096),mode=0700")
    )
  }

  /// All bytes of a file.
  static func contents(_ path: String) throws -> [UInt8] {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    try demand("open", min(number, 0))
    return try Descriptor(owning: number).readAll(limit: 1 << 26)
  }

  /// Writes a file of mode 0600, in place of its old contents.
  static func put(_ bytes: [UInt8], at path: String) throws {
    let number = unsafe creat(path, 0o600)
    try demand("creat", min(number, 0))
    try Descriptor(owning: number).write(bytes)
  }

  /// Overwrites bytes of a file.
  static func patch(_ bytes: [UInt8], at offset: Int, of path: String) throws {
    let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
    try demand("open", min(number, 0))
    let file = Descriptor(owning: number)
    guard lseek(number, offset, SEEK_SET) == offset else {
      throw SystemError("lseek", code: errno)
    }
    try file.write(bytes)
  }

  /// Appends to a file until there is no room, and returns its size.
  static func extend(_ path: String) throws -> Int {
    let number = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try demand("open", min(number, 0))
    let file = Descriptor(owning: number)
    let page = [UInt8](repeating: 0x66, count: 4096)
    while appended(page, to: file) {}
    return Int(try file.status().size)
  }

  /// The pages that are free on the file system of a file (statvfs(3)).
  static func freePages(_ path: String) throws -> Int {
    var facts = statvfs()
    try demand("statvfs", unsafe statvfs(path, &facts))
    return Int(facts.f_bfree)
  }

  private static func appended(_ page: [UInt8], to file: borrowing Descriptor) -> Bool {
    do throws(SystemError) {
      try file.write(page)
      return true
    } catch {
      return false
    }
  }

  /// Cuts a file.
  static func cut(_ path: String, to count: Int) throws {
    try demand("truncate", unsafe truncate(path, count))
  }

  private static func demand(_ call: String, _ status: Int32) throws {
    guard status == 0 else { throw SystemError(call, code: errno) }
  }
}
