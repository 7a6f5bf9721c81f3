internal import Glibc
internal import System
internal import ToolProtocols

/// The requests of a tool on standard input, at most `ToolRequest.maximumCount` bytes each.
///
/// A longer one is cut one byte after that, so that its reader refuses it.
final class ToolInput {
  private let number: Int32
  private let interrupt: Int32?
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  /// A request that is too long, including the part that another program has read.
  private static let longestBegun = 2 * ToolRequest.maximumCount

  /// - Parameters:
  ///   - session: the run.
  ///   - begun: the descriptor of the first part, which another program has read; `nil` if nothing
  ///     was.
  /// - Throws: a usage error if the input is a terminal, or if the first part cannot be read.
  init(_ session: Session, begun: Int32? = nil) throws(CommandError) {
    number = session.standardInput
    if let begun {
      let first = Descriptor(owning: begun)
      do throws(SystemError) { buffer = try first.readAll(limit: Self.longestBegun) } catch {
        throw .usage("standard input cannot be read: \(error)")
      }
    }
    interrupt = session.interrupt
    guard isatty(number) == 0 else {
      throw .usage(
        "this verb reads the request of another tool from a pipe, not from a terminal",
        hint: "man thumblatch-recipes shows how tools are told to run it"
      )
    }
  }

  /// The request that is all of the input, or that an empty line ends as git does.
  static func request<Request>(
    _ session: Session,
    upToEmptyLine: Bool = false,
    _ read: ([UInt8]) throws(ToolRequestError) -> Request
  ) throws(CommandError) -> Request {
    let bytes = try ToolInput(session).all(upToEmptyLine: upToEmptyLine)
    do throws(ToolRequestError) { return try read(bytes) } catch { throw CommandError(error) }
  }

  /// All bytes up to the end, or up to those with an empty line.
  private func all(upToEmptyLine: Bool) throws(CommandError) -> [UInt8] {
    var searched = 0
    while !(upToEmptyLine && GitCredential.isComplete(buffer, after: searched)) {
      searched = buffer.count
      guard try more() else { break }
    }
    defer { buffer = [] }
    return buffer
  }

  /// The next line without its end; `nil` at the end of the input.
  func line() throws(CommandError) -> [UInt8]? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<end])
      }
      searched = buffer.count
      if try more() { continue }
      defer { buffer = [] }
      return buffer.isEmpty ? nil : buffer
    }
  }

  /// Reads some bytes; false at the end, or if the request is too long.
  private func more() throws(CommandError) -> Bool {
    guard !isAtEnd, buffer.count <= ToolRequest.maximumCount else { return false }
    let readiness: Readiness
    do throws(SystemError) { readiness = try .wait(for: number, interrupt: interrupt) } catch {
      throw .usage("standard input cannot be read: \(error)")
    }
    if readiness == .interrupted { throw .interrupted }
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    let got = unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
    if got < 0 {
      guard errno == EINTR || errno == EAGAIN else {
        throw .usage("standard input cannot be read: \(SystemError("read", code: errno))")
      }
      return true
    }
    isAtEnd = got == 0
    buffer += chunk.prefix(got)
    return got > 0
  }
}
