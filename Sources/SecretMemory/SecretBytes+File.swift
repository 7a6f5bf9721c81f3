internal import Glibc
package import System

extension SecretBytes {
  /// Reads an open file of at most `size` bytes to its end.
  ///
  /// Locked memory may be scarce, so only what the file needs is allocated.
  ///
  /// - Throws: EFBIG if the file has more bytes, for example because it grows while it is read;
  ///   errors of read(2); `SecretMemoryError`.
  package init(reading file: borrowing Descriptor, ofSize size: Int) throws {
    unsafe try self.init(capacity: size + 1) { room in
      var count = 0
      while count < room.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let got = unsafe try file.read(into: rest)
        if got == 0 { return count }
        count += got
      }
      throw SystemError("read", code: EFBIG)
    }
  }
}
