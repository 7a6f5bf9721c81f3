internal import Glibc
internal import System
internal import TerminalIO

/// Ctrl-C, SIGTERM, SIGHUP and Ctrl-\ as a descriptor that becomes readable.
///
/// The handler only writes a byte, because signal-safety(7) lists write(2). Every wait then ends at
/// once. So the terminal is restored and the reader released before the program ends.
enum Interrupts {
  /// Installs the handlers, once for the process.
  ///
  /// The descriptor lives as long as the process.
  static func install() throws(SystemError) -> Int32 {
    let (reading, writing) = try UnixSocket.pair()
    for number in [reading, writing] {
      let flags = fcntl(number, F_GETFL)
      _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
    }
    unsafe interruptWritingEnd = writing
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !InheritedState.isIgnored(signal) {
      try set(signal) { _ in
        let saved = errno
        var byte: UInt8 = 1
        _ = unsafe write(interruptWritingEnd, &byte, 1)
        errno = saved
      }
    }
    // Both end a wait, so that the terminal's mode and width are read again. After SIGCONT, the
    // question is shown again.
    try set(SIGCONT) { _ in unsafe Terminal.continuations += 1 }
    try set(SIGWINCH) { _ in }
    return reading
  }

  private static func set(
    _ signal: Int32,
    _ handler: @escaping @convention(c) (Int32) -> Void
  ) throws(SystemError) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    guard unsafe sigaction(signal, &action, nil) == 0 else {
      throw SystemError("sigaction", code: errno)
    }
  }
}

/// The descriptor that the handler writes to; set once, before any handler is installed.
private nonisolated(unsafe) var interruptWritingEnd: Int32 = -1
