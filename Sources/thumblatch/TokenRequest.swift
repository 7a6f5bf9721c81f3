internal import Glibc
internal import System
internal import TokenFile

/// The only command that the front answers itself: `[--private] token [NAME]`.
///
/// It points into the arguments, which exist during the lifetime of the process.
@safe
struct TokenRequest {
  /// The least remaining lifetime of a token, in seconds.
  private static let minimumLifetime: Int64 = 10

  private let isPrivate: Bool
  /// The checked name of the account; `nil` for the default account.
  private let name: UnsafePointer<CChar>?

  /// Accepts exactly these forms; `nil` for anything else, including options and invalid names.
  init?(arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    // execve(2): a caller may pass no arguments at all, not even a program name. Other tools call the
    // program by other names, and mean other verbs.
    guard let program = unsafe arguments[0], unsafe Self.isOwnName(program) else { return nil }
    var next = 1
    isPrivate = unsafe Self.equal(arguments[next], "--private")
    if isPrivate { next += 1 }
    guard unsafe Self.equal(arguments[next], "token") else { return nil }
    next += 1
    guard let name = unsafe arguments[next] else {
      unsafe self.name = nil
      return
    }
    guard unsafe arguments[next + 1] == nil,
      unsafe Self.isName(UnsafeRawBufferPointer(start: name, count: strnlen(name, 65)))
    else { return nil }
    unsafe self.name = UnsafePointer(name)
  }

  /// The result of a request.
  enum Outcome {
    /// The token was written to standard output.
    case written
    /// There is a token, but it could not be written.
    case lost
    /// Neither the service nor the private vault's files gave a valid token.
    case notKnown
  }

  /// Writes an available token of the service, or the private vault's cached token if it is valid.
  func answer() -> Outcome {
    if !isPrivate {
      // The variable names another vault: the command-line program checks who serves it.
      if StateFiles.isSocketNamed { return .notKnown }
      // A service on this machine must not be bypassed silently.
      if unsafe access(word("/run/thumblatch"), F_OK) == 0 {
        return unsafe ServiceToken.answer(name)
      }
    }
    guard let state = StateFiles() else { return .notKnown }
    if let name = unsafe name { return unsafe answer(name, state) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 65, alignment: 1) { text in
      // The last byte is reserved for the NUL after the name.
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: text[..<64])
      guard let count = unsafe state.read(word("@"), into: room),
        unsafe Self.isName(UnsafeRawBufferPointer(rebasing: text[..<count])),
        let name = text.baseAddress
      else { return .notKnown }
      unsafe text[count] = 0
      return unsafe answer(UnsafePointer(name.assumingMemoryBound(to: CChar.self)), state)
    }
  }

  private func answer(_ name: UnsafePointer<CChar>, _ state: borrowing StateFiles) -> Outcome {
    // One byte for the newline after the token.
    let capacity = CachedToken.maximumFileCount + 1
    return unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { bytes in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(capacity - 1)])
      guard let count = unsafe state.read(name, into: room) else { return .notKnown }
      let file = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
      guard let header = unsafe CachedTokenHeader(file.bindMemory(to: UInt8.self).span),
        header.isValid(minimumLifetime: Self.minimumLifetime)
      else { return .notKnown }
      unsafe bytes[count] = UInt8(ascii: "\n")
      let line = unsafe UnsafeRawBufferPointer(
        rebasing: bytes[CachedToken.headerCount..<(count + 1)]
      )
      return unsafe Self.write(line) ? .written : .lost
    }
  }

  /// Writes all bytes; false if that failed.
  static func write(_ line: UnsafeRawBufferPointer) -> Bool {
    // A closed reader is an error like a full disk, so a signal must not end the process.
    signal(SIGPIPE, SIG_IGN)
    var rest = unsafe line
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

  /// Whether a path ends with the name of the front.
  private static func isOwnName(_ path: UnsafePointer<CChar>) -> Bool {
    guard let slash = unsafe strrchr(path, Int32(UInt8(ascii: "/"))) else {
      return unsafe equal(path, "thumblatch")
    }
    return unsafe equal(slash + 1, "thumblatch")
  }

  private static func isName(_ text: UnsafeRawBufferPointer) -> Bool {
    unsafe NameRule.accepts(text.bindMemory(to: UInt8.self).span)
  }

  private static func equal(_ argument: UnsafePointer<CChar>?, _ text: StaticString) -> Bool {
    guard let argument = unsafe argument else { return false }
    return unsafe strcmp(argument, word(text)) == 0
  }
}

/// A text of the program as a C string; a `String` would have to be copied first.
func word(_ text: StaticString) -> UnsafePointer<CChar> {
  unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
