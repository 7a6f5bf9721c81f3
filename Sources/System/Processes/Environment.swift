internal import CLinux
internal import Glibc

// The environment of a process: variables, file mask and limits.

extension ThisProcess {
  /// The names of all variables of the environment, in alphabetical order.
  package static var environmentNames: [String] {
    var names: [String] = []
    while let entry = unsafe clinux_environment(names.count) {
      let text = unsafe String(cString: entry)
      names.append(String(text.prefix { $0 != "=" }))
    }
    return names.sorted()
  }

  /// The whole environment, as `NAME=value` (environ(7)).
  package static var environmentEntries: [String] {
    var entries: [String] = []
    while let entry = unsafe clinux_environment(entries.count) {
      entries.append(unsafe String(cString: entry))
    }
    return entries
  }

  /// The file mode mask of this process; `nil` if the kernel does not show it.
  ///
  /// umask(2) can read the mask only by changing it for all threads, so read proc_pid_status(5),
  /// `Umask`.
  package static var fileMask: UInt32? {
    guard let file = try? Directory(path: "/proc/\(getpid())").openForReading("status"),
      let bytes = try? file.readAll(limit: 64 * 1024)
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("Umask:\t") }.flatMap { UInt32($0.dropFirst(7), radix: 8) }
  }

  /// Makes the files that this process creates private from here on (umask(2)).
  ///
  /// - Returns: the inherited mask. A mask that takes rights from the owner would make files that
  ///   this user cannot open again.
  @discardableResult
  package static func makeFilesPrivate() -> UInt32 { umask(0o077) }

  /// The most open descriptors (sysconf(3), _SC_OPEN_MAX); `nil` without a limit.
  package static var descriptorLimit: Int? {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    return limit > 0 ? limit : nil
  }
}

/// The free space of a file system (statvfs(3)).
package struct FreeSpace: Sendable, Equatable {
  /// Free bytes for an ordinary user.
  package let bytes: UInt64
  /// Free inodes for an ordinary user; `nil` if the file system does not count them.
  package let files: UInt64?

  /// The free space of the file system that holds a path.
  package init(path: String) throws(SystemError) {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else {
      throw SystemError("statvfs", code: errno, subject: path)
    }
    bytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    files = status.f_files > 0 ? UInt64(status.f_favail) : nil
  }
}
