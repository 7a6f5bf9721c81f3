internal import Configuration
internal import Glibc
internal import System

/// What is sent: a copy in memory, so that it is the same when it is sent a second time.
final class RequestBody {
  private let file: MemoryFile

  /// The descriptor that the courier reads.
  var descriptor: Int32 { file.descriptor.number }

  /// Takes the value of `-d`: text, `@FILE`, or `@-` for standard input.
  init(_ text: String, interrupt: Int32?) throws(CommandError) {
    do throws(SystemError) {
      file = try MemoryFile()
      if !text.hasPrefix("@") { try file.descriptor.write(text) }
    } catch {
      throw CommandError(.bug, "\(error)")
    }
    guard text.hasPrefix("@") else { return }
    let path = String(text.dropFirst())
    let number = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else {
      throw CommandError(.usage, "\(SystemError("open", code: errno, subject: path))")
    }
    let source = Descriptor(owning: number)
    do throws(SystemError) {
      var isInterrupted = false
      let isWhole = try file.take(from: source, limit: RequestVerbs.maximumBody) {
        isInterrupted = Self.wait(for: number, interrupt)
        return isInterrupted
      }
      if isInterrupted { throw SystemError("read", code: EINTR) }
      guard isWhole else { throw SystemError("read", code: EFBIG, subject: path) }
    } catch {
      if error.code == EINTR { throw .interrupted }
      throw CommandError(
        .usage,
        error.code == EFBIG ? "\(path) has more than 64 MiB" : "\(path) cannot be read: \(error)"
      )
    }
  }

  /// Waits for bytes; true if Ctrl-C came first (poll(2)).
  private static func wait(for number: Int32, _ interrupt: Int32?) -> Bool {
    var entries = [
      pollfd(fd: number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&entries, 2, -1) < 0 && errno == EINTR {}
    return entries[1].revents != 0
  }
}

/// The headers that a caller may set.
enum RequestHeaders {
  /// Those that say who asks, where, and how the message is framed.
  private static let own: Set<String> = [
    "authorization", "host", "content-length", "transfer-encoding", "connection", "expect", "te",
    "trailer", "upgrade", "keep-alive", "proxy-connection", "proxy-authorization", "user-agent",
  ]

  /// The headers to send, those of this program's own habits included.
  ///
  /// A line end in a value would be the beginning of a header, or of a second request.
  static func checked(_ given: [String], hasBody: Bool) throws(CommandError) -> [String] {
    var names: Set<String> = []
    for header in given {
      guard let colon = header.firstIndex(of: ":") else {
        throw CommandError(.usage, "-H must be \"Name: value\"")
      }
      let name = header[..<colon].lowercased()
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenCharacter) else {
        throw CommandError(.usage, "-H: \"\(name)\" is no name of a header")
      }
      guard header.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw CommandError(.usage, "-H \(name): its value holds a line end or a control character")
      }
      guard header.utf8.count <= 16 * 1024 else {
        throw CommandError(.usage, "-H \(name): is longer than 16 KiB")
      }
      guard !own.contains(name) else {
        throw CommandError(.usage, "-H \(name): this header is made by thumblatch itself")
      }
      names.insert(name)
    }
    var headers = given
    if !names.contains("accept") { headers.append("Accept: */*") }
    if hasBody && !names.contains("content-type") {
      headers.append("Content-Type: application/x-www-form-urlencoded")
    }
    return headers
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
