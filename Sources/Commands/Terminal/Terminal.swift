internal import Glibc
internal import SecretMemory
internal import System

/// The person's terminal: its input, and its modes, which are always restored.
final class Terminal {
  /// The most bytes of a password, and of any line that is read here.
  static let maximumLine = 1024

  /// The terminal's descriptor; only `Output` writes to it.
  let descriptor: Descriptor
  /// Whether a line can be rewritten in place.
  let canRewrite: Bool
  /// The modes to restore; `nil` while they are unchanged.
  private var found: termios?
  /// Whether the terminal delivers whole lines, of at most 4095 bytes (termios(3)).
  private var readsLines = true

  /// Takes a terminal that is open for reading and writing.
  init(_ descriptor: consuming Descriptor, kind: String?) {
    self.descriptor = descriptor
    canRewrite = kind != nil && kind != "" && kind != "dumb"
  }

  deinit { restore() }

  /// The controlling terminal (tty(4)), if there is one and this program may read from it.
  ///
  /// A background job is refused: reading would stop it (SIGTTIN) without a message.
  static func controlling() -> Terminal? {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(owning: number)
    guard isatty(number) == 1, tcgetpgrp(number) == getpgrp() else { return nil }
    return Terminal(descriptor, kind: ThisProcess.environment("TERM"))
  }

  /// The current width in columns (ioctl(2) TIOCGWINSZ); 80 if it is unknown.
  var columns: Int { Self.columns(of: descriptor.number) ?? 80 }

  /// The width of a descriptor that is a terminal.
  static func columns(of number: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Turns echo off; lines and Ctrl-C keep working (termios(3)).
  func hideInput() throws(CommandError) {
    var modes = termios()
    guard unsafe tcgetattr(descriptor.number, &modes) == 0 else { throw failure("tcgetattr") }
    let isHidden = found != nil
    if !isHidden { found = modes }
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    modes.c_lflag |= tcflag_t(ICANON | ISIG)
    if !readsLines {
      modes.c_lflag &= ~tcflag_t(ICANON)
      unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
        unsafe characters[Int(VMIN)] = 1
        unsafe characters[Int(VTIME)] = 0
      }
    }
    // TCSAFLUSH drops text that was typed before the question: it was meant for another program.
    let when = isHidden ? TCSADRAIN : TCSAFLUSH
    guard unsafe tcsetattr(descriptor.number, when, &modes) == 0 else {
      throw failure("tcsetattr")
    }
  }

  /// Restores the modes.
  func restore() {
    guard var modes = found else { return }
    // tcsetattr(3) is not restarted after a signal: a SIGCONT now must not leave echo off.
    while unsafe tcsetattr(descriptor.number, TCSAFLUSH, &modes) != 0 && errno == EINTR {}
    found = nil
  }

  /// Reads a password without echo, directly into locked memory.
  ///
  /// - Returns: the password; `nil` if the person ended the input (Ctrl-D) or the time is over.
  func readSecret(
    interrupt: Int32?,
    deadline: BootInstant? = nil
  ) throws(CommandError) -> SecretBytes? {
    let wasHidden = found != nil
    try hideInput()
    defer { if !wasHidden { restore() } }
    var failure: CommandError?
    var ended = false
    do {
      let secret = try unsafe SecretBytes(capacity: Self.maximumLine + 1) { buffer in
        do throws(CommandError) {
          guard
            let count = unsafe try readLine(
              into: buffer,
              interrupt: interrupt,
              deadline: deadline,
              hidden: true
            )
          else {
            ended = true
            return 0
          }
          if unsafe buffer.prefix(count).contains(0) {
            throw CommandError(.usage, "a password cannot hold a NUL character")
          }
          return count
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      if ended { return nil }
      return .some(secret)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.bug, "no locked memory for the password: \(error)")
    }
  }

  /// Reads a long pasted line without echo, directly into locked memory.
  ///
  /// It reads character by character, because a terminal cuts the lines that it collects at 4095
  /// bytes. Backspace and Ctrl-U work. `ask` prints the question once echo is off.
  ///
  /// - Throws: `usage` beyond `maximum` bytes, `interrupted`.
  /// - Returns: the line; `nil` if the person ended the input (Ctrl-D) or the time is over.
  func readPasted(
    maximum: Int,
    interrupt: Int32?,
    deadline: BootInstant,
    ask: () -> Void
  ) throws(CommandError) -> SecretBytes? {
    readsLines = false
    defer { readsLines = true }
    try hideInput()
    defer { restore() }
    ask()
    var failure: CommandError?
    var ended = false
    do {
      let secret = try unsafe SecretBytes(capacity: maximum) { buffer in
        var line = unsafe PastedLine(buffer)
        do throws(CommandError) {
          while !line.isComplete {
            guard try wait(interrupt: interrupt, deadline: deadline, hidden: true) else {
              ended = true
              return 0
            }
            var byte: UInt8 = 0
            guard unsafe Glibc.read(descriptor.number, &byte, 1) == 1 else {
              ended = true
              return 0
            }
            guard line.take(byte) else {
              throw CommandError(.usage, "what was pasted is longer than \(maximum) bytes")
            }
          }
        } catch {
          failure = error
          return 0
        }
        ended = line.hasEnded
        return line.count
      }
      if let failure { throw failure }
      if ended { return nil }
      return .some(secret)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.bug, "no locked memory for what was pasted: \(error)")
    }
  }

