internal import Glibc
internal import PlainText
internal import SecretMemory
internal import System

/// The controlling terminal (tty(4)) with its echo off.
///
/// Its modes are restored when the object is destroyed (termios(3)).
final class HiddenTerminal {
  let descriptor: Descriptor
  private let found: termios

  /// Opens the terminal.
  ///
  /// It is `nil` if there is no terminal, or if the program may not read from it now.
  init?() {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    descriptor = Descriptor(owning: number)
    var modes = termios()
    // A read would stop a job in the background (SIGTTIN).
    guard tcgetpgrp(number) == getpgrp(), unsafe tcgetattr(number, &modes) == 0 else { return nil }
    found = modes
    // Reads byte by byte, Ctrl-C included: its signal would end the program and leave the echo off.
    modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
    unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    // TCSAFLUSH drops input that was typed before the question was shown: it was meant for another
    // one.
    unsafe tcsetattr(number, TCSAFLUSH, &modes)
  }

  deinit {
    var modes = found
    // Repeat after EINTR, so that a SIGCONT at this moment does not leave the echo off.
    while unsafe tcsetattr(descriptor.number, TCSAFLUSH, &modes) != 0 && errno == EINTR {}
  }

  /// Waits until this terminal or one of these descriptors is readable.
  ///
  /// - Returns: whether this terminal is readable, then the same for each of `others`.
  func wait(with others: Int32...) -> [Bool] {
    var entries = ([descriptor.number] + others).map { number in
      pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    }
    while unsafe poll(&entries, nfds_t(entries.count), -1) < 0 && errno == EINTR {}
    return entries.map { $0.revents != 0 }
  }

  /// Drops input that was typed but not read yet.
  func discardTyped() {
    _ = tcflush(descriptor.number, TCIFLUSH)
  }

  /// Writes a question and leaves the cursor after it.
  ///
  /// Text from elsewhere must not control the terminal.
  func ask(_ question: String) {
    _ = try? descriptor.write(PlainText.line(question))
  }

  /// Ends the line of an answer.
  func endLine() {
    _ = try? descriptor.write("\n")
  }

  /// Writes a sentence, wrapped between words.
  func say(_ sentence: String, limit: Int) {
    let lines = PlainText.wrapped(PlainText.line(sentence, limit: limit), columns: columns)
    _ = try? descriptor.write(lines.joined(separator: "\n") + "\n")
  }

  /// The width in columns (ioctl(2) TIOCGWINSZ); 80 if it is unknown.
  private var columns: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }
}

/// A typed line, in locked memory that is lent for one dialogue.
@safe
struct TypedLine {
  /// The greatest length of a line in bytes.
  static let longest = 1024

  /// The effect of a key.
  enum Key {
    /// The key is part of the line, or edits it.
    case character
    /// Enter.
    case end
    /// Ctrl-C, Ctrl-D, or the terminal is gone.
    case cancel
  }

  private let room: UnsafeMutableRawBufferPointer
  private var count = 0
  private var isTooLong = false

  /// Makes a line over this memory, which the caller wipes.
  init(_ room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// Runs `body` with a line.
  ///
  /// Its memory is locked during the run, and wiped afterwards.
  ///
  /// - Throws: `unexpected` if no locked memory is available.
  static func lend<Value>(
    _ body: (inout TypedLine) throws(AuthError) -> Value
  ) throws(AuthError) -> Value {
    var outcome: Result<Value, AuthError>?
    do throws(SecretMemoryError) {
      // The extra byte is the buffer for the next key.
      _ = unsafe try SecretBytes(capacity: longest + 1) { room in
        var line = unsafe TypedLine(room)
        outcome = Result { () throws(AuthError) in try body(&line) }
        return 0
      }
    } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
    guard let outcome else { throw AuthError(.unexpected, "nothing was read") }
    return try outcome.get()
  }

  /// Reads one key from a terminal that is readable.
  mutating func readKey(of terminal: HiddenTerminal) -> Key {
    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...count])
    guard (try? unsafe terminal.descriptor.read(into: place)) == 1 else { return .cancel }
    switch unsafe room[count] {
    case 0x03, 0x04: return .cancel
    case 0x0A, 0x0D: return .end
    // Ctrl-U.
    case 0x15: erase()
    // Backspace, in either encoding, removes a whole UTF-8 character.
    case 0x7F, 0x08:
      while count > 0 {
        count -= 1
        guard unsafe room[count] & 0xC0 == 0x80 else { break }
      }
    default:
      if count < Self.longest { count += 1 } else { isTooLong = true }
    }
    return .character
  }

  /// Wipes the typed line.
  mutating func erase() {
    unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
    count = 0
    isTooLong = false
  }

  /// Returns the typed password, and wipes the line.
  ///
  /// - Throws: `invalidArgument` if the line is too long, `unexpected` if no locked memory is
  ///   available.
  mutating func takePassword() throws(AuthError) -> Password {
    defer { erase() }
    // A truncated password would be a different one.
    guard !isTooLong else {
      throw AuthError(.invalidArgument, "a password may have \(Self.longest) bytes here")
    }
    do throws(SecretMemoryError) {
      let typed = unsafe UnsafeRawBufferPointer(rebasing: room[..<count])
      return Password(SharedSecret(unsafe try SecretBytes(copying: typed)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
  }
}
