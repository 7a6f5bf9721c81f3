internal import Glibc

/// What the front prints.
enum StandardOutput {
  /// Writes all bytes; false if that failed.
  static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // A closed reader is an error like a full disk, so a signal must not end the process.
    signal(SIGPIPE, SIG_IGN)
    var rest = unsafe bytes
    while let start = rest.baseAddress, unsafe !rest.isEmpty {
      let wrote = unsafe Glibc.write(1, start, rest.count)
      if wrote > 0 {
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[wrote...])
      } else if wrote < 0 && errno == EAGAIN {
        // Another user of the pipe may have made it non-blocking.
        var entry = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
      } else if wrote == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
