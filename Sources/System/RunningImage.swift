internal import Glibc

/// The files that this process runs: its program and the libraries that it has loaded.
public struct RunningImage: Sendable {
  private let path: String

  /// Notes the program's path (proc(5), /proc/self/exe).
  public init() throws(SystemError) {
    path = try ThisProcess.programPath()
  }

  /// Whether each of them still stands where it was loaded from.
  ///
  /// A package replaces a file by another of its name: the kernel then shows the mapped one as deleted, and a
  /// program that was moved away under its new path.
  public var isCurrent: Bool {
    guard !path.hasSuffix(Self.deleted), (try? ThisProcess.programPath()) == path else {
      return false
    }
    // By open(2): RestrictSUIDSGID= of systemd answers openat2(2) with ENOSYS.
    let number = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
    guard number >= 0, let maps = try? Descriptor(owning: number).readAll(limit: 1 << 20) else {
      return false
    }
    return !Self.maps(deletedCode: maps)
  }

  private static let deleted = " (deleted)"

  /// Whether a file that is mapped as code was deleted, by lines such as
  /// `7f6c1a000000-7f6c1a100000 r-xp 00000000 08:01 4242 /usr/lib/libcurl.so.4 (deleted)` (proc(5)).
  ///
  /// Memory without a file shows as deleted too, and is no code.
  package static func maps(deletedCode text: [UInt8]) -> Bool {
    text.split(separator: UInt8(ascii: "\n")).contains { line in
      guard line.suffix(deleted.utf8.count).elementsEqual(deleted.utf8),
        let space = line.firstIndex(of: UInt8(ascii: " "))
      else { return false }
      return line[space...].dropFirst().prefix(4).contains(UInt8(ascii: "x"))
    }
  }
}
