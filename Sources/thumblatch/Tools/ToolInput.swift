internal import Glibc
internal import System
internal import ToolProtocols

/// The request of a tool on standard input.
///
/// The command-line program reads it again if the front does not answer it.
struct ToolInput {
  /// What was read, and not forgotten.
  private(set) var bytes: [UInt8] = []
  private(set) var isAtEnd = false
  private var lineEnd = 0
  private static let chunk = 4096

  /// Reads to the end, or to the empty line that ends a request of git; false if that fails, or if
  /// the request is longer than any that is answered.
  mutating func readAll(upToEmptyLine: Bool) -> Bool {
    // The command-line program tells a person at a terminal what is wrong.
    guard isatty(0) == 0 else { return false }
    var searched = 0
    while !isAtEnd, !(upToEmptyLine && GitCredential.isComplete(bytes, after: searched)) {
      searched = bytes.count
      guard more() else { return false }
    }
    return true
  }

  /// The next line without its end, or what is left at the end of the input; `nil` if there is
  /// none, or if it is longer than any that is answered.
  mutating func line() -> [UInt8]? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        lineEnd = end + 1
        return Array(bytes[..<end])
      }
      if isAtEnd {
        lineEnd = bytes.count
        return bytes.isEmpty ? nil : bytes
      }
      guard more() else { return nil }
    }
  }

  /// Forgets the last line, which was answered.
  mutating func forgetLine() {
    bytes.removeFirst(lineEnd)
    lineEnd = 0
  }

  /// Reads some bytes, or finds the end; false if that fails, or if the request is too long.
  private mutating func more() -> Bool {
    guard bytes.count <= ToolRequest.maximumCount else { return false }
    // A second read of most requests finds their end.
    let room = bytes.count <= Self.chunk ? Self.chunk : 16 * Self.chunk
    let got = unsafe withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { room in
      let got = unsafe Glibc.read(0, room.baseAddress, room.count)
      if got > 0 {
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<got]))
      }
      return got
    }
    isAtEnd = got == 0
    if got < 0, errno == EAGAIN {
      var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, -1)
      return true
    }
    return got >= 0 || errno == EINTR
  }

  /// Makes what was read the standard input again; false if that fails.
  ///
  /// What was not read is behind the longest request, and is lost.
  func giveBack() -> Bool {
    guard !bytes.isEmpty else { return true }
    do throws(SystemError) {
      let number = try file().relinquish()
      defer { close(number) }
      // dup2(2): the copy stays open on exec.
      return dup2(number, 0) == 0
    } catch {
      return false
    }
  }

  /// A descriptor of what was read, which stays open on exec; `nil` if that fails.
  func handOver() -> Int32? {
    do throws(SystemError) {
      let number = try file().relinquish()
      return fcntl(number, F_SETFD, 0) == 0 ? number : nil
    } catch {
      return nil
    }
  }

  /// A file in memory of what was read, at its beginning; its number is above those of the standard
  /// descriptors.
  private func file() throws(SystemError) -> Descriptor {
    let file = try MemoryFile()
    try file.descriptor.write(bytes)
    guard lseek(file.descriptor.number, 0, SEEK_SET) == 0 else {
      throw SystemError("lseek", code: errno)
    }
    return try file.descriptor.duplicate()
  }
}
