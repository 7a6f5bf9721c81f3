internal import Glibc
internal import System

/// The private vault's state directory, open, and its `tokens` directory.
///
/// Only this user can access the state directory.
struct StateFiles: ~Copyable {
  /// The longest path of a state directory.
  private static let maximumPath = 4096

  private let state: Descriptor
  private let tokens: Descriptor
  private let user: uid_t

  /// Opens THUMBLATCH_STATE_DIR, or `thumblatch` in XDG_STATE_HOME, or else in `~/.local/state`.
  ///
  /// `nil` if the path is not absolute, does not exist, or others could change it: the command-line
  /// program reports why.
  init?() {
    user = geteuid()
    let opened = unsafe withUnsafeTemporaryAllocation(
      of: CChar.self,
      capacity: Self.maximumPath
    ) { path -> Int32 in
      guard unsafe Self.fill(path), let start = path.baseAddress else { return -1 }
      return unsafe open(start, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard opened >= 0 else { return nil }
    let state = Descriptor(owning: opened)
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_uid == user,
      status.st_mode & 0o777 == 0o700
    else { return nil }
    let inner = unsafe openat(
      state.number,
      word("tokens"),
      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    )
    guard inner >= 0 else { return nil }
    self.state = state
    tokens = Descriptor(owning: inner)
  }

  /// The descriptor of the state directory.
  var directory: Int32 { state.number }

  /// Reads a file that has exactly the owner and mode of the engine's files; `nil` for any other
  /// file.
  func read(_ name: UnsafePointer<CChar>, into room: UnsafeMutableRawBufferPointer) -> Int? {
    // O_NONBLOCK: a FIFO in its place would block the open.
    let opened = unsafe openat(
      tokens.number,
      name,
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    )
    guard opened >= 0 else { return nil }
    let file = Descriptor(owning: opened)
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode == S_IFREG | 0o600,
      status.st_uid == user, status.st_nlink == 1, status.st_size > 0, status.st_size <= room.count
    else { return nil }
    // One read is enough: the engine replaces the file as a whole. It overwrites a file only to
    // remove it, with bytes that no token has.
    guard let count = unsafe try? file.read(into: room), count == status.st_size else { return nil }
    return count
  }

  private static func fill(_ path: UnsafeMutableBufferPointer<CChar>) -> Bool {
    var count = 0
    // An empty variable counts as unset, and so does a relative XDG_STATE_HOME (XDG Base Directory
    // Specification).
    if let chosen = unsafe value("THUMBLATCH_STATE_DIR") {
      guard unsafe append(chosen, to: path, &count) else { return false }
    } else if let home = unsafe value("XDG_STATE_HOME"), unsafe home[0] == slash {
      guard unsafe append(home, to: path, &count),
        unsafe append(word("/thumblatch"), to: path, &count)
      else { return false }
    } else if let home = unsafe value("HOME") {
      guard unsafe append(home, to: path, &count),
        unsafe append(word("/.local/state/thumblatch"), to: path, &count)
      else { return false }
    } else {
      return false
    }
    guard unsafe path[0] == slash else { return false }
    // open(2): with a slash at the end, a symbolic link would be followed despite O_NOFOLLOW.
    while count > 1, unsafe path[count - 1] == slash { count -= 1 }
    unsafe path[count] = 0
    return count > 1
  }

  private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// Whether a variable names a vault other than the private one.
  static var isSocketNamed: Bool { unsafe value("THUMBLATCH_SOCKET") != nil }

  private static func value(_ name: StaticString) -> UnsafePointer<CChar>? {
    guard let text = unsafe getenv(word(name)), unsafe text[0] != 0 else { return nil }
    return unsafe UnsafePointer(text)
  }

  /// Appends a text to a path and keeps room for the NUL; false if it does not fit.
  private static func append(
    _ text: UnsafePointer<CChar>,
    to path: UnsafeMutableBufferPointer<CChar>,
    _ count: inout Int
  ) -> Bool {
    let more = unsafe strnlen(text, maximumPath)
    guard count + more < maximumPath, let start = path.baseAddress else { return false }
    unsafe memcpy(start + count, text, more)
    count += more
    return true
  }
}