  /// Reads a line with echo; `nil` at the end of the input.
  func readVisible(
    interrupt: Int32?,
    deadline: BootInstant? = nil
  ) throws(CommandError) -> String? {
    var bytes = [UInt8](repeating: 0, count: Self.maximumLine + 1)
    let result: Result<Int?, CommandError> = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(CommandError) in
        unsafe try self.readLine(
          into: buffer,
          interrupt: interrupt,
          deadline: deadline,
          hidden: false
        )
      }
    }
    guard let count = try result.get() else { return nil }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw CommandError(.usage, "the answer is not UTF-8")
    }
    return text
  }

  /// Discards the typed line; returns false if no more input can come.
  func discardLine() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 256)
    let result: Result<Int, SystemError> = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try unsafe self.descriptor.read(into: buffer) }
    }
    defer { for index in bytes.indices { bytes[index] = 0 } }
    guard let count = try? result.get() else { return false }
    return count > 0
  }

  /// Discards all input that was not read yet (termios(3)).
  func discardTyped() {
    _ = tcflush(descriptor.number, TCIFLUSH)
  }

  /// Reads up to a line end, which is dropped; `nil` for Ctrl-D on an empty line, or at the deadline.
  private func readLine(
    into buffer: UnsafeMutableRawBufferPointer,
    interrupt: Int32?,
    deadline: BootInstant?,
    hidden: Bool
  ) throws(CommandError) -> Int? {
    var count = 0
    while true {
      guard try wait(interrupt: interrupt, deadline: deadline, hidden: hidden) else { return nil }
      guard count < buffer.count else {
        throw CommandError(.usage, "the answer is longer than \(Self.maximumLine) bytes")
      }
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got: Int
      do { got = unsafe try descriptor.read(into: room) } catch { return nil }
      if got == 0 { return count == 0 ? nil : count }
      count += got
      if unsafe buffer[count - 1] == UInt8(ascii: "\n") { return count - 1 }
    }
  }

  /// Waits for input; returns false at the deadline.
  private func wait(
    interrupt: Int32?,
    deadline: BootInstant?,
    hidden: Bool
  ) throws(CommandError) -> Bool {
    while true {
      var entries = [
        pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      var milliseconds: Int32 = -1
      if let deadline {
        let left = deadline.nanoseconds - BootInstant.now.nanoseconds
        guard left > 0 else { return false }
        milliseconds = Int32(clamping: left / 1_000_000 + 1)
      }
      let ready = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
      if entries[1].revents != 0 && ready > 0 { throw CommandError.interrupted }
      if ready > 0 { return true }
      if ready < 0 {
        guard errno == EINTR else { throw failure("poll") }
        // After Ctrl-Z and a continuation, the shell may have turned echo on.
        if hidden { try hideInput() }
      }
    }
  }

  private func failure(_ call: String) -> CommandError {
    CommandError(.promptNeeded, "\(SystemError(call, code: errno))")
  }
}
