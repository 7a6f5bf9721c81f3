internal import Glibc
internal import System

/// The program with all verbs.
enum CommandProgram {
  /// Replaces this process by the command-line program, with the same arguments and environment.
  static func replaceThisProcess(
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Never {
    do throws(InstalledProgram.Flaw) {
      let program = try InstalledProgram("thumblatch-cli")
      // execv(3) keeps the environment; arguments and environment may hold bytes that are not
      // UTF-8.
      unsafe execv(program.path, arguments)
      fail(SystemError("exec", code: errno, subject: program.path).description, status: 1)
    } catch {
      if case .unsafe = error { fail(error.description, status: 6) }
      fail(error.description, status: 1)
    }
  }

  /// Replaces this process as above, to go on with a conversation that has begun.
  ///
  /// `input` is the descriptor of what the tool has sent, and was not answered.
  static func `continue`(
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    input: Int32
  ) -> Never {
    var count = 0
    while unsafe arguments[count] != nil { count += 1 }
    let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: count + 3
    )
    unsafe words.update(from: arguments, count: count)
    unsafe words[count] = unsafe strdup("--continued")
    unsafe words[count + 1] = unsafe strdup("\(input)")
    unsafe words[count + 2] = nil
    unsafe replaceThisProcess(arguments: words)
  }

  /// Prints an error and ends the process.
  static func fail(_ message: String, status: Int32) -> Never {
    let line = "thumblatch: error: \(message)\n"
    _ = unsafe line.utf8.withContiguousStorageIfAvailable {
      unsafe write(2, $0.baseAddress, $0.count)
    }
    exit(status)
  }
}
