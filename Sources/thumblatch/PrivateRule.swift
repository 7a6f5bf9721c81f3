internal import Glibc
internal import System

/// Whether the administrator may have forbidden vaults beside the service (thumblatch.conf(5),
/// `private`).
///
/// The front does not read a policy. It only looks whether a file may set that key. Then the
/// command-line program reads it, and refuses.
enum PrivateRule {
  /// The longest file that is looked at here, and the most drop-ins.
  private static let maximumFile = 16_384
  private static let mostDropIns = 64

  /// Whether no file sets the key; false in any doubt.
  static var isUnset: Bool {
    var status = stat()
    guard unsafe lstat(word("/etc/thumblatch"), &status) == 0 else { return errno == ENOENT }
    return unsafe isUnset(inFile: word("/etc/thumblatch/thumblatch.conf"), of: AT_FDCWD)
      && isUnsetInDropIns
  }

  private static var isUnsetInDropIns: Bool {
    guard let folder = unsafe opendir(word("/etc/thumblatch/conf.d")) else {
      return errno == ENOENT
    }
    defer { unsafe closedir(folder) }
    let number = unsafe dirfd(folder)
    var count = 0
    while true {
      // readdir(3): errno tells an error from the end.
      errno = 0
      guard let entry = unsafe readdir(folder) else { return errno == 0 }
      let isUnset = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          guard unsafe isDropIn(name) else { return true }
          count += 1
          return unsafe count <= mostDropIns && Self.isUnset(inFile: name, of: number)
        }
      }
      guard isUnset else { return false }
    }
  }

  /// As `PolicyFiles.swift:isDropIn` says.
  private static func isDropIn(_ name: UnsafePointer<CChar>) -> Bool {
    let length = unsafe strlen(name)
    guard length >= 5, unsafe name[0] != CChar(UInt8(ascii: ".")) else { return false }
    return unsafe strcmp(name + length - 5, word(".conf")) == 0
  }

  private static func isUnset(inFile name: UnsafePointer<CChar>, of folder: Int32) -> Bool {
    let number = unsafe openat(
      folder,
      name,
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
