internal import Glibc

/// The files of this process's code: its program and the libraries that it has loaded.
package struct RunningImage: Sendable {
  private struct File {
    let path: String
    let device: dev_t
    let inode: ino_t

    /// `nil` if the file does not exist (stat(2)).
    init?(_ path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      self.path = path
      device = status.st_dev
      inode = status.st_ino
    }

    var isCurrent: Bool {
      guard let now = File(path) else { return false }
      return now.device == device && now.inode == inode
    }
  }

  private let files: [File]

  /// Records the current files (proc(5), /proc/self/maps).
  ///
  /// - Throws: ESTALE if one of them was replaced or removed since it was loaded.
  package init() throws(SystemError) {
    let paths = try Self.mapped()
    files = paths.compactMap { File($0) }
    // The maps no longer show a file under its path if it was replaced during the check.
    guard files.count == paths.count, try Self.mapped() == paths else {
      throw SystemError("stat", code: ESTALE)
    }
  }

  /// Whether each file is still at the path from which it was loaded.
  ///
  /// A package update replaces a file by another one of the same name.
  package var isCurrent: Bool { files.allSatisfy(\.isCurrent) }

  /// The paths of the files that are mapped as code.
  private static func mapped() throws(SystemError) -> [String] {
    // Use open(2): systemd's RestrictSUIDSGID= answers openat2(2) with ENOSYS.
    let number = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: "/proc/self/maps") }
    let maps = try Descriptor(owning: number).readAll(limit: 1 << 20)
    guard let paths = codeFiles(in: maps) else { throw SystemError("stat", code: ESTALE) }
    return paths
  }

  /// The files that are mapped as code; `nil` if one was deleted, which the kernel appends to its
  /// path.
  ///
  /// The lines have the form `7f6c1a000000-7f6c1a100000 r-xp 00000000 08:01 4242
  /// /usr/lib/libcurl.so.4` (proc(5)). Memory without a file also shows as deleted, but is not
  /// code.
  package static func codeFiles(in text: [UInt8]) -> [String]? {
    var paths: [String] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let space = line.firstIndex(of: UInt8(ascii: " ")),
        line[space...].dropFirst().prefix(4).contains(UInt8(ascii: "x")),
        let slash = line.firstIndex(of: UInt8(ascii: "/"))
      else { continue }
      let path = String(decoding: line[slash...], as: UTF8.self)
      if path.hasSuffix(" (deleted)") { return nil }
      if paths.last != path { paths.append(path) }
    }
    return paths
  }
}
