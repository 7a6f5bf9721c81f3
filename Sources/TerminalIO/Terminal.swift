internal import Glibc
package import SecretMemory
package import System

/// The person's terminal: the typed input, the shown text, and the modes, which are always
/// restored.
package final class Terminal {
  /// The most bytes of a password, and of any line that is read here.
  package static let maximumLine = 1024

  /// The terminal's descriptor, to wait on.
  package let descriptor: Descriptor
  /// Whether a line can be rewritten in place there.
  package let canRewrite: Bool
  /// Whether the terminal shows a status line that the next text must replace.
  var showsStatus = false
  /// Whether Ctrl-C is a key while the input is hidden, and not a signal.
  private let takesInterruptKey: Bool
  /// The modes to restore; `nil` while they are unchanged.
  private var found: termios?
  /// How often the process was continued after a stop (SIGCONT); a signal handler counts.
  package nonisolated(unsafe) static var continuations = 0
  private var seenContinuations = unsafe Terminal.continuations
  /// The question whose answer is being typed; `nil` if there is none.
  var question: String?
  /// Whether the question was shown again and no input was read since then.
  private var isRepeated = false

  /// Takes a terminal that is open for reading and writing.
  ///
  /// `kind` is its type, as in TERM.
  package init(_ descriptor: consuming Descriptor, kind: String?, takesInterruptKey: Bool = false) {
    self.descriptor = descriptor
    self.takesInterruptKey = takesInterruptKey
    canRewrite = kind != nil && kind != "" && kind != "dumb"
  }

  deinit { restore() }

  /// The controlling terminal (tty(4)), if there is one and this program may read from it.
  ///
  /// A background job may not: a read would stop it without a message (SIGTTIN). An app takes
  /// Ctrl-C as a key, because the signal would end it with the echo off.
  package static func controlling(takesInterruptKey: Bool = false) -> Terminal? {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(owning: number)
    guard isatty(number) == 1, tcgetpgrp(number) == getpgrp() else { return nil }
    return Terminal(
      descriptor,
      kind: ThisProcess.environment("TERM"),
      takesInterruptKey: takesInterruptKey
    )
  }

  /// The width in columns (ioctl(2) TIOCGWINSZ), read again each time; 80 if it is unknown.
  package var columns: Int { Self.columns(of: descriptor.number) ?? 80 }

  /// The width of a descriptor that is a terminal.
  package static func columns(of number: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Stops the echo, and reads key by key (termios(3)).
  ///
  /// A terminal that collects lines itself cuts them at 4095 bytes.
  package func hideInput() throws(TerminalError) {
    var modes = termios()
    guard unsafe tcgetattr(descriptor.number, &modes) == 0 else { throw failure("tcgetattr") }
    let isHidden = found != nil
    if !isHidden { found = modes }
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ICANON | ISIG)
    if !takesInterruptKey { modes.c_lflag |= tcflag_t(ISIG) }
    unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    // TCSAFLUSH drops input that was typed before the question was shown: it was meant for another
    // one.
    let when = isHidden ? TCSADRAIN : TCSAFLUSH
    guard unsafe tcsetattr(descriptor.number, when, &modes) == 0 else { throw failure("tcsetattr") }
  }

  /// Restores the modes.
  package func restore() {
    guard var modes = found else { return }
    // Repeat after EINTR, so that a SIGCONT at this moment does not leave the echo off.
    while unsafe tcsetattr(descriptor.number, TCSAFLUSH, &modes) != 0 && errno == EINTR {}
    found = nil
  }

  /// Reads a line without echo, straight into locked memory.
  ///
  /// `ask` shows the question when the echo is off.
  ///
  /// - Returns: `nil` if the person ended the input (Ctrl-D), the deadline passed or `other` is
  ///   readable.
  package func readSecret(
    maximum: Int = Terminal.maximumLine,
    with other: Int32? = nil,
    interrupt: Int32?,
    deadline: BootInstant? = nil,
    ask: () -> Void = {}
  ) throws(TerminalError) -> SharedSecret? {
    let wasHidden = found != nil
    try hideInput()
    defer {
      question = nil
      if !wasHidden { restore() }
    }
    ask()
    var line = try HiddenLine(maximum: maximum)
    while try wait(with: other, interrupt: interrupt, deadline: deadline) == .ready {
      // The question was shown again, so the person begins again.
      if takeRepetition() { line.erase() }
      switch line.readKey(of: self) {
      case .character: continue
      case .cancel: return nil
      case .end: return try line.take()
      }
    }
    return nil
  }

  /// Reads a line with echo; `nil` at the end of the input, at the deadline, or if `other` is
  /// readable.
  ///
  /// `ask` shows the question when the echo is on.
  package func readVisible(
    with other: Int32? = nil,
    interrupt: Int32?,
    deadline: BootInstant? = nil,
    ask: () -> Void = {}
  ) throws(TerminalError) -> String? {
    let wasHidden = found != nil
    restore()
    defer {
      question = nil
      if wasHidden { try? hideInput() }
    }
    ask()
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      guard line.count <= Self.maximumLine else { throw .tooLong(maximum: Self.maximumLine) }
      guard try wait(with: other, interrupt: interrupt, deadline: deadline) == .ready,
        let typed = read(atMost: Self.maximumLine + 1 - line.count)
      else { return nil }
      line += typed
      if typed.isEmpty { break }
    }
    if line.isEmpty { return nil }
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    guard let text = String(validating: line, as: UTF8.self) else { throw .notText }
    return text
  }

  /// Reads the hidden keys until now, and drops them.
  ///
  /// - Returns: whether Enter is one of them; `nil` if the input has ended (Ctrl-D).
  package func takeEnter() -> Bool? {
    guard var keys = read(atMost: 256) else { return nil }
    defer { for index in keys.indices { keys[index] = 0 } }
    if keys.contains(UInt8(ascii: "\n")) || keys.contains(UInt8(ascii: "\r")) { return true }
    return keys.isEmpty || keys.contains(0x04) ? nil : false
  }

  /// Drops the input that was typed and not read yet (termios(3)).
  package func discardTyped() {
    _ = tcflush(descriptor.number, TCIFLUSH)
  }

  /// Waits until something is typed, or `other` is readable.
  package func wait(
    with other: Int32? = nil,
    interrupt: Int32?,
    deadline: BootInstant? = nil
  ) throws(TerminalError) -> Readiness {
    var readiness: Readiness
    do throws(SystemError) {
      repeat {
        readiness = try .wait(
          for: descriptor.number,
          input: other,
          interrupt: interrupt,
          deadline: deadline
        ) {
          // After Ctrl-Z and a continuation, the shell may have switched the echo on.
          if found != nil { try? hideInput() }
          _ = repeatQuestion()
        }
      } while repeatQuestion() && readiness == .ready
    } catch {
      throw .system(error)
    }
    if readiness == .interrupted { throw .interrupted }
    return readiness
  }

  /// Shows the open question again if the process was stopped and continued.
  ///
  /// The shell has written its own lines below the question since then.
  ///
  /// - Returns: whether it was shown, and earlier input was dropped.
  private func repeatQuestion() -> Bool {
    let count = unsafe Self.continuations
    // In the background, a change of the terminal would stop the process again.
    guard count != seenContinuations, tcgetpgrp(descriptor.number) == getpgrp() else {
      return false
    }
    seenContinuations = count
    guard let question else { return false }
    discardTyped()
    try? descriptor.write(question)
    isRepeated = true
    return true
  }

  private func takeRepetition() -> Bool {
    defer { isRepeated = false }
    return isRepeated
  }

  private func read(atMost count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let result: Result<Int, SystemError> = unsafe bytes.withUnsafeMutableBytes { room in
      Result { () throws(SystemError) in try unsafe descriptor.read(into: room) }
    }
    guard let got = try? result.get() else { return nil }
    bytes.removeLast(count - got)
    return bytes
  }

  private func failure(_ call: String) -> TerminalError {
    .system(SystemError(call, code: errno))
  }
}
