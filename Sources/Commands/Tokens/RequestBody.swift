internal import Configuration
internal import Glibc
internal import System

/// The body of a request: a copy in memory, so that a second try sends the same bytes.
final class RequestBody {
  private let file: MemoryFile

  /// The descriptor that the exchange helper reads.
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
    guard number >= 0 else { throw .usage("\(SystemError("open", code: errno, subject: path))") }
    let source = Descriptor(owning: number)
    do throws(SystemError) {
      var isInterrupted = false
      let isWhole = try file.take(from: source, limit: RequestVerbs.maximumBody) {
        let readiness = try? Readiness.wait(for: number, interrupt: interrupt)
        isInterrupted = readiness == .interrupted
        return isInterrupted
      }
      if isInterrupted { throw SystemError("read", code: EINTR) }
      guard isWhole else { throw SystemError("read", code: EFBIG, subject: path) }
    } catch {
      if error.code == EINTR { throw .interrupted }
      throw .usage(
        error.code == EFBIG ? "\(path) has more than 64 MiB" : "\(path) cannot be read: \(error)"
      )
    }
  }
}
