internal import Glibc

/// The files of a directory that were written or removed, as inotify(7) reports them.
package struct DirectoryEvents: ~Copyable {
  /// Readable when something was written, or removed if that is watched.
  package let descriptor: Descriptor

  /// Watches a directory; what was written earlier is not reported.
  ///
  /// `removals` says whether removed files are reported too.
  package init(path: String, removals: Bool = false) throws(SystemError) {
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    let queue = Descriptor(owning: Int32(try check(Int(number), "inotify_init1")))
    let mask = UInt32(IN_CLOSE_WRITE | IN_ONLYDIR | (removals ? IN_DELETE : 0))
    let watch = unsafe inotify_add_watch(queue.number, path, mask)
    _ = try check(Int(watch), "inotify_add_watch", subject: path)
    descriptor = queue
  }

  /// Takes what is reported now.
  ///
  /// - Returns: the names of these files, and whether the directory is watched further.
  package func take() throws(SystemError) -> (names: Set<String>, isWatching: Bool) {
    var names: Set<String> = []
    var isWatching = true
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe read(descriptor.number, bytes.baseAddress, bytes.count)
      }
      if count < 0 && (errno == EAGAIN || errno == EINTR) { return (names, isWatching) }
      let end = try check(count, "read")
      guard end > 0 else { return (names, isWatching) }
      var at = 0
      // struct inotify_event: watch, mask, cookie, length, each of 32 bits, and the name with NULs.
      while at + 16 <= end {
        let mask = Self.number(buffer, at + 4)
        let length = Int(Self.number(buffer, at + 12))
        // Events were lost, or the directory is gone.
        if mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0 { isWatching = false }
        let name = buffer[min(at + 16, end)..<min(at + 16 + length, end)].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        at += 16 + length
      }
    }
  }

  private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
  }
}
