internal import CLinux
internal import Glibc

/// An open file descriptor, closed with its owner.
@safe
public struct Descriptor: ~Copyable, Sendable {
  /// The number, for C calls made while this value lives.
  ///
  /// Do not close it.
  public let number: Int32

  /// Takes over an open descriptor.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // close(2): "the file descriptor is released" even on EINTR; a second close could hit a new
    // file.
    _ = close(number)
  }

  /// Releases ownership of the number; the caller must close it.
  package consuming func relinquish() -> Int32 {
    let given = number
    discard self
    return given
  }

  /// A second descriptor of the same open file description (fcntl(2), F_DUPFD_CLOEXEC).
  package func duplicate() throws(SystemError) -> Descriptor {
    Descriptor(owning: Int32(try check(Int(clinux_fcntl_dupfd(number, 3)), "dup")))
  }
}

package enum FileKind: Sendable, Equatable {
  case regular
  case directory
  case socket
  case other
}

/// The facts of fstat(2) that safety checks need.
package struct FileStatus: Sendable, Equatable {
  /// Regular file, directory, socket, or another kind.
  package let kind: FileKind
  /// The owner's user id.
  package let owner: UInt32
  /// The permission bits, including setuid, setgid and sticky.
  package let mode: UInt32
  /// The number of hard links.
  package let links: UInt64
  /// The size in bytes.
  package let size: Int64
  /// The device; device and inode together identify a file.
  package let device: UInt64
  /// The inode number on `device`.
  package let inode: UInt64
}

extension FileStatus {
  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFSOCK: .socket
      default: .other
      }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
    links = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

extension Descriptor {
  /// The file's type, owner, mode, links and size (fstat(2)).
  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw SystemError("fstat", code: errno) }
    return FileStatus(status)
  }

  /// Reads at most `buffer.count` bytes; 0 at the end (read(2)).
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    while true {
      let got = unsafe Glibc.read(number, buffer.baseAddress, buffer.count)
      if got >= 0 { return got }
      guard errno == EINTR else { throw SystemError("read", code: errno) }
    }
  }

  /// Reads at an offset until the buffer is full or the file ends (pread(2)).
  package func read(
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let got = unsafe pread(
        number,
        buffer.baseAddress.map { unsafe $0 + done },
        buffer.count - done,
        offset + done
      )
      if got == 0 { break }
      if got > 0 {
        done += got
      } else if errno != EINTR {
        throw SystemError("pread", code: errno)
      }
    }
    return done
  }

  /// Writes all bytes, across short writes (write(2)).
  package func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < buffer.count {
      let wrote = unsafe Glibc.write(
        number,
        buffer.baseAddress.map { unsafe $0 + done },
        buffer.count - done
      )
      if wrote > 0 {
        done += wrote
      } else if wrote == 0 {
        throw SystemError("write", code: EIO)
      } else if errno != EINTR {
        throw SystemError("write", code: errno)
      }
    }
  }

  /// Writes all bytes at an offset (pwrite(2)).
  package func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
    var done = 0
    while done < buffer.count {
      let wrote = unsafe pwrite(
        number,
        buffer.baseAddress.map { unsafe $0 + done },
        buffer.count - done,
        offset + done
      )
      if wrote > 0 {
        done += wrote
      } else if wrote == 0 {
        throw SystemError("pwrite", code: EIO)
      } else if errno != EINTR {
        throw SystemError("pwrite", code: errno)
      }
    }
  }

  /// Writes text as UTF-8.
  package func write(_ text: String) throws(SystemError) {
    try write([UInt8](text.utf8))
  }

  /// Writes bytes that are not secret.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let bytes = bytes.span
    try unsafe bytes.withUnsafeBytes { all throws(SystemError) in try unsafe write(all) }
  }

  /// Writes bytes that are not secret at an offset.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    let bytes = bytes.span
    try unsafe bytes.withUnsafeBytes { all throws(SystemError) in
      try unsafe write(all, at: offset)
    }
  }

  /// Reads bytes that are not secret, at an offset if one is given; fewer only if the file ends, or
  /// if no more have arrived.
  package func read(atMost count: Int, at offset: Int? = nil) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    let got = try unsafe span.withUnsafeMutableBytes { room throws(SystemError) in
      if let offset { try unsafe read(into: room, at: offset) } else { try unsafe read(into: room) }
    }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Reads bytes that are not secret to the end; more than `limit` bytes are the error EFBIG.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let room = min(limit + 1 - bytes.count, 16 * 1024)
      guard room > 0 else { throw SystemError("read", code: EFBIG) }
      let chunk = try read(atMost: room)
      if chunk.isEmpty { return bytes }
      bytes += chunk
    }
  }

  /// Makes data and size durable (fdatasync(2)).
  ///
  /// After an error treat the data as lost: the kernel drops the dirty pages, and a second call
  /// would report success.
  package func synchronizeData() throws(SystemError) {
    guard fdatasync(number) == 0 else { throw SystemError("fdatasync", code: errno) }
  }

  /// Makes a file, or the names in a directory, durable (fsync(2)).
  package func synchronize() throws(SystemError) {
    guard fsync(number) == 0 else { throw SystemError("fsync", code: errno) }
  }

  /// Takes an exclusive flock(2) lock without waiting; false if another process holds it.
  ///
  /// The lock belongs to the open file description: it ends with `unlock()`, or when the last
  /// duplicate in any process is closed. A child that another thread forks has a duplicate until
  /// its execve(2).
  package func lockExclusively() throws(SystemError) -> Bool {
    while true {
      if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw SystemError("flock", code: errno) }
    }
  }

  /// Takes that lock within a time limit; `false` if another process still holds it then.
  package func lockExclusively(within milliseconds: Int64) throws(SystemError) -> Bool {
    let end = BootInstant.now.nanoseconds + milliseconds * 1_000_000
    while try !lockExclusively() {
      guard BootInstant.now.nanoseconds < end else { return false }
      // flock(2) has no time limit.
      _ = poll(nil, 0, 5)
    }
    return true
  }

  /// Ends the lock that `lockExclusively()` has taken, also for duplicates in other processes.
  ///
  /// Does nothing if there is no lock, or if the file system has none.
  package func unlock() {
    _ = flock(number, LOCK_UN)
  }

  /// Waits until the descriptor is readable or at its end (poll(2)); false after `milliseconds`.
  ///
  /// A negative time waits without limit. A signal does not shorten the time.
  package func waitReadable(milliseconds: Int32) throws(SystemError) -> Bool {
    let start = clinux_boottime()
    var left = milliseconds
    while true {
      var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&entry, 1, left)
      if ready >= 0 { return ready > 0 }
      guard errno == EINTR else { throw SystemError("poll", code: errno) }
      guard milliseconds > 0 else { continue }
      let passed = (clinux_boottime() - start) / 1_000_000
      left = Int32(max(0, Int64(milliseconds) - passed))
    }
  }

  /// Sets whether reads and writes fail with EAGAIN instead of waiting (fcntl(2), O_NONBLOCK).
  package func setNonblocking(_ on: Bool) throws(SystemError) {
    try check(Int(clinux_set_nonblocking(number, on ? 1 : 0)), "fcntl")
  }
}
