internal import Glibc
internal import System
internal import TokenFile

extension StateFiles {
  /// Lends the token of an account's file if it stays valid for so many seconds; `nil` if not.
  func withToken<Value>(
    of name: UnsafePointer<CChar>,
    lasting lifetime: Int64,
    _ body: (UnsafeRawBufferPointer, CachedTokenHeader) -> Value?
  ) -> Value? {
    let capacity = CachedToken.maximumFileCount
    return unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { bytes in
      guard let count = unsafe read(name, into: bytes) else { return nil }
      let file = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
      guard let header = unsafe CachedTokenHeader(file.bindMemory(to: UInt8.self).span),
        header.isValid(minimumLifetime: lifetime)
      else { return nil }
      let token = unsafe UnsafeRawBufferPointer(rebasing: bytes[CachedToken.headerCount..<count])
      return unsafe body(token, header)
    }
  }
}
