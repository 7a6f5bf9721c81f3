internal import CLinux
internal import Glibc

/// A file in memory without a name, deleted with its last descriptor (memfd_create(2)).
package struct MemoryFile: ~Copyable, Sendable {
  /// The descriptor, close-on-exec.
  package let descriptor: Descriptor

  package init() throws(SystemError) {
    descriptor = Descriptor(owning: Int32(try check(Int(clinux_memfd()), "memfd_create")))
  }

  /// The size in bytes.
  package func size() throws(SystemError) -> Int { Int(clamping: try descriptor.status().size) }

  /// Empties the file and rewinds it (ftruncate(2), lseek(2)).
  package func empty() throws(SystemError) {
    guard ftruncate(descriptor.number, 0) == 0, lseek(descriptor.number, 0, SEEK_SET) == 0 else {
      throw SystemError("ftruncate", code: errno)
    }
  }

  /// Copies all bytes of a descriptor, at most `limit`; false if there are more.
  ///
  /// `isInterrupted` is called between two chunks.
  package func take(
    from source: borrowing Descriptor,
    limit: Int,
    isInterrupted: () -> Bool = { false }
  ) throws(SystemError) -> Bool {
    var count = 0
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while !isInterrupted() {
      let result: Result<Int, SystemError> = unsafe chunk.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try unsafe source.read(into: buffer) }
      }
      let got = try result.get()
      if got == 0 { return true }
      count += got
      guard count <= limit else { return false }
      try descriptor.write(Array(chunk.prefix(got)))
    }
    return true
  }

  /// Lends the bytes chunk by chunk, from the beginning.
  package func read<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var offset = 0
    while true {
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      let result: Result<Int, SystemError> = unsafe chunk.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try unsafe descriptor.read(into: buffer, at: offset) }
      }
      guard let got = try? result.get(), got > 0 else { return }
      try body(Array(chunk.prefix(got)))
      offset += got
    }
  }

  package func bytes() throws(SystemError) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(try size())
    read { all += $0 }
    return all
  }
}
