internal import Glibc
internal import System

/// The one command that the front answers itself: `[--private] token [NAME]`.
struct TokenRequest {
  /// How long a token must still be valid to be given out, in seconds.
  private static let minimumLifetime: Int64 = 10
  /// Where the service's socket lies, if there is one: it is never passed over in silence.
  private static let service = "/run/thumblatch"

  private let isPrivate: Bool
  private let account: String?

  /// Takes exactly these forms; nil for everything else, options and bad names too.
  init?(arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    // execve(2): a caller may give no arguments at all, not even a name of the program.
    guard unsafe arguments[0] != nil else { return nil }
    var next = 1
    isPrivate = unsafe Self.equal(arguments[next], "--private")
    if isPrivate { next += 1 }
    guard unsafe Self.equal(arguments[next], "token") else { return nil }
    next += 1
    guard let name = unsafe arguments[next] else {
      account = nil
      return
    }
    guard unsafe arguments[next + 1] == nil, let text = unsafe Self.accountName(name) else {
      return nil
    }
    account = text
  }

  /// The token in the private vault's file, if it can be believed.
  func cachedToken() -> CachedToken? {
    if !isPrivate, unsafe access(Self.service, F_OK) == 0 { return nil }
    guard let path = StatePath.current, let directory = try? Directory(path: path),
      let status = try? directory.descriptor.status(),
      status.kind == .directory, status.owner == ThisProcess.user, status.mode & 0o777 == 0o700
    else { return nil }
    let name: String
    if let account {
      name = account
    } else {
      guard let bytes = Self.contents("tokens/@", limit: 64, in: directory),
        let text = Self.accountName(bytes)
      else { return nil }
      name = text
    }
    guard
      let bytes = Self.contents(
        "tokens/" + name,
        limit: CachedToken.maximumFileCount,
        in: directory
      ),
      let token = CachedToken.decode(bytes), let boot = try? BootIdentifier.current(),
      token.isValid(
        wall: .now,
        boot: .now,
        bootID: boot,
        minimumLifetime: Self.minimumLifetime
      )
    else { return nil }
    return token
  }

  /// A file that is this user's alone, as the engine writes it; nil for any other.
  private static func contents(
    _ name: String,
    limit: Int,
    in directory: borrowing Directory
  ) -> [UInt8]? {
    guard let file = try? directory.openForReading(name), let status = try? file.status(),
      status.kind == .regular, status.owner == ThisProcess.user, status.mode == 0o600,
      status.links == 1, status.size > 0, status.size <= limit
    else { return nil }
    // One read: the engine replaces the file as a whole. It overwrites one only to remove it, with
    // bytes that no token has.
    var bytes = [UInt8](repeating: 0, count: Int(status.size))
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe try? file.read(into: $0) }
    return count == bytes.count ? bytes : nil
  }

  private static func equal(_ argument: UnsafeMutablePointer<CChar>?, _ word: StaticString) -> Bool
  {
    guard let argument = unsafe argument else { return false }
    return unsafe strcmp(
      argument,
      UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)
    )
      == 0
  }

  private static func accountName(_ argument: UnsafeMutablePointer<CChar>) -> String? {
    let count = unsafe strnlen(argument, 65)
    return accountName((0..<count).map { unsafe UInt8(bitPattern: argument[$0]) })
  }

  /// A name that can make neither a path nor `@`: `[a-z0-9][a-z0-9._-]{0,63}`.
  private static func accountName(_ bytes: [UInt8]) -> String? {
    guard (1...64).contains(bytes.count) else { return nil }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        if index == 0 { return nil }
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension CachedToken {
  /// Writes the token and a newline at once; false if they did not all arrive.
  func writeToStandardOutput() -> Bool {
    // A reader that has gone is an error like a full disk, and no reason to die of a signal.
    signal(SIGPIPE, SIG_IGN)
    let line = token + [UInt8(ascii: "\n")]
    var done = 0
    while done < line.count {
      let wrote = unsafe line.withUnsafeBytes { buffer in
        unsafe write(1, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
      }
      if wrote > 0 {
        done += wrote
      } else if wrote == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
