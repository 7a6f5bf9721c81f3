internal import Glibc
internal import System

/// Whether the administrator may have forbidden vaults beside the service (thumblatch.conf(5), `private`).
///
/// The front does not read a policy. It only looks whether a file may set that key. Then the command-line
/// program reads it, and refuses.
enum PrivateRule {
  /// The longest `thumblatch.conf` that is looked at here.
  private static let maximumFile = 16_384

  /// Whether no file sets the key; false in any doubt.
  static var isUnset: Bool {
    var status = stat()
    guard unsafe lstat(word("/etc/thumblatch"), &status) == 0 else { return errno == ENOENT }
    return hasNoDropIn && isUnsetInFile
  }

  private static var hasNoDropIn: Bool {
    guard let folder = unsafe opendir(word("/etc/thumblatch/conf.d")) else {
      return errno == ENOENT
    }
    defer { unsafe closedir(folder) }
    // readdir(3): errno tells an error from the end.
    errno = 0
    while let entry = unsafe readdir(folder) {
      let isHidden = unsafe entry.pointee.d_name.0 == CChar(UInt8(ascii: "."))
      guard isHidden else { return false }
    }
    return errno == 0
  }

  private static var isUnsetInFile: Bool {
    let number = unsafe open(
      word("/etc/thumblatch/thumblatch.conf"),
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    )
    guard number >= 0 else { return errno == ENOENT }
    let file = Descriptor(owning: number)
    return unsafe withUnsafeTemporaryAllocation(byteCount: maximumFile, alignment: 1) { room in
      let count = unsafe Glibc.read(file.number, room.baseAddress, room.count)
      // A full room may have cut the file.
      guard count >= 0, count < room.count else { return false }
      return unsafe !holdsKey(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
  }

  /// Whether a line begins with the key, behind spaces.
  private static func holdsKey(_ text: UnsafeRawBufferPointer) -> Bool {
    let key: StaticString = "private"
    var isAtStart = true
    for index in text.indices {
      let byte = unsafe text[index]
      if byte == UInt8(ascii: "\n") {
        isAtStart = true
      } else if isAtStart, byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") {
        isAtStart = false
        let rest = text.count - index
        if rest >= key.utf8CodeUnitCount, let base = text.baseAddress,
          unsafe memcmp(base + index, key.utf8Start, key.utf8CodeUnitCount) == 0
        {
          return true
        }
      }
    }
    return false
  }
}
